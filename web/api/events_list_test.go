package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"chargeonce/ledger"
)

// eventPage is a list as a client reads it.
type eventPage struct {
	Object  string        `json:"object"`
	URL     string        `json:"url"`
	HasMore bool          `json:"has_more"`
	Data    []eventObject `json:"data"`
}

func (b *bench) eventPage(owner, query string) (page eventPage) {
	b.t.Helper()
	got := b.want(http.StatusOK, ask{method: "GET", path: pathEvents + query, owner: owner})
	if err := json.Unmarshal([]byte(got.body), &page); err != nil {
		b.t.Fatal(err)
	}
	return page
}

func TestEachSettledChargeHasItsEvent(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.bank.next(move{}, move{decline: "lost_card"})
	paid := b.want(http.StatusCreated, ask{key: "a"}).charge(t)
	b.want(http.StatusPaymentRequired, ask{key: "b"})
	b.want(http.StatusCreated, ask{key: "a"}) // a replay tells nobody anything
	page := b.eventPage("", "")
	if page.Object != "list" || page.URL != pathEvents || page.HasMore || len(page.Data) != 2 {
		t.Fatalf("%+v", page)
	}
	declined, succeeded := page.Data[0], page.Data[1] // newest first
	if declined.Type != "charge.failed" || succeeded.Type != "charge.succeeded" || succeeded.Account != "shop" {
		t.Errorf("%+v, %+v", declined, succeeded)
	}
	if succeeded.PendingWebhooks != 0 || *succeeded.Request.IdempotencyKey != "a" || *succeeded.Request.ID == "" || succeeded.Created != paid.Created {
		t.Errorf("%+v", succeeded)
	}
	charge := b.want(http.StatusOK, ask{method: "GET", path: pathOf(paid.ID)})
	if got := string(succeeded.Data.Object) + "\n"; got != charge.body {
		t.Errorf("the event's object:\n%sthe charge:\n%s", got, charge.body)
	}
	one := b.want(http.StatusOK, ask{method: "GET", path: pathEvents + "/" + succeeded.ID})
	if string(mustJSON(succeeded)) != one.body {
		t.Errorf("by id: %s", one.body)
	}
}

// TestEachObjectTellsItsOwnEvent: an event's object is the whole object that it
// is about, as the API shows it, and the charge's own event comes last.
func TestEachObjectTellsItsOwnEvent(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.bank.next(move{}, move{}, move{decline: "lost_card"})
	confirmed := goodForm()
	confirmed.Del("source")
	confirmed.Set("payment_method", "pm_card_visa")
	confirmed.Set("confirm", "true")
	b.want(http.StatusCreated, ask{key: "p1", path: pathIntents, form: confirmed})
	paid := b.eventPage("", "?limit=1").Data[0]
	var c chargeObject
	if err := json.Unmarshal(paid.Data.Object, &c); err != nil {
		t.Fatal(err)
	}
	b.want(http.StatusCreated, refund(c.ID, "r1", 1000))
	b.want(http.StatusPaymentRequired, ask{key: "p2", path: pathIntents, form: confirmed})
	var types []string
	for _, event := range b.eventPage("", "").Data {
		types = append(types, event.Type)
		var object struct{ ID string }
		if err := json.Unmarshal(event.Data.Object, &object); err != nil {
			t.Fatal(err)
		}
		if event.Type == "charge.succeeded" { // a later refund has changed its charge
			continue
		}
		if now := b.want(http.StatusOK, ask{method: "GET", path: pathOf(object.ID)}); now.body != string(event.Data.Object)+"\n" {
			t.Errorf("%s tells\n%s\nthe API shows\n%s", event.Type, event.Data.Object, now.body)
		}
	}
	want := "[charge.failed payment_intent.payment_failed charge.refunded refund.created charge.succeeded payment_intent.succeeded]"
	if fmt.Sprint(types) != want {
		t.Errorf("events %v, want %s", types, want)
	}
}

func TestAnEventHasEveryFieldOfStripes(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.want(http.StatusCreated, ask{})
	id := b.eventPage("", "").Data[0].ID
	var fields map[string]any
	got := b.want(http.StatusOK, ask{method: "GET", path: pathEvents + "/" + id})
	if err := json.Unmarshal([]byte(got.body), &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"id", "object", "api_version", "created", "data", "livemode", "pending_webhooks", "request", "type"} {
		if _, there := fields[name]; !there {
			t.Errorf("%s is missing in %s", name, got.body)
		}
	}
	if fields["object"] != "event" || fields["livemode"] != false {
		t.Errorf("%s", got.body)
	}
}

func TestEventsAreTheirOwnersAlone(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.want(http.StatusCreated, ask{owner: "anna"})
	id := b.eventPage("anna", "").Data[0].ID
	if page := b.eventPage("bob", ""); len(page.Data) != 0 {
		t.Errorf("%+v", page)
	}
	for _, path := range []string{id, "evt_nobody", "ch_x", "evt_%2e"} {
		b.refused(http.StatusNotFound, CodeResourceMissing, ask{method: "GET", path: pathEvents + "/" + path, owner: "bob"})
	}
	doc := b.refused(http.StatusBadRequest, CodeParamInvalid, ask{method: "GET", path: pathEvents + "?starting_after=" + id, owner: "bob"})
	if doc.Error.Param != "starting_after" {
		t.Errorf("%+v", doc)
	}
	b.refused(http.StatusUnauthorized, CodeCredentialMissing, ask{method: "GET", path: pathEvents, owner: "-"})
	b.refused(http.StatusBadRequest, CodeParamUnknown, ask{method: "GET", path: pathEvents + "/" + id + "?x=1", owner: "anna"})
	b.refused(http.StatusBadRequest, CodeParamInvalid, ask{method: "GET", path: pathEvents + "?ending_before=ch_1", owner: "anna"})
	b.refused(http.StatusMethodNotAllowed, CodeMethodNotAllowed, ask{path: pathEvents})
}

