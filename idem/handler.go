package idem

import (
	"fmt"
	"net/http"
	"time"
)

// DefaultMaxBody bounds the body of a keyed request, in bytes. It is held in
// memory, because it is hashed before anything runs.
const DefaultMaxBody = 64 << 10

// OwnerOf names who asks, from the credential of a request. It is called once
// a request, before the key is looked at; an error is answered 401.
type OwnerOf func(*http.Request) (owner string, err error)

// ParamsOf reads the parameters of a request for its fingerprint. It is called
// once a request, before the claim; an error is answered 400 and its text goes
// to the client.
type ParamsOf func(r *http.Request, body []byte) (Params, error)

// Handler puts idempotency keys in front of another handler. POST and PATCH
// need a key; PUT and DELETE, idempotent by themselves (RFC 9110, section
// 9.2.2), may carry one; other methods pass by.
//
// It claims the key, runs Next, stores the answer, then sends it. Answers of
// 500 and above, and 408, 425 and 429, say "not now": they are sent but not
// stored, and the key is released. So it is after a panic, which goes on up. A
// busy key is answered 409 at once; nobody waits.
//
// # What it cannot promise
//
// The claim and the answer are two transactions, with Next between them. If
// the process dies there, the key is resumed: Next runs again, from its start.
// Whatever Next did on its own is then done twice. Two ways out, and Next must
// take one for each of its effects:
//
//   - What is in the same store goes into the transaction that stores the
//     answer: [Attempt.OnFinish].
//   - What is elsewhere is called under a key of its own, the same in each
//     attempt: Record.Resource of the [Attempt] is made for that. The far end
//     must honour it.
//
// There is no heartbeat. The context of Next ends at half the lease; a Next
// that works on regardless may meet its own successor, and then loses its
// answer to the fence, but not its effects.
//
// The context of Next does not end with the client's connection, and its
// answer is held back whole: no streaming, no compression inside (put it
// outside), at most [MaxAnswer] bytes. From a larger one the body is left out,
// the first time like any other, because not to store it would run Next again.
//
// A Handler is safe for concurrent use if its parts are; it must not be
// changed after its first request.
type Handler struct {
	Store Store        // required
	Owner OwnerOf      // required
	Next  http.Handler // required

	Terms   Terms      // the lease bounds one run of Next, see above
	Now     func() Now // nil: the clock of the machine
	Params  ParamsOf   // nil: the body counts as it was sent, byte by byte
	MaxBody int64      // bytes; 0: [DefaultMaxBody]
	// Failed is told what went wrong with the store; nil: nobody is. It is
	// called outside transactions.
	Failed func(*http.Request, error)
}

// ServeHTTP answers one request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !keyed(r) {
		h.Next.ServeHTTP(w, r)
		return
	}
	claim, body, refusal := h.read(w, r)
	if refusal != nil {
		refusal.send(w)
		return
	}
	var decision Decision
	err := h.Store.Update(r.Context(), func(tx Tx) (err error) {
		decision, err = Begin(tx, claim, h.now(), h.Terms)
		return err
	})
	switch {
	case err != nil:
		h.failed(r, fmt.Errorf("claim %v: %w", claim.Key, err))
		problemUnavailable.send(w)
	case decision.Outcome.Holds():
		h.run(w, r, decision, body)
	default:
		decision.tell(w, h.Terms)
	}
}

func (h *Handler) now() Now {
	if h.Now != nil {
		return h.Now()
	}
	return At(time.Now(), 0)
}

func (h *Handler) failed(r *http.Request, err error) {
	if h.Failed != nil {
		h.Failed(r, err)
	}
}
