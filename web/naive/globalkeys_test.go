package naive

import (
	"context"
	"net/http"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/control"
)

func TestTwoOwnersWithOneKeyShareOneAnswer(t *testing.T) {
	s := (&system{t: t}).start(globalKeys())
	first, second := s.want(http.StatusCreated, ask{owner: "a"}), s.want(http.StatusCreated, ask{owner: "b", trace: "b"})
	if first.body != second.body || second.header.Get(idem.HeaderReplayed) != "true" {
		t.Errorf("not the other one's answer: %v\n%s", second.header, second.body)
	}
	if a, b := s.captures("a"), s.captures("b"); a != 1 || b != 0 {
		t.Errorf("captures: %d of a, %d of b; want 1 and 0", a, b)
	}
	for _, e := range s.of("b") {
		if e.Owner != "b" {
			t.Errorf("b's request is told as another's: %+v", e)
		}
	}
}

func TestTheSameKeysWithoutTheMistakeNeverMeet(t *testing.T) {
	s := (&system{t: t}).start(Mistake{})
	first, second := s.want(http.StatusCreated, ask{owner: "a"}), s.want(http.StatusCreated, ask{owner: "b"})
	if first.body == second.body {
		t.Error("b got a's answer")
	}
	if a, b := s.captures("a"), s.captures("b"); a != 1 || b != 1 {
		t.Errorf("captures: %d of a, %d of b; want 1 each", a, b)
	}
}

// The rule is the right one, and so is everything about one owner alone.
func TestGlobalKeysStillReplayAndConflict(t *testing.T) {
	s := (&system{t: t}).start(globalKeys())
	first, again := s.want(http.StatusCreated, ask{}), s.want(http.StatusCreated, ask{})
	if first.body != again.body {
		t.Errorf("not a replay: %s", again.body)
	}
	s.want(http.StatusConflict, ask{amount: "8000"})
	s.want(http.StatusConflict, ask{owner: "b", amount: "8000"})
	s.want(http.StatusCreated, ask{key: "order-2"})
	if n := s.captures("shop"); n != 2 {
		t.Errorf("%d captures, want 2", n)
	}
	eventually(t, "the conflict is told", func() bool { return count(s.of("t"), control.KindDecision) >= 4 })
}

func TestRecordsAreFoundUnderEveryOwnersName(t *testing.T) {
	s := (&system{t: t}).start(globalKeys())
	s.want(http.StatusCreated, ask{owner: "a"})
	store := globalKeys().Store(s.store)
	err := store.View(context.Background(), func(r ledger.Reader) error {
		record, found, err := r.Record(idem.Key{Owner: "b", Value: "order-1"})
		if err != nil || !found || record.Key.Owner != "b" {
			t.Errorf("b finds %+v, %v: %v", record.Key, found, err)
		}
		records, err := r.Records("c", 10)
		if err != nil || len(records) != 1 || records[0].Key != (idem.Key{Owner: "c", Value: "order-1"}) {
			t.Errorf("c has %v: %v", records, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAForgottenKeyIsForgottenForEverybody(t *testing.T) {
	s := (&system{t: t}).start(globalKeys())
	s.want(http.StatusCreated, ask{owner: "a"})
	store := globalKeys().Store(s.store)
	var dropped bool
	err := store.Update(context.Background(), func(tx ledger.Tx) error {
		claim := idem.Record{Key: idem.Key{Owner: "b", Value: "order-1"}, Point: idem.Claimed, Fence: 1, LeaseUntil: time.Now().Add(time.Hour)}
		holder, inserted, err := tx.InsertKey(claim)
		if err != nil || inserted {
			t.Errorf("the key was free: %v", err)
		}
		dropped, err = tx.DropKey(holder)
		return err
	})
	if err != nil || !dropped {
		t.Fatalf("dropped %v: %v", dropped, err)
	}
	if s.want(http.StatusCreated, ask{owner: "b"}); s.captures("b") != 1 {
		t.Error("the key is still taken")
	}
}
