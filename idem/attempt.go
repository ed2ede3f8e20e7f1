package idem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Attempt is what the handler behind [Handler] may know of its claim. It
// belongs to the goroutine of that handler.
type Attempt struct {
	// Record is the claim. Its Resource is the same in every attempt of one
	// key and in no other's: the key for calls to others.
	Record Record
	// Resumed says that an earlier attempt left off without an answer: it may
	// have done all, some or none of the work. Ask before doing it again.
	Resumed bool

	effects []func(Tx) error
}

type attemptKey struct{}

// AttemptFrom returns the attempt of a request that came through [Handler];
// false for any other context and for requests that pass it by.
func AttemptFrom(ctx context.Context) (*Attempt, bool) {
	attempt, ok := ctx.Value(attemptKey{}).(*Attempt)
	return attempt, ok
}

// OnFinish has effect run in the transaction that stores the answer, so that
// either both are there or neither. It gets the engine's own transaction, as
// the engine's [Store] hands it in, and may run more than once. It does not
// run where the answer is not stored; its error rolls everything back, and the
// client is told that the outcome is unknown.
func (a *Attempt) OnFinish(effect func(Tx) error) {
	a.effects = append(a.effects, effect)
}

func (a *Attempt) apply(tx Tx) error {
	for _, effect := range a.effects {
		if err := effect(tx); err != nil {
			return err
		}
	}
	return nil
}

// run makes one attempt and sends what came of it.
func (h *Handler) run(w http.ResponseWriter, r *http.Request, decision Decision, body []byte) {
	attempt := &Attempt{Record: decision.Record, Resumed: decision.Outcome == Resumed}
	answer := newRecorder(w)
	record, err := h.work(answer, r, attempt, body)
	switch {
	case errors.Is(err, ErrFenced):
		problemInUse.send(w)
	case err != nil:
		h.failed(r, fmt.Errorf("finish %v: %w", attempt.Record.Key, err))
		problemUnknown.send(w)
	default:
		decision.Record = record
		answer.copyHeader(w.Header())
		decision.Mark(w.Header(), h.Terms)
		_ = answer.answer().Send(w) // a client that is gone comes back for it
	}
}

// work runs Next and ends the claim: finished, or released whatever happened.
// It outlives the client, whose hanging up undoes nothing.
func (h *Handler) work(to *recorder, r *http.Request, attempt *Attempt, body []byte) (record Record, err error) {
	ended := false
	defer func() {
		if !ended { // also while a panic goes by
			h.release(r, attempt)
		}
	}()
	h.next(to, r, attempt, body)
	if !to.definite() {
		return attempt.Record, nil
	}
	ctx, cancel := h.detached(r)
	defer cancel()
	err = h.Store.Update(ctx, func(tx Tx) (err error) {
		if record, err = Finish(tx, attempt.Record, to.answer(), h.now()); err != nil {
			return err
		}
		return attempt.apply(tx)
	})
	ended = err == nil || errors.Is(err, ErrFenced)
	return record, err
}

func (h *Handler) next(to *recorder, r *http.Request, attempt *Attempt, body []byte) {
	ctx, cancel := h.detached(r)
	defer cancel()
	r = r.WithContext(context.WithValue(ctx, attemptKey{}, attempt))
	r.Body, r.ContentLength, r.TransferEncoding = io.NopCloser(bytes.NewReader(body)), int64(len(body)), nil
	h.Next.ServeHTTP(to, r)
	to.close()
}

// release gives the claim back. Where that fails, the lease ends by itself.
func (h *Handler) release(r *http.Request, attempt *Attempt) {
	ctx, cancel := h.detached(r)
	defer cancel()
	err := h.Store.Update(ctx, func(tx Tx) error {
		_, err := Release(tx, attempt.Record, h.now(), "no definite answer")
		return err
	})
	if err != nil && !errors.Is(err, ErrFenced) { // a lost claim needs no release
		h.failed(r, fmt.Errorf("release %v: %w", attempt.Record.Key, err))
	}
}

// detached is a context that the client cannot end. Half the lease leaves Next
// time to notice before anybody else may begin.
func (h *Handler) detached(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(r.Context()), h.Terms.lease()/2)
}
