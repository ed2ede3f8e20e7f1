package api

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// running answers on its own; client sends requests to it.
func (r *running) client(t *testing.T) *bench {
	t.Helper()
	r.url = strings.TrimPrefix(r.line(), "listening on ")
	return &bench{t: t, url: r.url}
}

func TestWorkThatNobodyComesBackForIsCompleted(t *testing.T) { // I5
	bank := newBank(t)
	bank.next(move{silent: true}) // captured, and nobody was told
	r := start(t, Config{
		Provider: bank.url, ProviderAttempts: 1, ProviderTimeout: 500 * time.Millisecond, Lease: 3 * time.Second, CompleteAfter: time.Millisecond,
	})
	b := r.client(t)
	id := b.refused(http.StatusServiceUnavailable, CodeOutcomeUnknown, ask{}).Error.Charge
	eventually(t, "the charge is settled without its client", func() bool {
		return b.want(http.StatusOK, ask{method: "GET", path: pathOf(id)}).charge(t).Status == "succeeded"
	})
	late := b.want(http.StatusCreated, ask{})
	if late.header.Get("Idempotent-Replayed") != "true" || late.charge(t).ID != id {
		t.Errorf("the client that came late: %v %s", late.header, late.body)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
	if posts := len(bank.calls("POST")); posts != 1 {
		t.Errorf("the capture was sent %d times", posts)
	}
}

func TestAConflictSpeaksTheDialectThatWasAskedFor(t *testing.T) {
	bank := newBank(t)
	for _, status := range []int{http.StatusConflict, http.StatusBadRequest, http.StatusUnprocessableEntity} {
		b := start(t, Config{Provider: bank.url, ConflictStatus: status, Memory: true}).client(t)
		b.want(http.StatusCreated, ask{})
		form := goodForm()
		form.Set("amount", "8000")
		doc := b.refused(status, CodeKeyReused, ask{form: form})
		if doc.Error.Type != kindIdempotency {
			t.Errorf("%d: %+v", status, doc)
		}
		b.want(http.StatusConflict, ask{key: "busy-is-no-conflict", header: map[string]string{"Prefer": "wait=0"}, form: busyForm(t, b, bank)})
	}
}

// busyForm leaves a charge at work under the key "busy-is-no-conflict", and
// returns its parameters.
func busyForm(t *testing.T, b *bench, bank *bank) map[string][]string {
	t.Helper()
	arrived, release := bank.hold()
	t.Cleanup(release)
	go func() { _, _ = b.try(ask{key: "busy-is-no-conflict"}) }()
	<-arrived
	return goodForm()
}

func TestALedgerInMemoryLeavesNothingBehind(t *testing.T) {
	bank, home := newBank(t), t.TempDir()
	t.Setenv("TMPDIR", home)
	t.Setenv("XDG_CACHE_HOME", home)
	for range 2 {
		r := start(t, Config{Provider: bank.url, Memory: true})
		b := r.client(t)
		first := b.want(http.StatusCreated, ask{})
		if first.header.Get("Idempotent-Replayed") != "" {
			t.Error("the ledger remembers a process that has ended")
		}
		if again := b.want(http.StatusCreated, ask{}); again.body != first.body {
			t.Errorf("no replay: %s", again.body)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	}
	left, err := filepath.Glob(filepath.Join(home, "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}
