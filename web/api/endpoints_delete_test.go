package api

import (
	"net/http"
	"strings"
	"testing"
)

// remove is a DELETE of an endpoint under a key.
func remove(id, key string) ask {
	return ask{method: "DELETE", path: pathEndpoints + "/" + id, header: map[string]string{"Idempotency-Key": key}}
}

// TestADeletionUnderAKeyIsReplayed: whoever lost the answer must not hear that
// there was nothing to delete.
func TestADeletionUnderAKeyIsReplayed(t *testing.T) {
	b := newBench(t, benchOptions{})
	made := b.want(http.StatusCreated, hook("k", "*")).endpoint(t)
	got := b.want(http.StatusOK, remove(made.ID, "d"))
	if !strings.Contains(got.body, `"deleted":true`) || got.header.Get("Idempotent-Replayed") != "" || got.header.Get("Idempotency-Expires") == "" {
		t.Errorf("%v %s", got.header, got.body)
	}
	again := b.want(http.StatusOK, remove(made.ID, "d"))
	if again.body != got.body || again.header.Get("Idempotent-Replayed") != "true" || again.header.Get("Original-Request") != got.header.Get("Request-Id") {
		t.Errorf("%v %s", again.header, again.body)
	}
	b.refused(http.StatusNotFound, CodeResourceMissing, remove(made.ID, "other"))
	b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "DELETE", path: pathEndpoints + "/" + made.ID})
	if look := b.lookUp("", "d"); look.State != "done" || look.Resource != nil || look.Operation != "DELETE "+pathEndpoints+"/{id}" {
		t.Errorf("%+v", look)
	}
	if read := b.send(ask{method: "GET", path: pathEndpoints + "/" + made.ID}); read.status != http.StatusNotFound {
		t.Errorf("it is still there: %s", read.body)
	}
}

func TestADeletionsKeyIsCheckedAndBelongsToOneEndpoint(t *testing.T) {
	b := newBench(t, benchOptions{})
	one, two := b.want(http.StatusCreated, hook("a", "*")).endpoint(t), b.want(http.StatusCreated, hook("b", "*")).endpoint(t)
	for _, key := range []string{strings.Repeat("k", 256), "a b", `"open`} {
		b.refused(http.StatusBadRequest, CodeKeyInvalid, remove(one.ID, key))
	}
	foreign := remove(one.ID, "d")
	foreign.owner = "anna"
	b.refused(http.StatusNotFound, CodeResourceMissing, foreign)
	b.refused(http.StatusNotFound, CodeResourceMissing, remove("nonsense", "d"))
	b.want(http.StatusOK, remove(one.ID, "d")) // which no refusal has claimed
	b.refused(http.StatusConflict, CodeKeyReused, remove(two.ID, "d"))
	b.refused(http.StatusConflict, CodeKeyReused, remove(two.ID, "a"))
	b.want(http.StatusOK, ask{method: "GET", path: pathEndpoints + "/" + two.ID})
}
