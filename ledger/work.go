package ledger

import (
	"cmp"

	"chargeonce/idem"
)

// Work is what one idempotency key stands for while the card provider is
// asked: a charge, whether or not a payment intent made it, or a refund of one.
// Both go through the same two commits with the call between them; what differs
// is in this file and in the one that each has for itself.
type Work struct {
	Charge Charge // the charge; of a refund, the one that it gives back from
	Refund Refund // zero: the work is the charge
	Intent Intent // zero: no intent made the charge
}

// IsRefund reports whether money goes back.
func (w Work) IsRefund() bool { return w.Refund.ID != "" }

// ID is that of the refund, else of the charge, else of the intent that waits.
func (w Work) ID() string { return cmp.Or(w.Refund.ID, w.Charge.ID, w.Intent.ID) }

// Key is the idempotency key that made it.
func (w Work) Key() idem.Key {
	if w.IsRefund() {
		return idem.Key{Owner: w.Refund.Owner, Value: w.Refund.Key}
	}
	return idem.Key{Owner: cmp.Or(w.Charge.Owner, w.Intent.Owner), Value: cmp.Or(w.Charge.Key, w.Intent.Key)}
}

// Request is the id of the request that made it.
func (w Work) Request() string {
	if w.IsRefund() {
		return w.Refund.Request
	}
	return cmp.Or(w.Charge.Request, w.Intent.Request)
}

// Version is that of the API which this request spoke; empty: it did not say, or
// the row is of an older version of this program.
func (w Work) Version() string {
	if w.IsRefund() {
		return w.Refund.Version
	}
	return w.Charge.Version
}

// Amount is what it moves, in minor units of [Work.Currency].
func (w Work) Amount() int64 {
	if w.IsRefund() {
		return w.Refund.Amount
	}
	return cmp.Or(w.Charge.Amount, w.Intent.Amount)
}

// Currency is ISO 4217, lower case.
func (w Work) Currency() string { return cmp.Or(w.Charge.Currency, w.Intent.Currency) }

// Status is where it stands.
func (w Work) Status() Status {
	if w.IsRefund() {
		return w.Refund.Status
	}
	return w.Charge.Status
}

// ProviderKey is the idempotency key under which the provider hears of it;
// empty where there is nothing to ask.
func (w Work) ProviderKey() string {
	switch {
	case w.IsRefund():
		return w.Refund.ProviderKey()
	case w.Charge.ID != "":
		return w.Charge.ProviderKey()
	}
	return ""
}

// settledBy is the work after the provider's definite answer.
func (w Work) settledBy(answer Captured) Work {
	if w.IsRefund() {
		w.Refund = w.Refund.settledBy(answer)
		return w
	}
	w.Charge = w.Charge.settledBy(answer)
	return w
}

// render makes the answer that is stored with the settled work.
func (o Options) render(w Work) idem.Answer {
	switch {
	case w.IsRefund():
		return o.RenderRefund(w.Refund, w.Charge, nil)
	case w.Intent.ID != "":
		return o.RenderIntent(w.Intent, w.Charge)
	}
	return o.Render(w.Charge)
}
