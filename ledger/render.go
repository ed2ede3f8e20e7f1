package ledger

import (
	"encoding/json"
	"net/http"

	"chargeonce/idem"
)

// The renderings here serve whoever imports the package without an API of
// their own.

func renderJSON(c Charge) idem.Answer { return jsonAnswer(statusOf(c.Status), c) }

func renderRefundJSON(r Refund, _ Charge, refused error) idem.Answer {
	if refused != nil {
		return refusalJSON(refused)
	}
	return jsonAnswer(statusOf(r.Status), r)
}

func renderIntentJSON(i Intent, c Charge) idem.Answer {
	return jsonAnswer(statusOf(c.Status), struct {
		Intent
		Status IntentStatus `json:"status"`
	}{i, i.Status(c)})
}

func renderCartJSON(c Cart, refused error) idem.Answer {
	if refused != nil {
		return refusalJSON(refused)
	}
	return jsonAnswer(http.StatusOK, c)
}

func renderEndpointJSON(e Endpoint, refused error) idem.Answer {
	if refused != nil {
		return refusalJSON(refused)
	}
	return jsonAnswer(http.StatusCreated, e)
}

func refusalJSON(refused error) idem.Answer {
	return jsonAnswer(http.StatusBadRequest, map[string]string{"error": refused.Error()})
}

// statusOf is the HTTP status of a definite answer: a decline is one.
func statusOf(s Status) int {
	if s == Failed {
		return http.StatusPaymentRequired
	}
	return http.StatusCreated
}

// jsonAnswer cannot fail to encode: what it is given is strings, numbers and
// times of this era.
func jsonAnswer(status int, value any) idem.Answer {
	body, _ := json.Marshal(value)
	return idem.Answer{Status: status, Header: map[string]string{"Content-Type": "application/json"}, Body: body}
}
