package ledgertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

const (
	// lease is that of the suite's ledgers, on the clock that is set by hand.
	lease = 30 * time.Second
	// patience bounds every wait for a condition. It is never waited out where
	// the code is right.
	patience = 30 * time.Second
)

// bench is what one test works with.
type bench struct {
	t        testing.TB
	store    ledger.Store
	clock    *Clock
	provider *Provider
	ledger   *ledger.Ledger
	log      *log
	payments int  // charges that were made only to be refunded
	reborn   bool // a key outlives its tombstone and charges again
}

func newBench(t testing.TB, open Open) *bench {
	t.Helper()
	b := &bench{t: t, store: open(t), clock: NewClock(), provider: &Provider{}, log: newLog()}
	t.Cleanup(b.finish)
	b.ledger = b.newLedger(func(*ledger.Options) {})
	return b
}

// newLedger is one more process on the same books, as far as a ledger knows.
func (b *bench) newLedger(tune func(*ledger.Options)) *ledger.Ledger {
	b.t.Helper()
	options := ledger.Options{
		Store: b.store, Provider: b.provider, Terms: idem.Terms{Lease: lease},
		BusyWait: patience, ProviderSpan: lease - 1,
		Now: b.clock.Now, Offset: b.clock.Offset, Hooks: b.log.hooks(),
		Announce: announce,
	}
	tune(&options)
	l, err := ledger.New(options)
	if err != nil {
		b.t.Fatalf("new ledger: %v", err)
	}
	b.t.Cleanup(func() { // runs before finish, which needs the books at rest
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := l.Close(ctx); err != nil {
			b.t.Errorf("close ledger: %v", err)
		}
	})
	return l
}

// finish audits what the test leaves behind.
func (b *bench) finish() {
	if err := b.audit(); err != nil {
		b.t.Errorf("the books are wrong:\n%v", err)
	}
	if err := b.auditOutbox(); err != nil {
		b.t.Errorf("the outbox is wrong:\n%v", err)
	}
	if err := b.store.Close(); err != nil {
		b.t.Errorf("close store: %v", err)
	}
}

func (b *bench) audit() error {
	return b.store.View(context.Background(), func(r ledger.Reader) error {
		audit := Audit
		if b.reborn {
			audit = auditLives
		}
		if err := audit(r); err != nil {
			return err
		}
		return auditProvider(r, b.provider)
	})
}

// auditProvider holds the ledger against the provider's own book: what one says
// was taken or given back, the other has taken or given back, under the key of
// that charge or refund.
func auditProvider(r ledger.Reader, p *Provider) error {
	captures, refunds := p.Captures(), p.Refunds()
	for key, order := range captures {
		owner, id, _ := strings.Cut(order.Reference, "/")
		c, found, err := r.Charge(id)
		if err != nil {
			return err
		}
		if !found || c.Owner != owner || c.ProviderKey() != key || c.Amount != order.Amount || c.Status == ledger.Failed {
			return fmt.Errorf("the provider captured %v under %s, the ledger has %+v", order, key, c)
		}
	}
	for key, given := range refunds {
		refund, found, err := r.Refund(strings.TrimPrefix(key, "ref_"))
		if err != nil {
			return err
		}
		if !found || refund.Capture != given.Capture || refund.Amount != given.Amount || refund.Status == ledger.Failed {
			return fmt.Errorf("the provider gave %v back under %s, the ledger has %+v", given, key, refund)
		}
	}
	return auditTaken(r, captures, refunds)
}

func auditTaken(r ledger.Reader, captures map[string]ledger.Capture, refunds map[string]Refund) error {
	owners, err := r.Owners(ledger.MaxPage)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		charges, err := allCharges(r, owner.Name)
		if err != nil {
			return err
		}
		for _, c := range charges {
			if _, taken := captures[c.ProviderKey()]; c.Status == ledger.Succeeded && !taken {
				return fmt.Errorf("%s succeeded, but the provider has not captured it", c.ID)
			}
		}
		given, err := allRefunds(r, owner.Name)
		if err != nil {
			return err
		}
		for _, refund := range given {
			if _, back := refunds[refund.ProviderKey()]; refund.Status == ledger.Succeeded && !back {
				return fmt.Errorf("%s succeeded, but the provider has given nothing back", refund.ID)
			}
		}
	}
	return nil
}

// view reads the books.
func (b *bench) view(fn func(ledger.Reader) error) {
	b.t.Helper()
	if err := b.store.View(context.Background(), fn); err != nil {
		b.t.Fatalf("view: %v", err)
	}
}

// books is everything that money is written in.
type books struct {
	Charges  []ledger.Charge
	Refunds  []ledger.Refund
	Postings []ledger.Posting
	Balances ledger.Balances
}

func (b *bench) books(owner string) (all books) {
	b.t.Helper()
	b.view(func(r ledger.Reader) (err error) {
		if all.Charges, err = allCharges(r, owner); err != nil {
			return err
		}
		if all.Refunds, err = allRefunds(r, owner); err != nil {
			return err
		}
		if all.Postings, err = r.Postings(10_000); err != nil {
			return err
		}
		all.Balances, err = r.Balances()
		return err
	})
	return all
}

// record reads the record of a key.
func (b *bench) record(key idem.Key) (record idem.Record) {
	b.t.Helper()
	b.view(func(r ledger.Reader) error {
		found, ok, err := r.Record(key)
		if err == nil && !ok {
			err = fmt.Errorf("no record of %v", key)
		}
		record = found
		return err
	})
	return record
}

// captures insists on how often the card was charged.
func (b *bench) captures(want int) {
	b.t.Helper()
	if got := b.provider.Captures(); len(got) != want {
		b.t.Errorf("the provider captured %d times: %v; want %d", len(got), got, want)
	}
}
