package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"chargeonce/ledger"
)

func hook(key string, events ...string) ask {
	return ask{path: pathEndpoints, key: key, form: url.Values{"url": {"http://127.0.0.1:9/hooks"}, "enabled_events[]": events}}
}

func (a answer) endpoint(t *testing.T) (e endpointObject) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &e); err != nil || e.Object != "webhook_endpoint" || e.ID == "" {
		t.Fatalf("%d is not a webhook endpoint: %v\n%s", a.status, err, a.body)
	}
	return e
}

func TestTheSecretOfAnEndpointIsShownWhereItIsMadeAlone(t *testing.T) {
	b := newBench(t, benchOptions{})
	a := hook("k", "charge.succeeded", "refund.created")
	a.form.Set("metadata[a]", "b")
	got := b.want(http.StatusCreated, a)
	made := got.endpoint(t)
	if _, err := newSigner(made.Secret); err != nil || made.Status != "enabled" || len(made.EnabledEvents) != 2 || made.Metadata["a"] != "b" {
		t.Errorf("%v %+v", err, made)
	}
	if again := b.want(http.StatusCreated, a); again.body != got.body || again.header.Get("Idempotent-Replayed") != "true" || again.header.Get("Location") != pathEndpoints+"/"+made.ID {
		t.Errorf("%v %s", again.header, again.body)
	}
	for _, path := range []string{"", "/" + made.ID} {
		if read := b.want(http.StatusOK, ask{method: "GET", path: pathEndpoints + path}); strings.Contains(read.body, "whsec_") || !strings.Contains(read.body, made.ID) {
			t.Errorf("%q: %s", path, read.body)
		}
	}
	if strings.Contains(b.logs.String(), made.Secret) {
		t.Error("the log has the secret")
	}
}

func TestADeletedEndpointIsGoneAndNobodyElseDeletesIt(t *testing.T) {
	b := newBench(t, benchOptions{})
	id := b.want(http.StatusCreated, hook("k", "*")).endpoint(t).ID
	gone := ask{method: http.MethodDelete, path: pathEndpoints + "/" + id}
	stranger := gone
	stranger.owner = "anna"
	b.refused(http.StatusNotFound, CodeResourceMissing, stranger)
	b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "GET", path: pathEndpoints + "/" + id, owner: "anna"})
	if got := b.want(http.StatusOK, gone); got.body != fmt.Sprintf("{\"id\":%q,\"object\":\"webhook_endpoint\",\"deleted\":true}\n", id) {
		t.Errorf("%s", got.body)
	}
	b.refused(http.StatusNotFound, CodeResourceMissing, gone)
	b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: http.MethodDelete, path: pathEndpoints + "/ch_1"})
	if got := b.want(http.StatusOK, ask{method: "GET", path: pathEndpoints}); !strings.Contains(got.body, `"data":[]`) {
		t.Errorf("%s", got.body)
	}
}

func TestAnEventCountsTheEndpointsThatWaitForIt(t *testing.T) {
	b := newBench(t, benchOptions{})
	one := b.want(http.StatusCreated, hook("a", "*")).endpoint(t).ID
	b.want(http.StatusCreated, hook("b", "charge.succeeded"))
	b.want(http.StatusCreated, hook("c", "charge.failed"))
	b.want(http.StatusCreated, ask{key: "pay"})
	pending := func() int { return b.eventPage("", "?limit=1").Data[0].PendingWebhooks }
	if got := pending(); got != 2 {
		t.Errorf("%d wait", got)
	}
	b.want(http.StatusOK, ask{method: http.MethodDelete, path: pathEndpoints + "/" + one})
	if got := pending(); got != 1 {
		t.Errorf("%d wait after one was deleted", got)
	}
	var body eventObject
	if err := b.store.View(context.Background(), func(outbox ledger.Reader) error {
		events, _, err := outbox.Events("shop", ledger.Page{})
		if err != nil {
			return err
		}
		return json.Unmarshal(events[0].Body, &body)
	}); err != nil || body.PendingWebhooks != 2 {
		t.Errorf("%v: what is delivered says %d", err, body.PendingWebhooks)
	}
}

func TestAnEndpointThatIsMalformedIsNotMade(t *testing.T) {
	b := newBench(t, benchOptions{})
	for name, a := range map[string]ask{
		"url":            {form: url.Values{"url": {"http://example.com/"}, "enabled_events[]": {"*"}}},
		"enabled_events": hook("k", "charge.invented"),
	} {
		a.path = pathEndpoints
		if doc := b.refused(http.StatusBadRequest, CodeParamInvalid, a); doc.Error.Param != name {
			t.Errorf("%+v", doc)
		}
	}
	for _, body := range []string{`{"url":"http://localhost/","enabled_events":"*"}`, `{"url":"http://localhost/","enabled_events":[1]}`} {
		b.refused(http.StatusBadRequest, CodeParamInvalid, ask{path: pathEndpoints, json: body})
	}
	b.refused(http.StatusBadRequest, CodeParamMissing, hook("k"))
	b.refused(http.StatusBadRequest, CodeParamMissing, ask{path: pathEndpoints, form: url.Values{"enabled_events[]": {"*"}}})
	for i := range ledger.MaxEndpoints {
		b.want(http.StatusCreated, hook(fmt.Sprint("k", i), "*"))
	}
	b.refused(http.StatusBadRequest, CodeTooManyEndpoints, hook("more", "*"))
}
