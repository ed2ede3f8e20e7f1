package naive

import (
	"context"
	"strings"
	"sync"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/ledgertest"
	"chargeonce/web/control"
)

// inBooks counts the lines of charges that took money, and what the ledger owes
// their owner for them, in minor units.
func inBooks(t *testing.T, store ledger.Store) (lines int, owed int64) {
	t.Helper()
	err := store.View(t.Context(), func(books ledger.Reader) error {
		owner, err := books.Owner("shop")
		if err != nil {
			return err
		}
		balance, err := books.Balance(ledger.OwnerAccount("shop"))
		lines, owed = owner.Succeeded, -balance["eur"]
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines, owed
}

// ending is what a charge came to.
type ending struct {
	result ledger.Result
	err    error
}

// returning freezes a worker after its capture until another one has finished
// the same charge, and returns what the first one made of it then.
func returning(t *testing.T, m Mistake, store ledger.Store, cards *ledgertest.Provider) ending {
	t.Helper()
	frozen, thaw := make(chan struct{}), make(chan struct{})
	var once sync.Once
	slow := worker(t, m, store, cards, ledger.Hooks{
		Beat: func(context.Context, ledger.Work) bool { return false },
		At: func(_ context.Context, point string) {
			if point == ledger.AtProviderCalled {
				once.Do(func() {
					close(frozen)
					<-thaw
				})
			}
		},
	})
	back := make(chan ending, 1)
	go func() {
		result, err := slow.Charge(context.Background(), purchase())
		back <- ending{result, err}
	}()
	<-frozen
	result, err := worker(t, m, store, cards, ledger.Hooks{}).Charge(t.Context(), purchase())
	close(thaw)
	if err != nil || result.Outcome != idem.Resumed {
		t.Errorf("the second worker: %v, %v; want resumed", result.Outcome, err)
	}
	return <-back
}

func TestAWorkerThatComesBackBooksTheChargeASecondTime(t *testing.T) {
	store, cards := openStore(t), &ledgertest.Provider{}
	zombie := returning(t, noFence(), store, cards)
	if zombie.err != nil || zombie.result.Outcome != idem.Started {
		t.Errorf("the zombie: %v, %v; want to get away with it", zombie.result.Outcome, zombie.err)
	}
	if lines, owed := inBooks(t, store); lines != 2 || owed != 10000 || len(cards.Captures()) != 1 {
		t.Errorf("%d lines, %d owed, %d captures; want two lines for one capture", lines, owed, len(cards.Captures()))
	}
	err := store.View(t.Context(), func(books ledger.Reader) error {
		record, _, err := books.Record(purchase().Key)
		for _, step := range record.History {
			if strings.HasPrefix(step.What, "resumed") {
				t.Errorf("the stored answer is still the second worker's: %v", record.History)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheSameReturnWithTheFenceBooksOnce(t *testing.T) {
	store, cards := openStore(t), &ledgertest.Provider{}
	zombie := returning(t, Mistake{}, store, cards)
	if zombie.err != nil || zombie.result.Outcome != idem.Replay {
		t.Errorf("the zombie: %v, %v; want the other's answer", zombie.result.Outcome, zombie.err)
	}
	if lines, owed := inBooks(t, store); lines != 1 || owed != 5000 {
		t.Errorf("%d lines, %d owed", lines, owed)
	}
}

// A fence that nobody runs into is no fault: whoever keeps his lease is booked
// once, and heartbeats and releases mind the fence here too.
func TestOnlyAResultIsWrittenWithoutAFence(t *testing.T) {
	store := openStore(t)
	unfenced := noFence().Store(store)
	mine := idem.Record{Key: purchase().Key, Resource: "ch_1", Point: idem.Claimed, Fence: 2}
	err := unfenced.Update(t.Context(), func(tx ledger.Tx) error {
		if _, _, err := tx.InsertKey(mine); err != nil {
			return err
		}
		late := mine
		late.Fence = 1
		if swapped, err := tx.SwapKey(late, 1); err != nil || swapped {
			t.Errorf("a late heartbeat: %v, %v", swapped, err)
		}
		late.Point = idem.Done
		if swapped, err := tx.SwapKey(late, 1); err != nil || !swapped {
			t.Errorf("a late result: %v, %v", swapped, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestThePanelIsToldOfASecondBooking(t *testing.T) {
	var told []control.Event
	trace := tellOverwritten(func(e control.Event) { told = append(told, e) })
	commit := control.Event{Kind: control.KindCommit, Charge: "ch_1", Text: "as is", Reason: "k/shop/1 t/tr_ch_1 p/1 c/ch_1 ct/x"}
	trace(commit)
	commit.Reason = "k/shop/1 t/tr_ch_2 p/3 c/ch_2"
	trace(commit)
	commit.Kind = control.KindNote
	trace(commit)
	if told[0].Text != "as is" || !strings.Contains(told[1].Text, "a second time, as ch_2") || told[2].Text != "as is" {
		t.Errorf("told %+v", told)
	}
}
