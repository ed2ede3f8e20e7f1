package provider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"chargeonce/idem"
)

// The statuses of an [Operation]. None is ever left: the provider's word is
// final.
const (
	StatusCaptured = "captured" // the card was charged
	StatusDeclined = "declined" // a definite no; no money moved
	StatusRefunded = "refunded" // money of an earlier capture went back
)

// The outcomes of a request, as [Operation].Outcome.
const (
	OutcomeCaptured    = "captured"    // this request charged the card
	OutcomeDeclined    = "declined"    // this request was refused for good
	OutcomeRefunded    = "refunded"    // this request gave money back
	OutcomeReplay      = "replay"      // the answer of an earlier request went out again
	OutcomeConflict    = "conflict"    // the key belongs to another request
	OutcomeUnavailable = "unavailable" // an outage: 503 and nothing was captured
)

// Operation is a line of the provider's book: what was decided, once, under a
// key. The hook [Options.Seen] gets it together with the request that asked.
type Operation struct {
	Key         string    `json:"key"`
	Reference   string    `json:"reference"` // OWNER/CHARGE_ID
	Amount      int64     `json:"amount"`    // minor units; what was asked, also where it was declined
	Currency    string    `json:"currency"`  // lower case
	Status      string    `json:"status"`    // captured, declined, refunded; empty: nothing decided yet
	Seen        int       `json:"seen"`      // requests that arrived with this key, stored durably: replays and conflicts included, look-ups not
	ID          string    `json:"id"`
	DeclineCode string    `json:"decline_code,omitempty"`
	Capture     string    `json:"capture,omitempty"`  // of a refund: the capture that it gives back
	Refunded    int64     `json:"refunded,omitempty"` // of a capture: minor units given back so far
	At          time.Time `json:"at,omitzero"`        // when it was decided

	// Of the request that asked; set for the hook only and not in the book.
	Outcome    string        `json:"-"`
	HTTPStatus int           `json:"-"` // the answer's; a silent card's answer never leaves
	Trace      string        `json:"-"` // header Chargeonce-Trace, as sent
	Elapsed    time.Duration `json:"-"` // from the request's arrival to the decision
}

// document is what a caller is told of an operation, by the first answer and
// by every look-up alike.
type document struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	Amount      int64  `json:"amount"`
	Currency    string `json:"currency"`
	Reference   string `json:"reference"`
	Capture     string `json:"capture,omitempty"`
	DeclineCode string `json:"decline_code,omitempty"`
}

// problem is the body of a refusal.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// render is the stored answer of a decided operation.
func render(op Operation) (idem.Answer, error) {
	status := http.StatusCreated
	if op.Status == StatusDeclined {
		status = http.StatusPaymentRequired
	}
	return jsonAnswer(status, documentOf(op))
}

func documentOf(op Operation) document {
	return document{op.ID, op.Status, op.Amount, op.Currency, op.Reference, op.Capture, op.DeclineCode}
}

// answer is the refusal as it goes out.
func (r *refusal) answer() (idem.Answer, error) {
	return jsonAnswer(r.status, problem{r.code, r.message})
}

func jsonAnswer(status int, body any) (idem.Answer, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return idem.Answer{}, fmt.Errorf("render answer: %w", err)
	}
	return idem.Answer{
		Status: status,
		Header: map[string]string{"Content-Type": "application/json"},
		Body:   append(text, '\n'),
	}, nil
}
