package api

import (
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"chargeonce/idem"
)

// call is one request on its way through its handler: what its headers say,
// once they have been checked.
type call struct {
	w http.ResponseWriter // for the limits of the body alone; handlers return a reply
	r *http.Request

	route   string // "POST /v1/charges": the pattern, so that no part of a path gets into a log
	id      string // req_…
	owner   string
	key     idem.Key // zero where the request carries none
	trace   string
	version string // the Stripe API version that the client speaks; empty: it does not say
	attempt int    // the client's own count, 0 of 0 where it does not say
	of      int
	began   time.Time
	link    *link // to the client; never nil while the handler runs
	gone    bool  // the client had gone, or was cut off, before its answer was sent

	// What the ledger is asked for; events show it.
	amount   int64
	currency string
}

// newCall reads what the request's headers say of it, credential and key
// apart. An unknown method may be any text, so it does not become part of the
// route.
func newCall(w http.ResponseWriter, r *http.Request, path string) *call {
	method := r.Method
	if method != http.MethodHead && !slices.Contains(knownMethods, method) {
		method = "(other)"
	}
	c := &call{w: w, r: r, route: method + " " + path, id: "req_" + rand.Text(), trace: traceOf(r.Header), version: versionOf(r.Header), began: time.Now()}
	c.attempt, c.of = attemptOf(r.Header)
	return c
}

// looksOn reports whether a call only watches the server, as the stage does
// all the time: it is no part of the story, so log and panel stay quiet.
func (c *call) looksOn() bool {
	return strings.HasSuffix(c.route, " /healthz") || strings.Contains(c.route, " /-/")
}

// reply is what a handler has to say. Either problem is set, or status and
// body are.
type reply struct {
	status  int
	header  map[string]string
	body    []byte
	problem *Problem
	// decision is the word for what the key's record led to, empty where no
	// record was asked; the log shows it.
	decision string
	charge   string
	// dropped says that the client was cut off before any work: there is
	// nothing to send, and nothing to tell.
	dropped bool
}

func refuse(problem *Problem) reply { return reply{problem: problem} }

func (a reply) code() int {
	if a.problem != nil {
		return a.problem.Status()
	}
	return a.status
}

// write sends the reply. Whatever it says, it names the request, and repeats
// the key so that a client can match the answer to its intent.
func (a reply) write(c *call) {
	header := c.w.Header()
	for name, value := range a.header {
		header.Set(name, value)
	}
	// A client that reads no more must not hold the goroutine. The deadline
	// stands for this answer only; the next request on the connection lifts it.
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(writeTimeout))
	if a.problem != nil {
		a.problem.Write(c.w)
		return
	}
	// A stored refusal, such as a decline, is definite: never to be repeated.
	send(c.w, a.status, false, a.body)
}

type callKey struct{}

// withCall lets the ledger's hooks, which know nothing of HTTP, tell whose
// request they report. They may run after the handler has returned, so they
// get a copy.
func withCall(ctx context.Context, c *call) context.Context {
	copied := *c
	copied.w, copied.r = nil, nil
	return context.WithValue(ctx, callKey{}, copied)
}

func callFrom(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call)
	return c
}
