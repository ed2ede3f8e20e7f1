package ledger_test

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/ledgertest"
)

// bent shows books that are not what is stored. Each field, where it is set,
// changes what the reader's method of that name returns.
type bent struct {
	ledger.Reader
	postings func([]ledger.Posting) []ledger.Posting
	balances func(ledger.Balances)
	charge   func(*ledger.Charge) // also in lists
	refund   func(*ledger.Refund) // also in lists
	refunds  func([]ledger.Refund) []ledger.Refund
	intent   func(*ledger.Intent)
	record   func(*idem.Record)
	agenda   func(*ledger.Due) (listed bool)
	owner    func(*ledger.Owner)
}

func bend[T any](change func(*T), all []T) {
	for i := range all {
		if change != nil {
			change(&all[i])
		}
	}
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

func (b bent) Charge(id string) (ledger.Charge, bool, error) {
	c, found, err := b.Reader.Charge(id)
	if found && b.charge != nil {
		b.charge(&c)
	}
	return c, found, err
}

func (b bent) Charges(owner string, page ledger.Page) ([]ledger.Charge, bool, error) {
	all, more, err := b.Reader.Charges(owner, page)
	bend(b.charge, all)
	return all, more, err
}

func (b bent) Refund(id string) (ledger.Refund, bool, error) {
	r, found, err := b.Reader.Refund(id)
	if found && b.refund != nil {
		b.refund(&r)
	}
	return r, found, err
}

func (b bent) RefundsOf(charge string, page ledger.Page) ([]ledger.Refund, bool, error) {
	all, more, err := b.Reader.RefundsOf(charge, page)
	bend(b.refund, all)
	if b.refunds != nil {
		all = b.refunds(all)
	}
	return all, more, err
}

func (b bent) Intents(owner string, page ledger.Page) ([]ledger.Intent, bool, error) {
	all, more, err := b.Reader.Intents(owner, page)
	bend(b.intent, all)
	return all, more, err
}

func (b bent) Record(key idem.Key) (idem.Record, bool, error) {
	r, found, err := b.Reader.Record(key)
	if found && b.record != nil {
		b.record(&r)
	}
	return r, found, err
}

func (b bent) Agenda(list ledger.List, from time.Time, fn func(ledger.Due) (bool, error)) error {
	return b.Reader.Agenda(list, from, func(d ledger.Due) (bool, error) {
		if b.record != nil {
			b.record(&d.Record)
		}
		if b.agenda != nil && !b.agenda(&d) {
			return true, nil
		}
		return fn(d)
	})
}

func (b bent) Owners(limit int) ([]ledger.Owner, error) {
	all, err := b.Reader.Owners(limit)
	bend(b.owner, all)
	return all, err
}

// Keys of the honest store, each named for what became of it.
const (
	keyPaid     = "paid" // of which 1000 is refunded and 500 on its way
	keyDeclined = "declined"
	keyPending  = "pending"
	keyRefund   = "refund"
	keyOnItsWay = "on its way"
	keyIntent   = "intent"
	keyWaiting  = "waiting"
	keyTooMuch  = "too much"
	keyRetried  = "retried" // declined, and confirmed again
)

// honest is a store with one of everything.
func honest(t *testing.T) ledger.Store {
	t.Helper()
	store, provider, clock := ledger.OpenMemory(), &ledgertest.Provider{}, ledgertest.NewClock()
	ids := 0
	l, err := ledger.New(ledger.Options{Store: store, Provider: provider, Now: clock.Now, NewID: func(prefix string) string {
		ids++
		return prefix + strconv.Itoa(ids)
	}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	must := func(result ledger.Result, err error) ledger.Result {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	refund := func(key, charge string, amount int64) ledger.RefundRequest {
		return ledger.RefundRequest{Key: request(strings.ReplaceAll(key, " ", "-")).Key, Fingerprint: idem.Fingerprint{Sum: key}, Charge: charge, Amount: amount}
	}
	paid := must(l.Charge(ctx, request(keyPaid))).Charge
	must(l.Refund(ctx, refund(keyRefund, paid, 1000)))
	must(l.Refund(ctx, refund(keyTooMuch, paid, 4001)))
	must(l.Intent(ctx, ledger.IntentRequest{ChargeRequest: request(keyIntent), Confirm: true}))
	must(l.Intent(ctx, ledger.IntentRequest{ChargeRequest: request(keyWaiting)}))
	provider.Script(ledgertest.Act{Decline: "lost_card"})
	must(l.Charge(ctx, request(keyDeclined)))
	provider.Script(ledgertest.Act{Decline: "lost_card"})
	retried := must(l.Intent(ctx, ledger.IntentRequest{ChargeRequest: request(keyRetried), Confirm: true})).Intent
	must(l.Confirm(ctx, ledger.ConfirmRequest{Key: request("again").Key, Fingerprint: idem.Fingerprint{Sum: "again"}, Intent: retried, Card: "tok_visa"}))
	provider.Script(ledgertest.Act{Lost: true}, ledgertest.Act{Lost: true})
	if _, err := l.Charge(ctx, request(keyPending)); !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Fatal(err)
	}
	if _, err := l.Refund(ctx, refund(keyOnItsWay, paid, 500)); !errors.Is(err, ledger.ErrOutcomeUnknown) {
		t.Fatal(err)
	}
	return store
}

func audited(t *testing.T, store ledger.Store, b bent) (lines []string) {
	t.Helper()
	err := store.View(t.Context(), func(r ledger.Reader) error {
		b.Reader = r
		breaches, err := ledger.Audit(t.Context(), b)
		for _, breach := range breaches {
			lines = append(lines, breach.String())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return lines
}

func TestTheAuditFindsNothingInHonestBooks(t *testing.T) {
	if lines := audited(t, honest(t), bent{}); len(lines) != 0 {
		t.Errorf("found %q", lines)
	}
}

func TestTheAuditFindsEachContradiction(t *testing.T) {
	store := honest(t)
	charge := func(key string, change func(*ledger.Charge)) func(*ledger.Charge) {
		return func(c *ledger.Charge) {
			if c.Key == key {
				change(c)
			}
		}
	}
	refund := func(status ledger.Status, change func(*ledger.Refund)) func(*ledger.Refund) {
		return func(r *ledger.Refund) {
			if r.Status == status {
				change(r)
			}
		}
	}
	record := func(key string, change func(*idem.Record)) func(*idem.Record) {
		return func(r *idem.Record) {
			if r.Key.Value == key {
				change(r)
			}
		}
	}
	for name, test := range map[string]struct {
		finds string
		bent  bent
	}{
		"a leg changed":           {"is off by 1 eur", bent{postings: func(p []ledger.Posting) []ledger.Posting { p[0].Amount++; return p }}},
		"a posting lost":          {"where 5 should stand", bent{postings: func(p []ledger.Posting) []ledger.Posting { return p[:5] }}},
		"no postings":             {"is not booked as its amount", bent{postings: func([]ledger.Posting) []ledger.Posting { return nil }}},
		"a ghost's transfer":      {"tr_ghost belongs to nothing", bent{postings: func(p []ledger.Posting) []ledger.Posting { p[0].Transfer = "tr_ghost"; return p }}},
		"a balance off":           {"owner:shop stands at -13999 eur", bent{balances: func(b ledger.Balances) { b["owner:shop"]["eur"]++ }}},
		"a balance lost":          {"owner:shop has eur postings and no balance", bent{balances: func(b ledger.Balances) { delete(b, "owner:shop") }}},
		"another amount":          {"is not booked as its amount", bent{charge: charge(keyPaid, func(c *ledger.Charge) { c.Amount++ })}},
		"a booked failure":        {"is failed, but booked", bent{charge: charge(keyIntent, func(c *ledger.Charge) { c.Status = ledger.Failed })}},
		"an unknown status":       {"cannot be counted", bent{charge: charge(keyPaid, func(c *ledger.Charge) { c.Status = "odd" })}},
		"a refund too many":       {"says that 1001 were refunded", bent{charge: charge(keyPaid, func(c *ledger.Charge) { c.AmountRefunded++ })}},
		"nothing set aside":       {"and 0 are set aside", bent{charge: charge(keyPaid, func(c *ledger.Charge) { c.RefundReserved = 0 })}},
		"refunds beyond it":       {"but its refunds come to", bent{refund: refund(ledger.Succeeded, func(r *ledger.Refund) { r.Amount = 4501 })}},
		"a refund not booked":     {"re_2 succeeded, but is not booked", bent{refund: refund(ledger.Succeeded, func(r *ledger.Refund) { r.Amount++ })}},
		"a refund in dollars":     {"is not of the owner and the currency", bent{refund: refund(ledger.Succeeded, func(r *ledger.Refund) { r.Currency = "usd" })}},
		"a stranger's refund":     {"is not of the owner and the currency", bent{refund: refund(ledger.Succeeded, func(r *ledger.Refund) { r.Owner = "anna" })}},
		"a refund lost":           {"its refunds say 1000 and 0", bent{refunds: func(all []ledger.Refund) []ledger.Refund { return all[min(1, len(all)):] }}},
		"an intent's other":       {"is not what its charge", bent{intent: func(i *ledger.Intent) { i.Amount++ }}},
		"an intent's ghost":       {`names the charge "ch_ghost"`, bent{intent: func(i *ledger.Intent) { i.Charge = "ch_ghost" }}},
		"an intent paid twice":    {"was confirmed again as", bent{charge: charge(keyRetried, func(c *ledger.Charge) { c.Status = ledger.Succeeded })}},
		"a charge of no intent":   {"which is not there", bent{charge: charge(keyPaid, func(c *ledger.Charge) { c.Intent = "pi_ghost" })}},
		"open over a later one":   {"has a record at claimed, but ch_", bent{record: record(keyRetried, func(r *idem.Record) { r.Point = idem.Claimed })}},
		"one success too many":    {"has totals", bent{owner: func(o *ledger.Owner) { o.Succeeded++ }}},
		"a sum too low":           {"has totals", bent{owner: func(o *ledger.Owner) { o.Charged["eur"]-- }}},
		"a refund not counted":    {"has totals", bent{owner: func(o *ledger.Owner) { o.Refunded = nil }}},
		"done over pending":       {"has a record at done, but ch_", bent{record: record(keyPending, func(r *idem.Record) { r.Point = idem.Done })}},
		"done over a refund":      {"has a record at done, but re_", bent{record: record("on-its-way", func(r *idem.Record) { r.Point = idem.Done })}},
		"open over succeeded":     {"has a record at claimed, but ch_", bent{record: record(keyPaid, func(r *idem.Record) { r.Point = idem.Claimed })}},
		"a success over nothing":  {"but no ch_ghost that it made", bent{record: record(keyPaid, func(r *idem.Record) { r.Resource = "ch_ghost" })}},
		"a refusal left open":     {"has a record at claimed, but no re_", bent{record: record("too-much", func(r *idem.Record) { r.Point = idem.Claimed })}},
		"pending without record":  {"is pending, but no record leads to it", bent{record: record(keyPending, func(r *idem.Record) { r.Resource = "ch_ghost" })}},
		"another owner's record":  {"which is another owner's", bent{record: record(keyPaid, func(r *idem.Record) { r.Key.Owner = "anna" })}},
		"a record on no list":     {"stands on no list", bent{agenda: func(d *ledger.Due) bool { return d.Record.Key.Value != keyPaid }}},
		"two charges at one time": {"was made by the key of", bent{charge: charge(keyIntent, func(c *ledger.Charge) { c.Key, c.Created = keyPaid, c.Created.Add(-1) })}},
	} {
		lines := audited(t, store, test.bent)
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, test.finds) }) {
			t.Errorf("%s: want %q, got %q", name, test.finds, lines)
		}
		if !slices.IsSorted(subjects(lines)) {
			t.Errorf("%s: in no order: %q", name, lines)
		}
	}
}

func subjects(lines []string) (all []string) {
	for _, line := range lines {
		subject, _, _ := strings.Cut(line, " ")
		all = append(all, subject)
	}
	return all
}

// A key that outlives its tombstone may charge again: one life after the other
// is no breach.
func TestTheAuditKnowsThatAKeyMayHaveTwoLives(t *testing.T) {
	lines := audited(t, honest(t), bent{charge: func(c *ledger.Charge) {
		if c.Key == keyIntent {
			c.Key, c.Created = keyPaid, c.Created.Add(time.Hour)
		}
	}})
	for _, line := range lines {
		if strings.Contains(line, "was made by the key of") {
			t.Errorf("found %q", line)
		}
	}
}

func TestTheAuditOfAStoreThatCannotBeReadIsAnError(t *testing.T) {
	store := honest(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := store.View(t.Context(), func(r ledger.Reader) error {
		_, err := ledger.Audit(ctx, r)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if err := store.View(t.Context(), func(r ledger.Reader) error {
		_, err := ledger.Audit(t.Context(), unreadableLists{r})
		return err
	}); !errors.Is(err, errPoison) {
		t.Errorf("got %v", err)
	}
}

type unreadableLists struct{ ledger.Reader }

func (unreadableLists) RefundsOf(string, ledger.Page) ([]ledger.Refund, bool, error) {
	return nil, false, errPoison
}
