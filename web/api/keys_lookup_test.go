package api

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func lookUp(owner, key string) ask {
	return ask{method: "GET", owner: owner, path: pathKeys + "?key=" + url.QueryEscape(key)}
}

func (b *bench) lookUp(owner, key string) (object keyObject) {
	b.t.Helper()
	got := b.want(http.StatusOK, lookUp(owner, key))
	if err := json.Unmarshal([]byte(got.body), &object); err != nil || object.Object != "idempotency_key" {
		b.t.Fatalf("%v: %s", err, got.body)
	}
	return object
}

func TestAnOwnerSeesWhatBecameOfAKey(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.bank.next(move{silent: true})
	b.refused(http.StatusServiceUnavailable, CodeOutcomeUnknown, ask{key: "order/1"})
	open := b.lookUp("shop", "order/1")
	if open.State != "provider_called" || open.Status != nil || open.Finished != nil || open.Expires != nil || open.Fence != 1 {
		t.Errorf("open: %+v", open)
	}
	charge := b.want(http.StatusCreated, ask{key: "order/1"}).charge(t)
	b.want(http.StatusCreated, ask{key: "order/1"}) // a replay
	done := b.lookUp("shop", "order/1")
	if done.State != "done" || *done.Status != http.StatusCreated || *done.Resource != pathOf(charge.ID) || done.Operation != "POST /v1/charges" {
		t.Errorf("done: %+v", done)
	}
	if done.Fence != 2 || done.Replays != 1 || len(done.History) < 3 || *done.Expires-*done.Finished != 24*60*60 {
		t.Errorf("done: %+v", done)
	}
	if quoted := b.lookUp("shop", `"order/1"`); quoted.Key != "order/1" {
		t.Errorf("quoted: %+v", quoted)
	}
	b.refused(http.StatusBadRequest, CodeRefundTooLarge, refund(charge.ID, "too-much", 5001))
	if refused := b.lookUp("shop", "too-much"); refused.Resource != nil {
		t.Errorf("refused: %+v", refused)
	}
	b.advance(25 * time.Hour)
	if late := b.lookUp("shop", "order/1"); late.State != "result_expired" || late.Fence != 2 {
		t.Errorf("late: %+v", late)
	}
}

func TestALookUpClaimsNothingAndShowsNobodyElsesKey(t *testing.T) { // B01, I4
	b := newBench(t, benchOptions{})
	b.refused(http.StatusNotFound, CodeResourceMissing, lookUp("shop", "k"))
	b.want(http.StatusCreated, ask{key: "k"})
	theirs := b.refused(http.StatusNotFound, CodeResourceMissing, lookUp("bob", "k"))
	none := b.refused(http.StatusNotFound, CodeResourceMissing, lookUp("bob", "none"))
	if theirs != none {
		t.Errorf("another owner's key can be told from none: %v and %v", theirs, none)
	}
	b.refused(http.StatusUnauthorized, CodeCredentialMissing, lookUp("-", "k"))
	b.refused(http.StatusBadRequest, CodeParamMissing, ask{method: "GET", path: pathKeys})
	b.refused(http.StatusBadRequest, CodeParamUnknown, ask{method: "GET", path: pathKeys + "?key=k&owner=bob"})
	for _, odd := range []string{"a b", strings.Repeat("k", 256), "\x01", "é"} {
		b.refused(http.StatusBadRequest, CodeParamInvalid, lookUp("shop", odd))
	}
}
