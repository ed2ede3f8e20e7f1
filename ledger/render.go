package ledger

import (
	"encoding/json"
	"net/http"

	"chargeonce/idem"
)

// The renderings here serve whoever imports the package without an API of
// their own.

// withRenderings fills in those that were left nil.
func (o Options) withRenderings() Options {
	if o.Render == nil {
		o.Render = renderJSON
	}
	if o.RenderRefund == nil {
		o.RenderRefund = renderRefundJSON
	}
	if o.RenderIntent == nil {
		o.RenderIntent = renderIntentJSON
	}
	if o.RenderUnconfirmed == nil {
		o.RenderUnconfirmed = func(refused *IntentError) idem.Answer { return refusalJSON(refused) }
	}
	if o.RenderCart == nil {
		o.RenderCart = renderCartJSON
	}
	if o.RenderEndpoint == nil {
		o.RenderEndpoint = renderEndpointJSON
	}
	if o.RenderChange == nil {
		o.RenderChange = func(e Endpoint) idem.Answer { return jsonAnswer(http.StatusOK, e) }
	}
	if o.RenderRemoval == nil {
		o.RenderRemoval = func(e Endpoint) idem.Answer {
			return jsonAnswer(http.StatusOK, struct {
				ID      string `json:"id"`
				Deleted bool   `json:"deleted"`
			}{e.ID, true})
		}
	}
	return o
}

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
