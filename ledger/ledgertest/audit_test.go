package ledgertest

import (
	"context"
	"strings"
	"testing"

	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
)

// twin shows one key with two succeeded charges.
type twin struct{ ledger.Reader }

func (b twin) Charges(owner string, page ledger.Page) ([]ledger.Charge, bool, error) {
	all, more, err := b.Reader.Charges(owner, page)
	all[1], all[1].ID = all[2], "ch_twin"
	return all, more, err
}

// honest is a store with a charge of each kind, newest first: pending,
// declined, succeeded.
func honest(t *testing.T) ledger.Store {
	t.Helper()
	store, err := ledger.OpenBadger(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	provider := &Provider{}
	clock := NewClock()
	l, err := ledger.New(ledger.Options{Store: store, Provider: provider, Now: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	provider.Script(Act{}, Act{Decline: "lost_card"}, Act{Lost: true})
	for i, key := range []string{"paid", "declined", "pending"} {
		if _, err := l.Charge(t.Context(), request(key)); (err != nil) != (i == 2) {
			t.Fatal(err)
		}
		clock.Advance(1) // records are listed by their age
	}
	return store
}

func TestTheAuditFindsNothingInHonestBooks(t *testing.T) {
	if err := honest(t).View(context.Background(), Audit); err != nil {
		t.Error(err)
	}
}

func TestAKeyThatChargedTwiceIsFound(t *testing.T) {
	err := honest(t).View(context.Background(), func(r ledger.Reader) error { return Audit(twin{r}) })
	if err == nil || !strings.Contains(err.Error(), "one key made") || !strings.Contains(err.Error(), "has totals") {
		t.Errorf("got %v", err)
	}
}

func TestTheProvidersBookIsHeldAgainstTheLedgers(t *testing.T) {
	store := honest(t)
	view := func(p *Provider) error {
		return store.View(context.Background(), func(r ledger.Reader) error { return auditProvider(r, p) })
	}
	if err := view(&Provider{}); err == nil || !strings.Contains(err.Error(), "has not captured it") {
		t.Errorf("an empty book: %v", err)
	}
	stranger := &Provider{}
	if _, err := stranger.Capture(t.Context(), "cap_x", ledger.Capture{Reference: "shop/ch_x"}); err != nil {
		t.Fatal(err)
	}
	if err := view(stranger); err == nil || !strings.Contains(err.Error(), "captured") {
		t.Errorf("a stranger's capture: %v", err)
	}
}
