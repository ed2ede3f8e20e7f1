package network

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestAStatusFaultAnswersAsAProxyWould(t *testing.T) {
	for _, status := range statuses {
		for _, after := range []int{0, 7} {
			t.Run(fmt.Sprint(status, after), func(t *testing.T) {
				g := newRig(t, answerCreated, nil)
				g.arm(t, Fault{Kind: Status, Status: status, RetryAfter: after, Attempts: 2})
				for range 2 {
					got, body, header, err := g.do(g.post(t.Context(), "k1"))
					if got != status || err != nil || body != fmt.Sprintf("%d %s\n", status, http.StatusText(status)) {
						t.Errorf("got %d %q %v", got, body, err)
					}
					want := map[string]string{"Content-Type": "text/plain; charset=utf-8", "Retry-After": "", "Idempotency-Key": "", "Idempotent-Replayed": "", "Stripe-Should-Retry": ""}
					if after > 0 {
						want["Retry-After"] = strconv.Itoa(after)
					}
					for name, value := range want {
						if header.Get(name) != value {
							t.Errorf("%s is %q, want %q", name, header.Get(name), value)
						}
					}
				}
				g.ok(t, g.post(t.Context(), "k1"))
				if len(g.hits()) != 1 || g.Wire()["shop"] != 3 {
					t.Errorf("%d deliveries, wire %v", len(g.hits()), g.Wire())
				}
				if e := g.event(t, Refused); e.Status != status || e.Fault != Status {
					t.Errorf("event %+v", e)
				}
			})
		}
	}
}

func TestATruncatedAnswerIsHalfABodyUnderAWrongLength(t *testing.T) {
	for name, size := range map[string]int{"short": 10, "one byte": 1, "long": 3 * MaxBuffered} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " chunked ", chunked), func(t *testing.T) {
				g := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
					if !chunked {
						w.Header().Set("Content-Length", strconv.Itoa(size))
					}
					w.WriteHeader(http.StatusCreated)
					_ = http.NewResponseController(w).Flush()
					_, _ = io.WriteString(w, strings.Repeat("x", size))
				}, nil)
				whole := size
				if chunked {
					whole = min(size, MaxBuffered)
				}
				g.arm(t, Fault{Kind: Truncate, Attempts: 1})
				status, body, header, err := g.do(g.post(t.Context(), "k1"))
				if status != http.StatusCreated || !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("got %d %v, want 201 and a body that breaks off", status, err)
				}
				if len(body) != whole/2 || header.Get("Content-Length") != strconv.Itoa(whole) {
					t.Errorf("%d bytes of %q, want %d of %d", len(body), header.Get("Content-Length"), whole/2, whole)
				}
				if e := g.event(t, Truncated); e.Status != http.StatusCreated {
					t.Errorf("event %+v", e)
				}
			})
		}
	}
}

func TestAnAnswerWithoutABodyIsResetInsteadOfHalved(t *testing.T) {
	g := newRig(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, nil)
	g.arm(t, Fault{Kind: Truncate, Attempts: 1})
	if _, _, _, err := g.do(g.post(t.Context(), "k1")); err == nil {
		t.Error("an answer came through")
	}
	if e := g.event(t, Truncated); e.How != Reset {
		t.Errorf("event %+v", e)
	}
}

func TestALongAnswerIsStreamedAsItIsWritten(t *testing.T) {
	more := make(chan struct{})
	g := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		for range 3 {
			_, _ = io.WriteString(w, "piece")
			_ = http.NewResponseController(w).Flush()
			<-more
		}
	}, nil)
	answer, err := g.client.Do(g.post(t.Context(), "k1"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	piece := make([]byte, 5)
	for range 3 {
		// Each piece is here before the target may write the next.
		if _, err := io.ReadFull(answer.Body, piece); string(piece) != "piece" || err != nil {
			t.Fatalf("got %q %v", piece, err)
		}
		more <- struct{}{}
	}
	if rest, err := io.ReadAll(answer.Body); len(rest) != 0 || err != nil {
		t.Errorf("rest %q %v", rest, err)
	}
	if got := g.told(); !slices.Equal(got, []What{Passed, Answered}) {
		t.Errorf("told %v", got)
	}
}

func TestAStreamWhoseSenderLeftIsReadToItsEnd(t *testing.T) {
	const size = 512 << 10
	finished := make(chan error, 1)
	started, goOn := make(chan struct{}), make(chan struct{})
	g := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		_ = http.NewResponseController(w).Flush()
		close(started)
		<-goOn
		_, err := io.WriteString(w, strings.Repeat("x", size))
		finished <- err
	}, nil)
	conn := g.raw(t, rawPost)
	<-started
	_ = conn.Close()
	<-g.contexts[0].Done()
	close(goOn)
	g.event(t, Gone)
	if err := <-finished; err != nil {
		t.Errorf("the target was cut off: %v", err)
	}
}

func TestTheAnswerToAHeadRequestKeepsItsLength(t *testing.T) {
	g := newRig(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "5000000") }, nil)
	r := g.post(t.Context(), "k1")
	r.Method = http.MethodHead
	if status, body, header, err := g.do(r); status != 200 || body != "" || header.Get("Content-Length") != "5000000" || err != nil {
		t.Errorf("got %d %q %q %v", status, body, header.Get("Content-Length"), err)
	}
}
