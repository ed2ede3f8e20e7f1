package ledger

import (
	"errors"
	"strings"
	"testing"
)

func TestTheDefaultAnswersSayWhatBecameOfIt(t *testing.T) {
	paid, failed := Charge{ID: "ch_1", Status: Succeeded}, Charge{ID: "ch_1", Status: Failed}
	refused := &RefusedError{Err: ErrRefundTooLarge, Charge: "ch_1", Left: 60, Currency: "eur"}
	intent := Intent{ID: "pi_1", Charge: "ch_1", Card: "tok_visa"}
	for name, test := range map[string]struct {
		got    func(Options) (status int, body []byte)
		status int
		says   string
	}{
		"charge":             {answerOf(Work{Charge: paid}), 201, `"id":"ch_1"`},
		"declined":           {answerOf(Work{Charge: failed}), 402, `"status":"failed"`},
		"refund":             {answerOf(Work{Charge: paid, Refund: Refund{ID: "re_1", Status: Succeeded}}), 201, `"id":"re_1"`},
		"declined refund":    {answerOf(Work{Charge: paid, Refund: Refund{ID: "re_1", Status: Failed}}), 402, `"status":"failed"`},
		"intent":             {answerOf(Work{Charge: paid, Intent: intent}), 201, `"status":"succeeded"`},
		"declined intent":    {answerOf(Work{Charge: failed, Intent: intent}), 402, `"status":"requires_payment_method"`},
		"an intent's refund": {answerOf(Work{Charge: paid, Intent: intent, Refund: Refund{ID: "re_1", Status: Succeeded}}), 201, `"id":"re_1"`},
		"refused": {func(o Options) (int, []byte) {
			a := o.RenderRefund(Refund{}, paid, refused)
			return a.Status, a.Body
		}, 400, "60 eur are left"},
		"waiting": {func(o Options) (int, []byte) {
			a := o.RenderIntent(Intent{ID: "pi_2", Card: "tok_visa"}, Charge{})
			return a.Status, a.Body
		}, 201, `"status":"requires_confirmation"`},
	} {
		status, body := test.got(Options{}.withDefaults())
		if status != test.status || !strings.Contains(string(body), test.says) {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

func answerOf(w Work) func(Options) (int, []byte) {
	return func(o Options) (int, []byte) {
		a := o.render(w)
		return a.Status, a.Body
	}
}

func TestARefusalNamesItsReason(t *testing.T) {
	err := error(&RefusedError{Err: ErrNotRefundable, Charge: "ch_1"})
	if !errors.Is(err, ErrNotRefundable) || errors.Is(err, ErrRefundTooLarge) || !strings.Contains(err.Error(), "ch_1") {
		t.Errorf("got %v", err)
	}
}

func TestAReservationNeverGoesBeyondTheCharge(t *testing.T) {
	base := Charge{ID: "ch_1", Status: Succeeded, Amount: 100, Currency: "eur", AmountRefunded: 30, RefundReserved: 20}
	for _, test := range []struct {
		change func(*Charge)
		amount int64
		want   int64 // set aside then
		err    error
		left   int64
	}{
		{nil, 50, 70, nil, 0},
		{nil, 1, 21, nil, 0},
		{nil, 0, 70, nil, 0},
		{nil, 51, 0, ErrRefundTooLarge, 50},
		{func(c *Charge) { c.AmountRefunded = 80 }, 1, 0, ErrRefundTooLarge, 0},
		{func(c *Charge) { c.AmountRefunded = 80 }, 0, 0, ErrRefundTooLarge, 0},
		{func(c *Charge) { c.Status, c.AmountRefunded, c.RefundReserved = Failed, 0, 0 }, 1, 0, ErrNotRefundable, 0},
	} {
		c := base
		if test.change != nil {
			test.change(&c)
		}
		got, err := c.reserve(test.amount)
		var refused *RefusedError
		if !errors.Is(err, test.err) || got.RefundReserved != test.want {
			t.Errorf("%d of %+v: set aside %d, %v", test.amount, c, got.RefundReserved, err)
		} else if errors.As(err, &refused) && (refused.Left != test.left || refused.Charge != "ch_1") {
			t.Errorf("%d of %+v: %v", test.amount, c, err)
		}
	}
}

func TestWorkKnowsWhoseItIs(t *testing.T) {
	charge := Charge{ID: "ch_1", Owner: "shop", Key: "k", Request: "req_1", Amount: 100, Currency: "eur", Status: Succeeded}
	refund := Refund{ID: "re_1", Owner: "shop", Key: "r", Request: "req_2", Amount: 40, Status: Pending}
	intent := Intent{ID: "pi_1", Owner: "shop", Key: "i", Request: "req_3", Amount: 70, Currency: "jpy"}
	for _, test := range []struct {
		work                       Work
		id, key, request, provider string
		amount                     int64
		currency                   string
		status                     Status
	}{
		{Work{Charge: charge}, "ch_1", "k", "req_1", "cap_ch_1", 100, "eur", Succeeded},
		{Work{Charge: charge, Refund: refund}, "re_1", "r", "req_2", "ref_re_1", 40, "eur", Pending},
		{Work{Charge: charge, Intent: intent}, "ch_1", "k", "req_1", "cap_ch_1", 100, "eur", Succeeded},
		{Work{Intent: intent}, "pi_1", "i", "req_3", "", 70, "jpy", ""},
	} {
		w := test.work
		if w.ID() != test.id || w.Key().Value != test.key || w.Key().Owner != "shop" || w.Request() != test.request ||
			w.ProviderKey() != test.provider || w.Amount() != test.amount || w.Currency() != test.currency || w.Status() != test.status {
			t.Errorf("%+v says %s %v %s %s %d %s %s", test, w.ID(), w.Key(), w.Request(), w.ProviderKey(), w.Amount(), w.Currency(), w.Status())
		}
	}
}
