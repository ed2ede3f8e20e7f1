package naive

import (
	"io"
	"net/http"
	"testing"

	"chargeonce/retrypolicy"
	"chargeonce/web/shop"
)

func TestTheTirelessRepeatAllButSuccessAndTheirLastAttempt(t *testing.T) {
	policy := tireless(shop.Options{Policy: retrypolicy.Policy{MaxAttempts: 3}}).Policy
	for _, r := range []retrypolicy.Result{
		{Status: 400}, {Status: 401}, {Status: 404}, {Status: 409}, {Status: 422}, {Status: 500}, {Status: 503}, {Err: io.EOF},
	} {
		r.Method, r.Keyed, r.Attempt = http.MethodPost, true, 2
		if got, why := policy.Classify(r, policy); got != retrypolicy.Retry {
			t.Errorf("%+v: %v since %q", r, got, why)
		}
		r.Attempt = 3
		got, why := policy.Classify(r, policy)
		if want, because := retrypolicy.Classify(r, policy); got != want || why != because {
			t.Errorf("the last attempt, %+v: %v since %q", r, got, why)
		}
	}
	for _, r := range []retrypolicy.Result{{Status: 201, Attempt: 1}, {Err: io.EOF, Canceled: true, Attempt: 1}} {
		if got, why := policy.Classify(r, policy); got != retrypolicy.Stop {
			t.Errorf("%+v: %v since %q", r, got, why)
		}
	}
}
