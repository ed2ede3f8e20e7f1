package tests

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"chargeonce/web/control"
)

// exchange reads what the stage knows of one request, as the panel's script
// does.
func (c *stageClient) exchange(run string, e control.Event) string {
	c.t.Helper()
	query := url.Values{"side": {string(e.Side)}, "trace": {e.Trace}, "run": {run}}
	response, err := c.http.Get(c.base + "/stage/exchange?" + query.Encode())
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		c.t.Fatalf("exchange of event %+v: %d %v %s", e, response.StatusCode, err, text)
	}
	return string(text)
}

// attempt finds the shop's nth request on a side.
func attempt(t *testing.T, events []control.Event, side control.Side, n int) control.Event {
	t.Helper()
	for _, e := range events {
		if e.Side == side && e.Lane == control.LaneShop && e.Kind == control.KindRequest && e.Attempt == n {
			return e
		}
	}
	t.Fatalf("%s: no attempt %d", side, n)
	return control.Event{}
}

func demand(t *testing.T, name, html string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(html, part) {
			t.Errorf("%s: no %s in\n%s", name, part, html)
		}
	}
}

func TestAMarkOpensTheWholeExchange(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "lose", "pm_card_visa")
	c.awaitPaid()
	events := eventsUpTo(t, c.follow(0), c.state().Seq)
	first := c.exchange("", attempt(t, events, control.Safe, 1))
	demand(t, "attempt 1", first,
		"POST /v1/charges", "amount=5000", form.key, "attempt 1 of 10", "201 Created",
		"This answer was sent but never arrived", "STARTED", "payments API → card provider", "/captures", "This answer arrived",
		"k/shop/", "(owner shop)", "c/ch_", "Commit 2")
	if strings.Contains(first, "<dd></dd>") {
		t.Errorf("a row is not explained: %s", first)
	}
	second := c.exchange("", attempt(t, events, control.Safe, 2))
	demand(t, "attempt 2", second, "attempt 2 of 10", "REPLAY", "Idempotent-Replayed", "This answer arrived")
	if strings.Contains(second, "/captures") || strings.Contains(second, "Commit") {
		t.Error("a replay asks nobody and writes nothing")
	}
	demand(t, "the naive side", c.exchange("", attempt(t, events, control.Naive, 1)), "no key", "This answer was sent but never arrived")
	for name, html := range map[string]string{"attempt 1": first, "attempt 2": second} {
		if strings.Contains(html, "sk_test_") {
			t.Errorf("%s shows the credential", name)
		}
	}
}

func TestALostRequestNeverReachedTheAPI(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	_, _, err := postCharge(c.base, "you", "k1", 5000, "Chargeonce-Fault", "lose-request;how=reset", "Chargeonce-Trace", "mine")
	if err == nil {
		t.Fatal("the request was not lost")
	}
	html := c.exchange("", control.Event{Side: control.Safe, Trace: "mine"})
	demand(t, "lost request", html, "it never reached the API", "amount=5000")
	if strings.Contains(html, "Response") || strings.Contains(html, "STARTED") {
		t.Errorf("somebody answered: %s", html)
	}
}

func TestARunKeepsItsExchanges(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	run := c.run("lost-response")
	html := c.exchange(run.ID, attempt(t, run.Events, control.Safe, 1))
	demand(t, "in the run", html, "This answer was sent but never arrived", "amount=", "k/run_"+run.ID+"/")
}
