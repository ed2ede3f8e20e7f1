package ledgertest

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// keyRules: what one key means, one request after the other.
var keyRules = []rule{
	{"a fresh charge is two commits and one provider call", func(t *testing.T, b *bench) {
		first := b.must(request("k"), idem.Started, 201)
		if b.log.count("committed") != 2 || len(b.provider.Calls()) != 1 {
			t.Errorf("%d commits, calls %v", b.log.count("committed"), b.provider.Calls())
		}
		c := b.books("shop").Charges[0]
		want := ledger.Capture{Amount: 5000, Currency: "eur", Card: "tok_visa", Reference: "shop/" + c.ID}
		if call := b.provider.Calls()[0]; call.Key != "cap_"+c.ID || call.Order != want {
			t.Errorf("the provider was asked for %+v", call)
		}
		if c.Status != ledger.Succeeded || c.Capture != "pc_cap_"+c.ID || first.Charge != c.ID {
			t.Errorf("the charge is %+v", c)
		}
	}},
	{"record, charge and postings are written by one transaction", func(t *testing.T, b *bench) {
		c := b.must(request("k"), idem.Started, 201).Charge
		for _, part := range []string{" k/shop/", " c/" + c, " p/1", " p/2", " b/owner:shop/eur", " b/provider:receivable/eur", " t/tr_" + c} {
			found := false
			for _, line := range b.log.all("committed 2 k") {
				found = found || strings.Contains(line, part)
			}
			if !found {
				t.Errorf("commit 2 did not write%s: %v", part, b.log.all("committed 2 k"))
			}
		}
	}},
	{"the same key again replays the same bytes and calls nobody", func(t *testing.T, b *bench) {
		first := b.must(request("k"), idem.Started, 201)
		before := b.books("shop")
		again := b.must(request("k"), idem.Replay, 201)
		if !bytes.Equal(first.Record.Answer.Body, again.Record.Answer.Body) || len(first.Record.Answer.Body) == 0 {
			t.Errorf("%q was replayed as %q", first.Record.Answer.Body, again.Record.Answer.Body)
		}
		if again.Record.Answer.Request != "req_k" || again.Charge != first.Charge {
			t.Errorf("the replay is of request %q, charge %q", again.Record.Answer.Request, again.Charge)
		}
		same(t, before, b.books("shop"))
		b.captures(1)
	}},
	{"the same key with another amount conflicts and runs nothing", func(t *testing.T, b *bench) {
		b.must(request("k"), idem.Started, 201)
		before := b.books("shop")
		got := b.charge(request("k", amount(8000)))
		if got.err != nil || got.Outcome != idem.Conflict || got.Charge != "" || got.RetryAfter != 0 {
			t.Errorf("got %v, charge %q, again in %v, error %v", got.Outcome, got.Charge, got.RetryAfter, got.err)
		}
		if !strings.Contains(got.Reason, "amount") {
			t.Errorf("the reason does not name the parameter: %s", got.Reason)
		}
		same(t, before, b.books("shop"))
		b.captures(1)
	}},
	{"conflict comes before busy", func(t *testing.T, b *bench) {
		gate := NewGate()
		defer gate.Open()
		b.provider.Script(Act{Before: gate})
		first := b.start(request("k"))
		b.arrives(gate)
		if got := b.charge(request("k", amount(8000))); got.Outcome != idem.Conflict {
			t.Errorf("got %v, %v", got.Outcome, got.err)
		}
		gate.Open()
		b.check(b.result(first), idem.Started, 201)
	}},
	{"two owners use one key and never meet", func(t *testing.T, b *bench) {
		one := b.must(request("k", owner("anna")), idem.Started, 201)
		two := b.must(request("k", owner("bert"), amount(700)), idem.Started, 201)
		if one.Charge == two.Charge || len(b.books("anna").Charges) != 1 || len(b.books("bert").Charges) != 1 {
			t.Errorf("charges %s and %s", one.Charge, two.Charge)
		}
		b.captures(2)
	}},
	{"an answer past its retention is not run again", func(t *testing.T, b *bench) {
		b.must(request("k"), idem.Started, 201)
		b.clock.AdvanceRetention(idem.DefaultRetain + time.Second)
		if got := b.charge(request("k")); got.err != nil || got.Outcome != idem.ResultExpired || got.Charge == "" {
			t.Errorf("got %v, charge %q, error %v", got.Outcome, got.Charge, got.err)
		}
		b.captures(1)
	}},
	{"an invalid request claims nothing", func(t *testing.T, b *bench) {
		got := b.charge(request("k", amount(0)))
		var invalid *ledger.InvalidError
		if !errors.Is(got.err, ledger.ErrInvalid) || !errors.As(got.err, &invalid) || invalid.Param != "amount" {
			t.Fatalf("got %v", got.err)
		}
		b.view(func(r ledger.Reader) error {
			if _, found, err := r.Record(request("k").Key); found || err != nil {
				t.Errorf("a record: %v, %v", found, err)
			}
			return nil
		})
	}},
	{"the largest legal request is still one commit", func(t *testing.T, b *bench) {
		wide := request("k", func(r *ledger.ChargeRequest) {
			r.Amount, r.Description = ledger.MaxAmount, strings.Repeat("€", ledger.MaxDescription)
			r.Metadata = make(map[string]string)
			for i := range ledger.MaxMetadata {
				name := string(rune('a'+i/26)) + string(rune('a'+i%26))
				r.Metadata[name] = strings.Repeat("€", ledger.MaxMetadataValue)
			}
		})
		b.must(wide, idem.Started, 201)
		if got := b.must(wide, idem.Replay, 201); len(got.Record.Answer.Body) < 50*500*3 {
			t.Errorf("an answer of %d bytes only", len(got.Record.Answer.Body))
		}
	}},
	{"a caller that has gone before the claim leaves no claim", func(t *testing.T, b *bench) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := b.ledger.Charge(ctx, request("k")); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		b.must(request("k"), idem.Started, 201)
	}},
}
