package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"chargeonce/ledger"
	"chargeonce/retrypolicy"
	"chargeonce/web/control"
)

// The provider protocol's words.
const (
	operationCaptured = "captured"
	operationRefunded = "refunded"
	operationDeclined = "declined"
	providerKeyReused = "idempotency_key_reused"
)

// operation is what the provider says of a key.
type operation struct {
	ID          string `json:"id"`
	Status      string `json:"status"`
	Amount      int64  `json:"amount"`
	Currency    string `json:"currency"`
	Reference   string `json:"reference"`
	Capture     string `json:"capture"` // of a refund: what it gives back
	DeclineCode string `json:"decline_code"`
}

// readOperation reports whether body is a definite operation. Only what is
// wholly understood is believed; all else leaves the outcome unknown.
func readOperation(body []byte) (operation, bool) {
	var said operation
	if json.Unmarshal(body, &said) != nil {
		return operation{}, false
	}
	moved := said.Status == operationCaptured || said.Status == operationRefunded
	return said, moved && said.ID != "" || said.Status == operationDeclined
}

// isOf reports whether the operation came to what was asked for or was
// declined, and whether the answer's status says the same.
func (o operation) isOf(asked string, status int) bool {
	if status == http.StatusPaymentRequired {
		return o.Status == operationDeclined
	}
	return o.Status == asked
}

// differs reports whether the operation is another than the one ordered.
func (o operation) differs(order ledger.Capture) bool {
	return o.Amount != order.Amount || o.Currency != order.Currency || o.Reference != order.Reference
}

// definite is what a capture and a refund alike came to.
func (o operation) definite() ledger.Captured {
	if o.Status == operationDeclined {
		return ledger.Captured{Declined: true, DeclineCode: o.DeclineCode}
	}
	return ledger.Captured{ID: o.ID}
}

// ProviderError is a call of the card provider that gave no definite answer.
// It is [ledger.ErrOutcomeUnknown] or [ledger.ErrProviderRefused] and unwraps
// to its cause.
type ProviderError struct {
	Refused bool   // the provider will never accept this call: our bug
	Status  int    // of its answer; 0: there was none
	Reason  string // for people, a few words without data of the request
	Err     error
}

// Error implements error.
func (e *ProviderError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("card provider: %s: %v", e.Reason, e.Err)
	}
	return "card provider: " + e.Reason
}

// Is tells an unknown outcome from a refusal.
func (e *ProviderError) Is(target error) bool {
	return e.Refused && target == ledger.ErrProviderRefused || !e.Refused && target == ledger.ErrOutcomeUnknown
}

// Unwrap returns the cause.
func (e *ProviderError) Unwrap() error { return e.Err }

func unknown(reason string, cause error) error {
	return &ProviderError{Reason: reason, Err: cause}
}

// refusedOrUnknown judges an answer that is neither captured nor declined. A
// 409 is a refusal only if it says that the key belongs to another capture;
// else an earlier call is still at work. 408 and 429 ask to come again, and so
// does what is not an answer of the protocol at all. Any other 4xx says that
// the call itself is wrong.
func refusedOrUnknown(answer *retrypolicy.Response) error {
	status := answer.Status
	refused := status >= 400 && status < 500
	switch status {
	case http.StatusConflict:
		var said struct {
			Code string `json:"code"`
		}
		refused = json.Unmarshal(answer.Body, &said) == nil && said.Code == providerKeyReused
	case http.StatusRequestTimeout, http.StatusTooManyRequests:
		refused = false
	}
	return &ProviderError{Refused: refused, Status: status, Reason: fmt.Sprintf("it answered %d", status)}
}

// whyNoAnswer puts the end of a call into a few words.
func whyNoAnswer(err error) string {
	var exceeded *retrypolicy.ExceededError
	var tooLong *retrypolicy.WaitTooLongError
	switch {
	case errors.Is(err, retrypolicy.ErrAttemptTimeout):
		return "it did not answer in time"
	case errors.Is(err, errMoved):
		return "it redirects, and is not followed"
	case errors.As(err, &tooLong):
		return "it asks for a longer pause than we may take"
	case errors.As(err, &exceeded) && exceeded.Response != nil && exceeded.Err == nil:
		return fmt.Sprintf("it answered %d to the last attempt", exceeded.Response.Status)
	}
	return "the connection failed"
}

// reasonOf is what an event says of an error: words of ours only.
func reasonOf(err error) string {
	var failed *ProviderError
	switch {
	case errors.As(err, &failed):
		return failed.Reason
	case errors.Is(err, ledger.ErrClaimLost):
		return "the claim was lost, so it may not be asked"
	}
	return "the outcome is unknown"
}

// hooks tell what the policy does between the attempts.
func (p *provider) hooks() retrypolicy.Hooks {
	if p.trace == nil {
		return retrypolicy.Hooks{}
	}
	return retrypolicy.Hooks{
		Ended: func(ctx context.Context, end retrypolicy.Ended) {
			if end.Verdict != retrypolicy.Retry {
				return // the ledger tells of definite answers
			}
			p.tell(ctx, control.KindProvider, end.Attempt, end.Elapsed.Milliseconds(), end.Reason,
				fmt.Sprintf("Attempt %d of %d at the card provider: %s.", end.Number, end.Of, end.Reason))
		},
		Wait: func(ctx context.Context, wait retrypolicy.Wait) {
			next := retrypolicy.Attempt{Number: wait.Next, Of: wait.Of}
			p.tell(ctx, control.KindWait, next, wait.Delay.Milliseconds(), wait.Reason,
				fmt.Sprintf("The API waits %d ms before attempt %d of %d at the card provider.", wait.Delay.Milliseconds(), wait.Next, wait.Of))
		},
	}
}

func (p *provider) tell(ctx context.Context, kind control.Kind, attempt retrypolicy.Attempt, ms int64, reason, text string) {
	event := callFrom(ctx).event(kind, text)
	event.Attempt, event.Of, event.Ms, event.Reason = attempt.Number, attempt.Of, ms, reason
	event.ProviderKey = attempt.Key
	p.trace(event)
}
