package provider

import (
	"context"
	"errors"
	"net/http"

	"chargeonce/idem"
)

// decoder reads and checks the request of one operation.
type decoder func(account string, w http.ResponseWriter, r *http.Request) (order, error)

// Handler serves the protocol (see the package's doc). It may be called more
// than once; all handlers serve the same book.
func (p *Provider) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /captures", p.operate(decodeCapture))
	mux.HandleFunc("POST /refunds", p.operate(decodeRefund))
	mux.HandleFunc("GET /operations", p.lookUp)
	return mux
}

// operate serves a request that may move money: receive it in full, wait as
// long as this provider takes, decide in one transaction, then answer. From
// the moment it was received, the client's hanging up changes nothing.
func (p *Provider) operate(read decoder) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		arrived := p.now()
		leave, err := p.enter()
		if err != nil {
			p.refuse(w, err)
			return
		}
		defer leave()
		o, err := read(p.account, w, r)
		if err != nil {
			p.refuse(w, err)
			return
		}
		if !p.pause(p.latency, nil) {
			p.refuse(w, ErrClosed)
			return
		}
		v, err := p.settle(context.WithoutCancel(r.Context()), o)
		if err != nil {
			p.refuse(w, err)
			return
		}
		p.hook(seenBy(v, r, p.now().Sub(arrived)))
		if !p.holdBack(o.card.quirk, v.first, r.Context().Done()) {
			panic(http.ErrAbortHandler) // the agreed way to close without a byte
		}
		write(w, v.answer, v.outcome == OutcomeReplay)
	}
}

// holdBack does what the card does to an answer that is already true, and
// reports whether the answer may leave. A client that has gone ends the wait.
func (p *Provider) holdBack(q quirk, first bool, gone <-chan struct{}) bool {
	switch {
	case q == quirkSlow:
		return p.pause(SlowAnswer, gone)
	case q == quirkSilent && first:
		p.pause(MaxSilence, gone)
		return false
	default:
		return true
	}
}

// lookUp serves GET /operations?key=: what was decided under a key. It decides
// nothing itself and counts as no request.
func (p *Provider) lookUp(w http.ResponseWriter, r *http.Request) {
	leave, err := p.enter()
	if err != nil {
		p.refuse(w, err)
		return
	}
	defer leave()
	key, err := idem.ParseKey(p.account, r.URL.Query()["key"])
	if err != nil {
		p.refuse(w, invalid("the parameter key is not one idempotency key"))
		return
	}
	if !p.pause(p.latency, nil) {
		p.refuse(w, ErrClosed)
		return
	}
	op, known, err := p.find(context.WithoutCancel(r.Context()), key)
	if err == nil && !known {
		err = errNoOperation
	}
	if err != nil {
		p.refuse(w, err)
		return
	}
	answer, err := jsonAnswer(http.StatusOK, documentOf(op))
	if err != nil {
		p.refuse(w, err)
		return
	}
	write(w, answer, false)
}

// refuse answers where nothing was decided, or where nobody can say.
func (p *Provider) refuse(w http.ResponseWriter, err error) {
	why := (*refusal)(nil)
	if !errors.As(err, &why) {
		p.log("card provider: %v", err)
		why = errUnavailable
	}
	answer, err := why.answer()
	if err != nil {
		panic(http.ErrAbortHandler) // no answer at all is unknown too
	}
	write(w, answer, false)
}

// write sends an answer. A failure to send is the client's to notice: what was
// decided stays decided.
func write(w http.ResponseWriter, answer idem.Answer, replay bool) {
	for name, value := range answer.Header {
		w.Header().Set(name, value)
	}
	w.Header().Set("Cache-Control", "no-store")
	if replay {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	if answer.Status == http.StatusTooManyRequests || answer.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body)
}
