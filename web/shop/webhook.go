package shop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxWebhook bounds the body of a delivery in bytes; ours have about one
// thousand.
const maxWebhook = 256 << 10

// Delivery is what came of one webhook request, for [Hooks.Delivered].
type Delivery struct {
	Receipt Receipt
	Type    string // charge.succeeded, …
	Again   bool   // the event had taken effect before: nothing was done
	Err     error  // it was not acknowledged, and will come again
}

// event is the part of a webhook's body that the shop reads.
type event struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Account string `json:"account"` // whose charge it is
	Data    struct {
		Object struct {
			ID       string            `json:"id"`
			Amount   int64             `json:"amount"`
			Currency string            `json:"currency"`
			Metadata map[string]string `json:"metadata"`
		} `json:"object"`
	} `json:"data"`
}

// Webhooks receives deliveries that are signed with secret. Delivery is at
// least once, so a message may come again, late, or twice at the same time:
// each event takes effect once all the same. A message that is understood is
// acknowledged with 200 whether it did something or not; one that could not be
// applied gets 500 and will be redelivered; one that is not signed, 400.
func (s *Shop) Webhooks(secret string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxWebhook))
		if err != nil {
			http.Error(w, "the delivery could not be read", http.StatusBadRequest)
			return
		}
		delivery := s.deliver(r.Context(), secret, r.Header, body)
		s.options.Hooks.delivered(delivery)
		switch {
		case delivery.Err == nil:
			w.WriteHeader(http.StatusOK)
		case errors.Is(delivery.Err, ErrSignature), errors.Is(delivery.Err, errNoEvent):
			http.Error(w, "this is no delivery for us", http.StatusBadRequest)
		default:
			http.Error(w, "the event could not be applied; deliver it again", http.StatusInternalServerError)
		}
	})
}

// deliver checks a message and applies what it causes. The effect does not end
// with the request: a sender that stops waiting would only deliver again what
// has been rolled back.
func (s *Shop) deliver(ctx context.Context, secret string, header http.Header, body []byte) (d Delivery) {
	if d.Err = VerifySignature(secret, header, body, s.options.Now()); d.Err != nil {
		return d
	}
	var e event
	if err := json.Unmarshal(body, &e); err != nil || e.ID == "" || e.Type == "" {
		d.Err = errNoEvent
		return d
	}
	d.Type = e.Type
	d.Receipt = Receipt{
		Event: e.ID, Owner: e.Account, Charge: e.Data.Object.ID, Order: e.Data.Object.Metadata["order"],
		Amount: e.Data.Object.Amount, Currency: e.Data.Object.Currency, At: s.options.Now().UTC(),
	}
	if e.Type != "charge.succeeded" {
		return d // known to be none of our business: acknowledged
	}
	done, err := s.journal.apply(context.WithoutCancel(ctx), d.Receipt, s.options.Remember, s.options.Effect)
	if err != nil {
		d.Err = fmt.Errorf("charge %s: %w", d.Receipt.Charge, err)
		return d
	}
	d.Again = !done
	return d
}
