package ledgertest

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// rounds is how often two refunds race for one charge: field case G05.
const rounds = 200

// refundRules: money that goes back.
var refundRules = []rule{
	{"a refund is two commits and one provider call, and moves the money back", func(t *testing.T, b *bench) {
		charge := b.paid(5000)
		commits := b.log.count("committed")
		got := b.mustRefund(refundOf(charge, "r", 2000), idem.Started, 201)
		if n := b.log.count("committed") - commits; n != 2 || len(b.provider.Calls()) != 2 {
			t.Errorf("%d commits, calls %v", n, b.provider.Calls())
		}
		capture := b.chargeNow(charge).Capture
		if call := b.provider.Calls()[1]; call.Key != "ref_"+got.Refund || call.Refund != (Refund{capture, 2000}) {
			t.Errorf("the provider was asked for %+v", call)
		}
		refund := b.refundNow(got.Refund)
		if refund.Status != ledger.Succeeded || refund.Reference != "pr_ref_"+refund.ID || refund.Charge != charge || refund.Currency != "eur" {
			t.Errorf("the refund is %+v", refund)
		}
		b.refunded(charge, 2000, 0)
		if got := b.books("shop").Balances[ledger.OwnerAccount("shop")]["eur"]; got != -3000 {
			t.Errorf("the owner stands at %d", got)
		}
	}},
	{"commit 1 sets the amount aside on the charge's own row", func(t *testing.T, b *bench) { // K03
		charge := b.paid(5000)
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		done := b.startRefund(refundOf(charge, "r", 2000))
		b.arrives(gate)
		b.refunded(charge, 0, 2000)
		rows := strings.Join(b.log.all("committed 1 r "), "")
		if !strings.Contains(rows, " c/"+charge) || !strings.Contains(rows, " k/shop/") || !strings.Contains(rows, " r/re_") {
			t.Errorf("commit 1 wrote %s", rows)
		}
		gate.Open()
		b.check(b.result(done), idem.Started, 201)
		b.refunded(charge, 2000, 0)
	}},
	{"two refunds at once that fit alone and not together: exactly one succeeds", func(t *testing.T, b *bench) { // G05
		for range rounds {
			charge := b.paid(100)
			var answers [2]answer
			barrier := make(chan struct{})
			var both sync.WaitGroup
			for i := range answers {
				both.Go(func() {
					<-barrier
					answers[i] = b.refund(refundOf(charge, fmt.Sprint(charge, i), 60))
				})
			}
			close(barrier)
			both.Wait()
			if sum := answers[0].Record.Answer.Status + answers[1].Record.Answer.Status; sum != 201+400 {
				t.Fatalf("got %+v and %+v", answers[0], answers[1])
			}
			b.refunded(charge, 60, 0)
		}
	}},
	{"a partial refund whose answer was lost is paid once", func(t *testing.T, b *bench) { // G08
		charge := b.paid(10000)
		b.provider.Script(Act{Silent: true})
		first := b.refund(refundOf(charge, "r", 4000))
		if !errors.Is(first.err, ledger.ErrOutcomeUnknown) || first.RetryAfter < ledger.RetryAfter || first.Refund == "" || first.Charge != charge {
			t.Fatalf("got %+v, %v", first.Result, first.err)
		}
		b.refunded(charge, 0, 4000) // unknown keeps it
		again := b.mustRefund(refundOf(charge, "r", 4000), idem.Resumed, 201)
		third := b.mustRefund(refundOf(charge, "r", 4000), idem.Replay, 201)
		if again.Refund != first.Refund || string(third.Record.Answer.Body) != string(again.Record.Answer.Body) {
			t.Errorf("refunds %s, %s and %s", first.Refund, again.Refund, third.Refund)
		}
		b.refunded(charge, 4000, 0)
		if len(b.provider.Refunds()) != 1 {
			t.Errorf("refunds %v", b.provider.Refunds())
		}
	}},
	{"a refund that never arrived is sent again under the same key", func(t *testing.T, b *bench) {
		charge := b.paid(5000)
		b.provider.Script(Act{Lost: true})
		if got := b.refund(refundOf(charge, "r", 5000)); !errors.Is(got.err, ledger.ErrOutcomeUnknown) {
			t.Errorf("got %v", got.err)
		}
		b.mustRefund(refundOf(charge, "r", 5000), idem.Resumed, 201)
		calls := b.provider.Calls()[1:]
		if len(calls) != 3 || calls[0].Key != calls[1].Key || calls[1].Key != calls[2].Key || !calls[1].Lookup {
			t.Errorf("calls %v", calls)
		}
	}},
	{"what the provider declines is free again", func(t *testing.T, b *bench) {
		charge := b.paid(5000)
		b.provider.Script(Act{Decline: "refund_exceeds_capture"})
		got := b.mustRefund(refundOf(charge, "r", 2000), idem.Started, 402)
		b.mustRefund(refundOf(charge, "r", 2000), idem.Replay, 402)
		refund := b.refundNow(got.Refund)
		if refund.Status != ledger.Failed || refund.FailReason != "refund_exceeds_capture" || refund.Transfer != "" {
			t.Errorf("the refund is %+v", refund)
		}
		b.refunded(charge, 0, 0)
		b.mustRefund(refundOf(charge, "r2", 5000), idem.Started, 201)
	}},
	{"more than is left is refused, stored and replayed, and calls nobody", func(t *testing.T, b *bench) {
		charge := b.paid(100)
		b.mustRefund(refundOf(charge, "r", 40), idem.Started, 201)
		calls, before := len(b.provider.Calls()), b.books("shop")
		first := b.mustRefund(refundOf(charge, "more", 61), idem.Started, 400)
		again := b.mustRefund(refundOf(charge, "more", 61), idem.Replay, 400)
		if string(first.Record.Answer.Body) != string(again.Record.Answer.Body) || !strings.Contains(string(again.Record.Answer.Body), "60 eur") {
			t.Errorf("%s was replayed as %s", first.Record.Answer.Body, again.Record.Answer.Body)
		}
		if again.Record.Answer.Request != "req_more" {
			t.Errorf("the answer is of request %q", again.Record.Answer.Request)
		}
		same(t, before, b.books("shop"))
		if len(b.provider.Calls()) != calls || b.log.count("committed 2 more") != 1 || b.log.count("committed 1 more") != 0 {
			t.Errorf("calls %v, commits %v", b.provider.Calls(), b.log.all("committed"))
		}
	}},
	{"no amount is all that is left", func(t *testing.T, b *bench) {
		charge := b.paid(100)
		b.mustRefund(refundOf(charge, "part", 30), idem.Started, 201)
		rest := b.mustRefund(refundOf(charge, "rest", 0), idem.Started, 201)
		if got := b.refundNow(rest.Refund).Amount; got != 70 {
			t.Errorf("the rest is %d", got)
		}
		b.refunded(charge, 100, 0)
		b.mustRefund(refundOf(charge, "nothing", 0), idem.Started, 400)
	}},
	{"what is on its way is not given twice", func(t *testing.T, b *bench) {
		charge := b.paid(100)
		b.provider.Script(Act{Lost: true})
		b.refund(refundOf(charge, "r", 60))
		b.mustRefund(refundOf(charge, "more", 41), idem.Started, 400)
		b.mustRefund(refundOf(charge, "rest", 0), idem.Started, 201)
		b.mustRefund(refundOf(charge, "r", 60), idem.Resumed, 201)
		b.refunded(charge, 100, 0)
	}},
	{"a declined charge is not refundable, a pending one not yet, an unknown one not there", func(t *testing.T, b *bench) {
		b.provider.Script(Act{Decline: "lost_card"}, Act{Lost: true})
		declined := b.must(request("declined"), idem.Started, 402).Charge
		b.mustRefund(refundOf(declined, "r1", 1), idem.Started, 400)
		pending := b.unknown(request("pending")).Charge
		for charge, want := range map[string]error{pending: ledger.ErrChargePending, "ch_none": ledger.ErrNotFound} {
			if got := b.refund(refundOf(charge, "r2", 1)); !errors.Is(got.err, want) {
				t.Errorf("%s: %v", charge, got.err)
			}
		}
		anna := b.must(request("k", owner("anna")), idem.Started, 201).Charge
		if got := b.refund(refundOf(anna, "r2", 1)); !errors.Is(got.err, ledger.ErrNotFound) {
			t.Errorf("another owner's: %v", got.err)
		}
		b.view(func(r ledger.Reader) error { // nothing of these was stored: the key is free
			if _, found, err := r.Record(refundOf(pending, "r2", 1).Key); found || err != nil {
				t.Errorf("a record: %v, %v", found, err)
			}
			return nil
		})
		b.must(request("pending"), idem.Resumed, 201)
		b.mustRefund(refundOf(pending, "r2", 1), idem.Started, 201)
	}},
	{"a key of a charge is not a key of a refund", func(t *testing.T, b *bench) { // B02
		charge := b.must(request("k"), idem.Started, 201).Charge
		got := b.refund(refundOf(charge, "k", 5000))
		if got.err != nil || got.Outcome != idem.Conflict || got.Refund != "" || !strings.Contains(got.Reason, "operation") {
			t.Errorf("got %v, refund %q, %s", got.Outcome, got.Refund, got.Reason)
		}
		b.refunded(charge, 0, 0)
	}},
	{"an invalid refund claims nothing", func(t *testing.T, b *bench) {
		charge := b.paid(5000)
		for param, req := range map[string]ledger.RefundRequest{
			"amount": refundOf(charge, "r", -1), "charge": refundOf("", "r", 1),
			"reason":   refundOf(charge, "r", 1, func(r *ledger.RefundRequest) { r.Reason = strings.Repeat("x", ledger.MaxReason+1) }),
			"metadata": refundOf(charge, "r", 1, func(r *ledger.RefundRequest) { r.Metadata = map[string]string{"": ""} }),
		} {
			var invalid *ledger.InvalidError
			if got := b.refund(req); !errors.As(got.err, &invalid) || invalid.Param != param {
				t.Errorf("%s: %v", param, got.err)
			}
		}
		b.mustRefund(refundOf(charge, "r", 1), idem.Started, 201)
	}},
	{"a refund tells of itself and of its charge, as often as money goes back", func(t *testing.T, b *bench) {
		charge := b.paid(100)
		for i := range 2 {
			b.mustRefund(refundOf(charge, fmt.Sprint("r", i), 50), idem.Started, 201)
		}
		b.mustRefund(refundOf(charge, "more", 1), idem.Started, 400)
		events := b.events("shop")
		if len(events) != 5 { // the payment's, and two of each refund
			t.Fatalf("events %+v", events)
		}
		for i, key := range []string{"r0", "r1"} {
			itself, charged := events[1+2*i], events[2+2*i]
			if itself.Type != ledger.RefundCreated || charged.Type != ledger.ChargeRefunded || charged.Object != charge {
				t.Errorf("%s tells %+v, %+v", key, itself, charged)
			}
			if itself.Key != key || charged.Key != key || itself.ID == charged.ID || charged.Seq != itself.Seq+1 {
				t.Errorf("%s tells %+v, %+v", key, itself, charged)
			}
		}
	}},
	{"refunds are listed newest first, for their owner and for their charge", refundPages},
	{"the owner's totals and balance follow", func(t *testing.T, b *bench) {
		charge := b.paid(100)
		b.paid(1000)
		b.mustRefund(refundOf(charge, "r", 30), idem.Started, 201)
		b.view(func(r ledger.Reader) error {
			o, err := r.Owner("shop")
			if err != nil || o.Charged["eur"] != 1070 || o.Refunded["eur"] != 30 || o.Succeeded != 2 {
				t.Errorf("the totals are %+v, %v", o, err)
			}
			balance, err := r.Balance(ledger.OwnerAccount("shop"))
			same(t, map[string]int64{"eur": -1070}, balance)
			if err != nil {
				return err
			}
			nobody, err := r.Balance(ledger.OwnerAccount("sho")) // a name that begins like the other
			same(t, map[string]int64{}, nobody)
			return err
		})
	}},
}

