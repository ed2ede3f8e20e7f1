package lesson

import (
	"context"
	"slices"
	"testing"

	"chargeonce/web/control"
)

// soundFigures are the books of both sides after a lesson on a sound rig.
func soundFigures(t *testing.T, l Lesson) map[control.Side]Figures {
	t.Helper()
	books := make(map[control.Side]Figures)
	keep := func(rig Rig, side control.Side) Rig {
		return wrong{Rig: rig, figures: func(ctx context.Context) (Figures, error) {
			figures, err := rig.Figures(ctx)
			books[side] = figures
			return figures, err
		}}
	}
	if _, _, err := execute(t, l, func(r Rigs) Rigs {
		r.Naive, r.Safe = keep(r.Naive, control.Naive), keep(r.Safe, control.Safe)
		return r
	}); err != nil {
		t.Fatal(err)
	}
	return books
}

// owner changes the books of one owner.
func owner(name string, change func(*control.OwnerBooks)) func(*Figures) {
	return func(f *Figures) {
		books := f.Owners[name]
		change(&books)
		f.Owners[name] = books
	}
}

// Each promised figure breaks its own check when the books say otherwise, and
// no other check of that lesson.
func TestEachPromisedFigureIsLookedAt(t *testing.T) {
	for name, of := range map[string]struct {
		lesson Lesson
		side   control.Side
		change func(*Figures)
		want   []string
	}{
		"one request too few": {
			lostResponse(), control.Safe, owner("", func(b *control.OwnerBooks) { b.Wire.API = 1 }),
			[]string{"requests on the API's wire"},
		},
		"a second capture": {
			lostResponse(), control.Safe, func(f *Figures) { f.Captures = append(f.Captures, f.Captures[0]) },
			[]string{"captures"},
		},
		"a decline captures nothing": {
			killLease(), control.Safe, func(f *Figures) { f.Captures[0].Status = "declined" },
			[]string{"captures"},
		},
		"one key for two captures": {
			lostResponse(), control.Naive, func(f *Figures) { f.Captures[1].Key = f.Captures[0].Key },
			[]string{"keys at the card provider"},
		},
		"the ledger counts one too many": {
			killLease(), control.Naive, owner("", func(b *control.OwnerBooks) { b.Charges = 2 }),
			[]string{"charges in our ledger"},
		},
		"a receipt for another charge": {
			lostResponse(), control.Safe, func(f *Figures) { f.Orders[0].Charge = "ch_9" },
			[]string{"the shop's order is paid by"},
		},
		"no order at all": {
			killLease(), control.Safe, func(f *Figures) { f.Orders = nil },
			[]string{"the shop's order is paid by"},
		},
		"a record that is not done": {
			killLease(), control.Safe, func(f *Figures) { f.Records[0].State = "claimed" },
			[]string{"the key's record is"},
		},
		"a record that was never resumed": {
			killLease(), control.Safe, func(f *Figures) { f.Records[0].Fence = 1 },
			[]string{"fence of the record"},
		},
		"no record": {
			killLease(), control.Safe, func(f *Figures) { f.Records = nil },
			[]string{"idempotency records"},
		},
		"nothing was replayed": {
			lostResponse(), control.Safe, func(f *Figures) { f.Records[0].Replays = 0 },
			[]string{"replays of a stored answer"},
		},
		"the provider was not asked": {
			killLease(), control.Safe, owner("", func(b *control.OwnerBooks) { b.Wire.Provider = 1 }),
			[]string{"requests on the provider's wire"},
		},
		"a loser without an answer": {
			doubleClick(), control.Safe, func(f *Figures) { f.Records[7].Replays = 0 },
			[]string{"replays of a stored answer"},
		},
		"an order that went well by luck": {
			doubleClick(), control.Naive, owner("o07", func(b *control.OwnerBooks) { b.Captures = 1 }),
			[]string{"orders that charge once", "orders that charge twice"},
		},
		"an order that went wrong": {
			doubleClick(), control.Safe, owner("o07", func(b *control.OwnerBooks) { b.Captures = 2 }),
			[]string{"orders that charge twice"},
		},
		"money that was never taken": {
			lostResponse(), control.Safe, owner("", func(b *control.OwnerBooks) { b.Captured = control.Sums{euro: 2000} }),
			[]string{"the card was charged", "unpaid"},
		},
		"money in a foreign currency": {
			lostResponse(), control.Safe, owner("", func(b *control.OwnerBooks) { b.Captured["usd"] = 1 }),
			[]string{"the card was charged", "overcharged"},
		},
	} {
		figures := soundFigures(t, of.lesson)[of.side]
		of.change(&figures)
		var got []string
		for _, c := range of.lesson.Promises(of.side, figures) {
			if c.Side != of.side {
				t.Errorf("%s: a check of %s", name, c.Side)
			}
			if !c.Held {
				got = append(got, c.Name)
			}
		}
		if !slices.Equal(got, of.want) {
			t.Errorf("%s: %v broke, want %v", name, got, of.want)
		}
	}
}

func TestEmptyBooksKeepNoPromise(t *testing.T) {
	for _, l := range All() {
		for _, side := range sides {
			if verdict(l.Promises(side, Figures{})) != Broken {
				t.Errorf("%s: the %s side holds without any books", l.ID, side)
			}
		}
	}
}
