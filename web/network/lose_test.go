package network

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// lossKinds are the two directions in which something is lost, with how often
// the target is reached.
var lossKinds = []struct {
	kind    Kind
	what    What
	reached int
}{{LoseRequest, LostRequest, 0}, {LoseResponse, LostResponse, 1}}

func TestAResetIsVisibleAndSentAgainByNobody(t *testing.T) {
	for _, loss := range lossKinds {
		t.Run(string(loss.kind), func(t *testing.T) {
			g := newRig(t, answerCreated, nil)
			// Often, since a reset races with the byte that was sent before it.
			for round := range 25 {
				g.ok(t, g.post(t.Context(), "warm"))
				g.arm(t, Fault{Kind: loss.kind, How: Reset, Attempts: 1})
				before, reached := g.Wire()["shop"], len(g.hits())
				_, _, _, err := g.do(onReused(t, g.post(t.Context(), fmt.Sprint("k", round))))
				if !errors.Is(err, syscall.ECONNRESET) {
					t.Fatalf("round %d: got %v, want a connection reset", round, err)
				}
				if got := g.Wire()["shop"] - before; got != 1 {
					t.Fatalf("round %d: %d requests on the wire, want 1", round, got)
				}
				if got := len(g.hits()) - reached; got != loss.reached {
					t.Fatalf("round %d: %d deliveries, want %d", round, got, loss.reached)
				}
			}
			if e := g.event(t, loss.what); e.How != Reset || e.Fault != loss.kind {
				t.Errorf("event %+v", e)
			}
		})
	}
}

func TestARawLossIsSentAgainByTheHTTPLibraryItself(t *testing.T) {
	for _, loss := range lossKinds {
		t.Run(string(loss.kind), func(t *testing.T) {
			g := newRig(t, answerCreated, nil)
			g.ok(t, g.post(t.Context(), "warm"))
			g.arm(t, Fault{Kind: loss.kind, How: Raw, Attempts: 1})
			// One call, which succeeds as if nothing had happened …
			g.ok(t, onReused(t, g.post(t.Context(), "k1")))
			// … and two requests on the wire, besides the first one.
			if got := g.Wire(); !reflect.DeepEqual(got, map[string]int{"shop": 3}) {
				t.Errorf("wire %v, want 1 + 2", got)
			}
			if got, want := len(g.hits()), 2+loss.reached; got != want {
				t.Errorf("%d deliveries, want %d", got, want)
			}
		})
	}
}

func TestASilenceHasNoByteAndLastsUntilTheSenderLeaves(t *testing.T) {
	for _, loss := range lossKinds {
		for _, how := range []How{"", Silent} {
			t.Run(string(loss.kind)+" "+string(how), func(t *testing.T) {
				g := newRig(t, answerCreated, nil)
				g.arm(t, Fault{Kind: loss.kind, How: how, Attempts: 1})
				conn := g.raw(t, rawPost)
				if e := g.event(t, loss.what); e.How != Silent {
					t.Errorf("how %q, want silent", e.How)
				}
				until(t, "the connection is kept in silence", func() bool { return len(g.silent) == 1 })
				if err := conn.CloseWrite(); err != nil {
					t.Fatal(err)
				}
				if heard, err := io.ReadAll(conn); len(heard) != 0 || err != nil {
					t.Errorf("heard %q, %v; want nothing and an end", heard, err)
				}
				until(t, "its place is free again", func() bool { return len(g.silent) == 0 })
				if got := len(g.hits()); got != loss.reached {
					t.Errorf("%d deliveries, want %d", got, loss.reached)
				}
			})
		}
	}
}

func TestASilenceThatNobodyEndsIsResetInTheEnd(t *testing.T) {
	g := newRig(t, answerCreated, func(o *Options) { o.MaxSilence = time.Millisecond })
	g.arm(t, Fault{Kind: LoseRequest, Attempts: 1})
	heard, err := io.ReadAll(g.raw(t, rawPost))
	if string(heard) != interim || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("heard %q, %v; want an interim answer and a reset", heard, err)
	}
}

func TestOneSilenceTooManyIsReset(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	for range maxSilent {
		if !g.hush() {
			t.Fatal("no place for silence")
		}
		t.Cleanup(g.unhush)
	}
	g.arm(t, Fault{Kind: LoseRequest, Attempts: 1})
	if heard, err := io.ReadAll(g.raw(t, rawPost)); string(heard) != interim || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("heard %q, %v; want a reset", heard, err)
	}
}

func TestAnHTTP10SenderIsResetWithoutAnInterimAnswer(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	g.arm(t, Fault{Kind: LoseRequest, How: Reset, Attempts: 1})
	heard, err := io.ReadAll(g.raw(t, "GET /v1/charges HTTP/1.0\r\n\r\n"))
	if len(heard) != 0 || !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("heard %q, %v; want a bare reset", heard, err)
	}
}

func TestTheTimeoutOfASilentSenderEndsItsWait(t *testing.T) {
	g := newRig(t, answerCreated, nil)
	g.arm(t, Fault{Kind: LoseResponse, Attempts: 1})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		g.event(t, LostResponse)
	}()
	if _, _, _, err := g.do(g.post(ctx, "k1")); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the sender's own end", err)
	}
	if e := g.event(t, LostResponse); e.Status != http.StatusCreated || e.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the event does not show what was lost: %+v", e)
	}
}

// plain hides everything from a handler that a wrapped or HTTP/2 writer hides.
type plain struct{ http.ResponseWriter }

func TestAConnectionThatCannotBeTakenIsAborted(t *testing.T) {
	for _, how := range []How{Reset, Raw, Silent} {
		t.Run(string(how), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := New(Options{})
				defer n.Close()
				if _, err := n.Arm(Fault{Kind: LoseRequest, How: how, Attempts: 1}); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				defer func() {
					if got := recover(); got != http.ErrAbortHandler {
						t.Errorf("panic %v, want http.ErrAbortHandler", got)
					}
					want := time.Duration(0)
					if how == Silent {
						want = 120 * time.Second
					}
					if got := time.Since(start); got != want {
						t.Errorf("after %v, want %v", got, want)
					}
				}()
				n.ServeHTTP(plain{httptest.NewRecorder()}, httptest.NewRequest("GET", "/x", nil))
			})
		})
	}
}

func TestAnAnswerToAHalfSentBodyCanBeLost(t *testing.T) {
	for _, how := range []How{Silent, Reset, Raw} {
		t.Run(string(how), func(t *testing.T) {
			// The target answers early; the sender's body is still on its way.
			g := newRig(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.CopyN(io.Discard, r.Body, 1)
				w.WriteHeader(http.StatusRequestEntityTooLarge)
			}, nil)
			g.arm(t, Fault{Kind: LoseResponse, How: how, Attempts: 1})
			head := "POST /v1/charges HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
			conn := g.raw(t, head+strings.Repeat("x", MaxBuffered+2))
			if e := g.event(t, LostResponse); e.Status != http.StatusRequestEntityTooLarge {
				t.Errorf("status %d", e.Status)
			}
			if err := conn.CloseWrite(); err != nil && how == Silent {
				t.Fatal(err)
			}
			heard, _ := io.ReadAll(bufio.NewReader(conn))
			if strings.Contains(string(heard), "413") {
				t.Errorf("heard %q, which was lost", heard)
			}
		})
	}
}
