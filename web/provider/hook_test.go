package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

func TestHookIsToldOfEveryDecisionAndWhoAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []Operation
		p := start(t, Options{Latency: 200 * time.Millisecond, Seen: func(op Operation) { seen = append(seen, op) }})
		capture := post(p, "/captures", "k", order50("tok_visa")).document(t)
		post(p, "/captures", "k", order50("tok_visa"))
		post(p, "/captures", "k", orderOf(8000, "eur", "tok_visa", "shop/ch_1"))
		post(p, "/captures", "no", order50("tok_chargeDeclined"))
		post(p, "/captures", "out", order50("tok_chargeonceFails"))
		post(p, "/refunds", "r", refundOf(capture.ID, 100))
		post(p, "/refunds", "r2", refundOf("cpt_unknown", 100))
		get(p, "k")
		var told []string
		for _, op := range seen {
			told = append(told, fmt.Sprintf("%s %s %d %d", op.Outcome, op.Key, op.HTTPStatus, op.Seen))
			if op.Reference != "shop/ch_1" || op.Elapsed != 200*time.Millisecond {
				t.Errorf("%s: reference %q after %v", op.Outcome, op.Reference, op.Elapsed)
			}
		}
		want := "captured k 201 1, replay k 201 2, conflict k 409 3, declined no 402 1, unavailable out 503 1, refunded r 201 1"
		if got := strings.Join(told, ", "); got != want {
			t.Errorf("told\n%s\nwant\n%s", got, want)
		}
	})
}

func TestHookRunsAfterTheCommitAndBeforeTheAnswer(t *testing.T) {
	db := memory(t)
	var p *Provider
	var listed int
	p = start(t, Options{DB: db, Seen: func(Operation) {
		lines, err := p.Book("")
		listed = len(lines)
		// Writers take turns: inside the provider's own transaction this
		// would never come to its turn.
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		write := db.Update(ctx, func(tx *badgerdb.Tx) error { return tx.Set([]byte("hook"), nil) })
		if err := errors.Join(err, write); err != nil {
			t.Error(err)
		}
	}})
	if got := post(p, "/captures", "k", order50("tok_chargeDeclined")); got.status != 402 || listed != 1 {
		t.Errorf("%d, and the hook saw %d lines; want 402 and 1", got.status, listed)
	}
}

func TestTraceIsPassedOnWithinItsBound(t *testing.T) {
	var trace string
	p := start(t, Options{Seen: func(op Operation) { trace = op.Trace }})
	for sent, want := range map[string]string{"": "", "t-1": "t-1", strings.Repeat("x", maxTrace+1): ""} {
		r := request("/captures", "k", order50("tok_visa"))
		r.Header.Set("Chargeonce-Trace", sent)
		serve(p, r)
		if trace != want {
			t.Errorf("sent %q, the hook got %q, want %q", sent, trace, want)
		}
	}
}

// A silent answer over a real connection: the client gives up as soon as it
// knows that the money has moved, and asks again.
func TestTheOutcomeOfASilenceIsFoundByTheSameKey(t *testing.T) {
	decided := make(chan Operation, 2)
	p := start(t, Options{Seen: func(op Operation) { decided <- op }})
	server := httptest.NewServer(p.Handler())
	defer server.Close()
	ctx, hangUp := context.WithCancel(context.Background())
	go func() {
		<-decided
		hangUp()
	}()
	r := httptest.NewRequest("POST", server.URL+"/captures", strings.NewReader(order50("tok_chargeonceSilent"))).WithContext(ctx)
	r.RequestURI = ""
	r.Header.Set("Idempotency-Key", "k")
	answer, err := server.Client().Do(r)
	if err == nil {
		_ = answer.Body.Close()
		t.Fatalf("an answer came out of the silence: %d", answer.StatusCode)
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("the silence ended with %v, want our own hanging up", err)
	}
	again, err := send(server.Client(), server.URL+"/captures", "k", order50("tok_chargeonceSilent"))
	if err != nil || again.status != 201 || !again.replayed() {
		t.Errorf("asked again: %v, %d %s; want a replay", err, again.status, again.body)
	}
}

func TestWhatTheStoreCannotDoIsUnknownAndLogsNoSecret(t *testing.T) {
	db, err := badgerdb.Open(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	p, err := New(Options{DB: db, Log: func(format string, args ...any) { fmt.Fprintf(&logged, format+"\n", args...) }})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if got := post(p, "/captures", "someone@example.com", order50("tok_visa")); got.status != 503 || got.problem(t).Code != "unavailable" {
		t.Errorf("capture: %d %s, want 503 unavailable", got.status, got.body)
	}
	if got := get(p, "someone@example.com"); got.status != 503 {
		t.Errorf("look-up: %d, want 503: not knowing is not a no", got.status)
	}
	if text := logged.String(); strings.Count(text, "\n") != 2 || strings.Contains(text, "example.com") {
		t.Errorf("log %q, want a line for each and no key", text)
	}
	_, bookErr := p.Book("")
	_, _, totalsErr := p.Totals()
	if !errors.Is(bookErr, badgerdb.ErrClosed) || !errors.Is(totalsErr, badgerdb.ErrClosed) {
		t.Errorf("book %v, totals %v", bookErr, totalsErr)
	}
}

// A claim that is alive can only be another program's in the same database: it
// is unknown to this one, and never taken for a conflict.
func TestAClaimOfSomebodyElseIsInUse(t *testing.T) {
	db := memory(t)
	p := start(t, Options{DB: db})
	o, err := decodeCapture(DefaultAccount, httptest.NewRecorder(), request("/captures", "k", order50("tok_visa")))
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(context.Background(), func(tx *badgerdb.Tx) error {
		_, err := idem.Begin(tx, idem.Claim{Key: o.key, Fingerprint: o.print}, idem.At(time.Now(), 0), terms)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := post(p, "/captures", "k", order50("tok_visa")); got.status != 409 || got.problem(t).Code != "idempotency_key_in_use" {
		t.Errorf("%d %s, want 409 idempotency_key_in_use", got.status, got.body)
	}
}
