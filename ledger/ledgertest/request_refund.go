package ledgertest

import (
	"context"
	"fmt"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// refundOf is a request to give back an amount of a charge; change makes it
// another.
func refundOf(charge, key string, amount int64, change ...func(*ledger.RefundRequest)) ledger.RefundRequest {
	req := ledger.RefundRequest{
		Key: idem.Key{Owner: "shop", Value: key}, Operation: "POST /v1/refunds", Request: "req_" + key,
		Charge: charge, Amount: amount,
	}
	for _, c := range change {
		c(&req)
	}
	req.Fingerprint = idem.NewFingerprint("POST", "/v1/refunds", nil, idem.Params{
		"charge": req.Charge, "amount": fmt.Sprint(req.Amount),
	})
	return req
}

// intent is a request for a payment intent of €50.00.
func intent(key string, confirm bool, change ...func(*ledger.ChargeRequest)) ledger.IntentRequest {
	req := ledger.IntentRequest{ChargeRequest: request(key, change...), Confirm: confirm}
	req.Operation = "POST /v1/payment_intents"
	req.Fingerprint = idem.NewFingerprint("POST", "/v1/payment_intents", nil, idem.Params{
		"amount": fmt.Sprint(req.Amount), "confirm": confirm,
	})
	return req
}

func (b *bench) refund(req ledger.RefundRequest) answer {
	result, err := b.ledger.Refund(context.Background(), req)
	return answer{result, err}
}

// mustRefund calls and insists on the outcome and on a stored answer of this
// status.
func (b *bench) mustRefund(req ledger.RefundRequest, outcome idem.Outcome, status int) answer {
	b.t.Helper()
	return b.check(b.refund(req), outcome, status)
}

// startRefund calls and does not wait.
func (b *bench) startRefund(req ledger.RefundRequest) <-chan answer {
	done := make(chan answer, 1)
	l := b.ledger
	go func() {
		result, err := l.Refund(context.Background(), req)
		done <- answer{result, err}
	}()
	return done
}

func (b *bench) intent(req ledger.IntentRequest) answer {
	result, err := b.ledger.Intent(context.Background(), req)
	return answer{result, err}
}

// paid is a succeeded charge of this amount.
func (b *bench) paid(minor int64) (charge string) {
	b.t.Helper()
	return b.must(request(fmt.Sprintf("paid%d", b.count()), amount(minor)), idem.Started, 201).Charge
}

// count tells the charges of one test apart.
func (b *bench) count() int {
	b.payments++
	return b.payments
}

// chargeNow reads a charge as it stands.
func (b *bench) chargeNow(id string) (c ledger.Charge) {
	b.t.Helper()
	b.view(func(r ledger.Reader) error {
		found, ok, err := r.Charge(id)
		if err == nil && !ok {
			err = fmt.Errorf("no charge %s", id)
		}
		c = found
		return err
	})
	return c
}

// refundNow reads a refund as it stands.
func (b *bench) refundNow(id string) (refund ledger.Refund) {
	b.t.Helper()
	b.view(func(r ledger.Reader) error {
		found, ok, err := r.Refund(id)
		if err == nil && !ok {
			err = fmt.Errorf("no refund %s", id)
		}
		refund = found
		return err
	})
	return refund
}

// refunded insists on the sums of a charge.
func (b *bench) refunded(charge string, given, reserved int64) {
	b.t.Helper()
	if c := b.chargeNow(charge); c.AmountRefunded != given || c.RefundReserved != reserved {
		b.t.Errorf("refunded %d and set aside %d, want %d and %d", c.AmountRefunded, c.RefundReserved, given, reserved)
	}
}