func refundPages(t *testing.T, b *bench) {
	one, other := b.paid(100), b.paid(100)
	var all, ofOne []string
	for i := range 5 {
		id := b.mustRefund(refundOf(one, fmt.Sprint("a", i), 1), idem.Started, 201).Refund
		next := b.mustRefund(refundOf(other, fmt.Sprint("b", i), 1), idem.Started, 201).Refund
		all, ofOne = append([]string{next, id}, all...), append([]string{id}, ofOne...)
	}
	ids := func(refunds []ledger.Refund) (ids []string) {
		for _, r := range refunds {
			ids = append(ids, r.ID)
		}
		return ids
	}
	b.view(func(r ledger.Reader) error {
		got, more, err := r.Refunds("shop", ledger.Page{Limit: 4, After: all[0]})
		if err != nil || !more {
			t.Errorf("more %v, %v", more, err)
		}
		same(t, all[1:5], ids(got))
		got, more, err = r.RefundsOf(one, ledger.Page{Limit: 4, Before: ofOne[4]})
		if err != nil || more {
			t.Errorf("more %v, %v", more, err)
		}
		same(t, ofOne[:4], ids(got))
		if _, _, err := r.RefundsOf(one, ledger.Page{After: all[0]}); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("a page of one charge at a refund of another: %v", err)
		}
		if _, _, err := r.Refunds("anna", ledger.Page{After: all[0]}); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("a page of one owner at a refund of another: %v", err)
		}
		return nil
	})
}
