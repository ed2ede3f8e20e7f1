package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func (b *bench) change(id, key string, form url.Values) ask {
	return ask{path: pathEndpoints + "/" + id, key: key, form: form}
}

func TestAnEndpointIsChangedOncePerKeyAndItsSecretStaysHidden(t *testing.T) {
	b := newBench(t, benchOptions{})
	made := b.want(http.StatusCreated, hook("k", "*")).endpoint(t)
	change := b.change(made.ID, "c", url.Values{"url": {"http://localhost:9/new"}, "enabled_events[]": {"charge.failed"}, "disabled": {"True"}, "description": {"ours"}})
	got := b.want(http.StatusOK, change)
	now := got.endpoint(t)
	if now.URL != "http://localhost:9/new" || now.Status != "disabled" || strings.Join(now.EnabledEvents, " ") != "charge.failed" || *now.Description != "ours" || now.Secret != "" {
		t.Errorf("%s", got.body)
	}
	if again := b.want(http.StatusOK, change); again.body != got.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("not a replay: %s", again.body)
	}
	if read := b.want(http.StatusOK, ask{method: "GET", path: pathEndpoints + "/" + made.ID}); read.body != got.body {
		t.Errorf("read: %s", read.body)
	}
	on := b.want(http.StatusOK, b.change(made.ID, "d", url.Values{"disabled": {"false"}})).endpoint(t)
	if on.Status != "enabled" || on.URL != "http://localhost:9/new" || len(on.EnabledEvents) != 1 {
		t.Errorf("%+v", on)
	}
	// The replay says what was true then; the endpoint says what is.
	if again := b.want(http.StatusOK, change); again.body != got.body {
		t.Errorf("%s", again.body)
	}
	b.refused(http.StatusConflict, CodeKeyReused, b.change(made.ID, "c", url.Values{"disabled": {"false"}}))
}

func TestAMalformedOrForeignChangeChangesNothing(t *testing.T) {
	b := newBench(t, benchOptions{})
	made := b.want(http.StatusCreated, hook("k", "*")).endpoint(t)
	for param, form := range map[string]url.Values{
		"url":            {"url": {"http://example.com/"}},
		"enabled_events": {"enabled_events[]": {"charge.invented"}},
		"disabled":       {"disabled": {"maybe"}},
	} {
		if doc := b.refused(http.StatusBadRequest, CodeParamInvalid, b.change(made.ID, "c", form)); doc.Error.Param != param {
			t.Errorf("%+v", doc)
		}
	}
	b.refused(http.StatusBadRequest, CodeParamUnknown, b.change(made.ID, "c", url.Values{"metadata[a]": {"b"}}))
	b.refused(http.StatusBadRequest, CodeKeyMissing, b.change(made.ID, "-", url.Values{"disabled": {"true"}}))
	foreign := b.change(made.ID, "c", url.Values{"disabled": {"true"}})
	foreign.owner = "anna"
	b.refused(http.StatusNotFound, CodeResourceMissing, foreign)
	b.refused(http.StatusNotFound, CodeResourceMissing, b.change("we_none", "c", url.Values{"disabled": {"true"}}))
	b.refused(http.StatusNotFound, CodeResourceMissing, b.change("nonsense", "c", url.Values{"disabled": {"true"}}))
	if now := b.want(http.StatusOK, ask{method: "GET", path: pathEndpoints + "/" + made.ID}).endpoint(t); now.Status != "enabled" || now.URL != made.URL {
		t.Errorf("%+v", now)
	}
}

func TestAnEventDoesNotWaitForADisabledEndpoint(t *testing.T) {
	b := newBench(t, benchOptions{})
	made := b.want(http.StatusCreated, hook("a", "*")).endpoint(t)
	b.want(http.StatusCreated, ask{key: "pay"})
	b.want(http.StatusOK, b.change(made.ID, "c", url.Values{"disabled": {"true"}}))
	if got := b.eventPage("", "?limit=1").Data[0].PendingWebhooks; got != 0 {
		t.Errorf("%d wait", got)
	}
}