func TestEventsComeInPages(t *testing.T) {
	b := newBench(t, benchOptions{})
	for i := range 5 {
		b.want(http.StatusCreated, ask{key: fmt.Sprint("key-", i)})
	}
	all := b.eventPage("", "?limit=100").Data
	page := b.eventPage("", "?limit=2&starting_after="+all[0].ID)
	if len(all) != 5 || len(page.Data) != 2 || page.Data[0].ID != all[1].ID || !page.HasMore {
		t.Errorf("%d in all, page %+v", len(all), page)
	}
	if page = b.eventPage("", "?ending_before="+all[1].ID); len(page.Data) != 1 || page.Data[0].ID != all[0].ID {
		t.Errorf("%+v", page)
	}
}

func TestAnEventWhoseBodyIsBrokenIsOurFault(t *testing.T) {
	b := newBench(t, benchOptions{})
	err := b.store.Update(context.Background(), func(tx ledger.Tx) error {
		return tx.PutEvent(ledger.Event{ID: "evt_1", Owner: "shop", Body: []byte("{")})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/evt_1"} {
		b.refused(http.StatusInternalServerError, CodeInternal, ask{method: "GET", path: pathEvents + path})
	}
}

func TestASettledChargeIsPendingOnlyWhereSomebodyIsTold(t *testing.T) {
	c := ledger.Work{Charge: ledger.Charge{ID: "ch_1", Owner: "shop", Amount: 1, Currency: "eur", Status: ledger.Succeeded}}
	ctx := withCall(context.Background(), &call{trace: "tr-1"})
	quiet, told := Announce(ctx, ledger.Event{ID: "evt_1"}, c), announcePending(ctx, ledger.Event{ID: "evt_1"}, c)
	for want, e := range map[int]ledger.Event{0: quiet, 1: told} {
		var body eventObject
		if err := json.Unmarshal(e.Body, &body); err != nil {
			t.Fatal(err)
		}
		if e.Pending != (want == 1) || body.PendingWebhooks != want || e.Trace != "tr-1" {
			t.Errorf("%+v: %s", e, e.Body)
		}
	}
}

func TestAnEventNamesTheVersionThatItsRequestSpoke(t *testing.T) {
	b := newBench(t, benchOptions{})
	for sent, want := range map[string]string{
		"2025-08-27.basil": "2025-08-27.basil", "2020-03-02": "2020-03-02", "": "", "latest": "", "2025-08-27.basil;x": "",
	} {
		b.want(http.StatusCreated, ask{key: "k" + sent, header: map[string]string{"Stripe-Version": sent}})
		got := b.eventPage("", "?limit=1").Data[0].APIVersion
		if want == "" && got != nil || want != "" && (got == nil || *got != want) {
			t.Errorf("%q: %v", sent, got)
		}
	}
}

// TestAnEventNamesTheVersionOfTheRequestThatBeganItsWork: whoever settles it,
// with an SDK of another version or none, a completer included.
func TestAnEventNamesTheVersionOfTheRequestThatBeganItsWork(t *testing.T) {
	b := newBench(t, benchOptions{})
	speaks := map[string]string{"Stripe-Version": "2025-08-27.basil"}
	check := func(what string) {
		t.Helper()
		for _, event := range b.eventPage("", "?limit=2").Data {
			if event.APIVersion == nil || *event.APIVersion != "2025-08-27.basil" {
				t.Errorf("%s: %s names %v", what, event.Type, event.APIVersion)
			}
		}
	}
	settle := func(a ask) answer {
		b.bank.next(move{silent: true})
		begun := a
		begun.header = speaks
		b.refused(http.StatusServiceUnavailable, CodeOutcomeUnknown, begun)
		return b.want(http.StatusCreated, a)
	}
	paid := settle(ask{key: "charge"}).charge(t)
	if page := b.eventPage("", ""); len(page.Data) != 1 || page.Data[0].APIVersion == nil {
		t.Fatalf("%+v", page)
	}
	settle(refund(paid.ID, "refund", 100))
	check("a refund")
	made := b.want(http.StatusCreated, ask{path: pathIntents, key: "intent"}).intent(t)
	settle(ask{path: pathOf(made.ID) + "/confirm", key: "confirm", form: url.Values{}})
	check("a confirmation")
}

func TestEventsAreListedByType(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.bank.next(move{}, move{decline: "lost_card"})
	paid := b.want(http.StatusCreated, ask{key: "a"}).charge(t)
	b.want(http.StatusPaymentRequired, ask{key: "b"})
	b.want(http.StatusCreated, refund(paid.ID, "r", 1000))
	for kind, want := range map[string]int{ledger.ChargeSucceeded: 1, ledger.ChargeFailed: 1, ledger.RefundCreated: 1, ledger.IntentEventFailed: 0} {
		page := b.eventPage("", "?type="+kind)
		if len(page.Data) != want || want > 0 && page.Data[0].Type != kind {
			t.Errorf("%s: %+v", kind, page.Data)
		}
	}
	if page := b.eventPage("anna", "?type="+ledger.ChargeSucceeded); len(page.Data) != 0 {
		t.Errorf("another owner sees %+v", page.Data)
	}
	got := b.refused(http.StatusBadRequest, CodeParamInvalid, ask{method: "GET", path: pathEvents + "?type=charge.invented"})
	if got.Error.Param != "type" {
		t.Errorf("%+v", got)
	}
}
