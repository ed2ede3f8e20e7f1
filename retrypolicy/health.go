package retrypolicy

import "net/http"

// Health is what one attempt says about the server. It is another question
// than whether to repeat: a 402 is final, and says nothing against the server.
type Health int

// What an attempt can say. Neutral is the zero value: what nobody has thought
// of neither opens nor closes a [Breaker].
const (
	// Neutral: nothing, or nothing about the server.
	Neutral Health = iota
	// Healthy: it answered as it should.
	Healthy
	// Failing: it did not answer, or said itself that it is broken.
	Failing
)

// String returns "neutral", "healthy" or "failing".
func (h Health) String() string {
	switch h {
	case Healthy:
		return "healthy"
	case Failing:
		return "failing"
	}
	return "neutral"
}

// Assess says what an attempt's result means for a [Breaker]. It is pure.
//
//   - 5xx, timeout, reset, refused connection and the like: failing.
//   - answers below 400: healthy.
//   - 4xx: neutral. They are about the request, and one caller's mistakes must
//     not shut all the others out; nor may a flood of quick 404s hide that
//     everything else is failing.
//   - 429: neutral as well, a choice. The server is alive and says when to come
//     back, which [Client] obeys; that wait, and the [Budget], are what relieve
//     it. To open would turn the limit of one credential into an outage for all.
//   - the caller's own cancellation or deadline, and what would be the same
//     again on a healthy server (certificate, unknown host, redirect, size):
//     neutral.
func Assess(r Result) Health {
	switch {
	case r.Canceled:
		return Neutral
	case r.Status >= http.StatusInternalServerError:
		return Failing
	case r.Err != nil && hopeless(r.Err) != "":
		return Neutral
	case r.Err != nil:
		return Failing
	case r.Status >= http.StatusBadRequest, r.Status == 0:
		return Neutral
	}
	return Healthy
}
