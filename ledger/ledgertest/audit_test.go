package ledgertest

import (
	"context"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
)

// bent shows books that are not what is stored.
type bent struct {
	ledger.Reader
	postings func([]ledger.Posting) []ledger.Posting
	balances func(ledger.Balances)
	charges  func([]ledger.Charge)
	records  func([]idem.Record) []idem.Record
	owners   func([]ledger.Owner)
}

func (b bent) Postings(limit int) ([]ledger.Posting, error) {
	all, err := b.Reader.Postings(limit)
	if b.postings != nil {
		all = b.postings(all)
	}
	return all, err
}

func (b bent) Balances() (ledger.Balances, error) {
	all, err := b.Reader.Balances()
	if b.balances != nil {
		b.balances(all)
	}
	return all, err
}

func (b bent) Charges(owner string, page ledger.Page) ([]ledger.Charge, bool, error) {
	all, more, err := b.Reader.Charges(owner, page)
	if b.charges != nil {
		b.charges(all)
	}
	return all, more, err
}

func (b bent) Records(owner string, limit int) ([]idem.Record, error) {
	all, err := b.Reader.Records(owner, limit)
	if b.records != nil {
		all = b.records(all)
	}
	return all, err
}

func (b bent) Owners(limit int) ([]ledger.Owner, error) {
	all, err := b.Reader.Owners(limit)
	if b.owners != nil {
		b.owners(all)
	}
	return all, err
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

func TestTheAuditFindsEachContradiction(t *testing.T) {
	store := honest(t)
	for _, test := range []struct {
		finds string
		bent  bent
	}{
		{"is off by", bent{postings: func(p []ledger.Posting) []ledger.Posting { p[0].Amount++; return p }}},
		{"stands where", bent{postings: func(p []ledger.Posting) []ledger.Posting { return p[:1] }}},
		{"not booked as its amount", bent{postings: func([]ledger.Posting) []ledger.Posting { return nil }}},
		{"belongs to no succeeded charge", bent{postings: func(p []ledger.Posting) []ledger.Posting {
			p[0].Transfer, p[1].Transfer = "tr_ghost", "tr_ghost"
			return p
		}}},
		{"its postings at", bent{balances: func(b ledger.Balances) { b["owner:shop"]["eur"]++ }}},
		{"and no balance", bent{balances: func(b ledger.Balances) { delete(b, "owner:shop") }}},
		{"not booked as its amount", bent{charges: func(c []ledger.Charge) { c[2].Amount++ }}},
		{"but booked", bent{charges: func(c []ledger.Charge) { c[2].Status = ledger.Failed }}},
		{"one key made", bent{charges: func(c []ledger.Charge) { c[1], c[1].ID = c[2], "ch_twin" }}},
		{"the totals say", bent{owners: func(o []ledger.Owner) { o[0].Succeeded++ }}},
		{"the totals say", bent{owners: func(o []ledger.Owner) { o[0].Charged["eur"]-- }}},
		{"its charge is pending", bent{records: func(r []idem.Record) []idem.Record { r[0].Point = idem.Done; return r }}},
		{"its charge is succeeded", bent{records: func(r []idem.Record) []idem.Record { r[2].Point = idem.Claimed; return r }}},
		{"has no charge", bent{records: func(r []idem.Record) []idem.Record { r[0].Resource = "ch_ghost"; return r }}},
		{"has no record", bent{records: func(r []idem.Record) []idem.Record { return r[1:] }}},
	} {
		err := store.View(context.Background(), func(r ledger.Reader) error {
			test.bent.Reader = r
			return Audit(test.bent)
		})
		if err == nil || !strings.Contains(err.Error(), test.finds) {
			t.Errorf("want %q, got %v", test.finds, err)
		}
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
