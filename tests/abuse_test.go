package tests

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
)

func TestAChangeOfMistakeOutlivesTheClientThatAskedForIt(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteRequest: func(httptrace.WroteRequestInfo) { leave() }, // long before the next process is ready
	})
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/stage/mistake", strings.NewReader(`{"id":"look-then-insert"}`))
	if err != nil {
		t.Fatal(err)
	}
	if response, err := c.http.Do(request); err == nil {
		_ = response.Body.Close()
		t.Error("the client has waited for the answer")
	}
	eventually(t, "the naive side comes up with the other mistake", func() (bool, any) {
		state := c.state()
		return state.Mistake == "look-then-insert" && state.Children[control.Naive].State == "ready", state
	})
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.awaitBooks(control.Naive, "shop", "the naive side takes payments", func(b control.OwnerBooks) bool {
		return b.Charges == 1
	})
}

func TestASecondStageDisturbsNothingAndSaysOneLine(t *testing.T) {
	dir := t.TempDir()
	_, c := startStage(t, dir)
	var started struct{ ID string }
	c.post("/stage/lessons/kill-lease/runs", map[string]any{}, http.StatusAccepted, &started)
	c.awaitProcessOf(started.ID) // it has opened its books, as the shop and the provider had before it began
	second := launch(t, "--listen", "127.0.0.1:0", "--data", dir)
	if code := second.exitCode(); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if lines := strings.Split(strings.TrimSpace(second.log.String()), "\n"); len(lines) != 1 || !strings.Contains(lines[0], dir) {
		t.Errorf("it should say in one line which folder is taken:\n%s", second.log)
	}
	var run lesson.Run
	eventually(t, "the first stage's run ends", func() (bool, any) {
		c.get("/stage/runs/"+started.ID, &run)
		return run.State != lesson.Running, run.State
	})
	if run.State != lesson.Held {
		t.Errorf("the run in the first stage is %s: %+v", run.State, broken(run))
	}
}

// awaitProcessOf waits until one of a run's processes listens.
func (c *stageClient) awaitProcessOf(run string) {
	c.t.Helper()
	conn := c.followRun(run, 0)
	for _, event := range eventsUpTo(c.t, conn, 1) {
		if event.Kind != control.KindProcess || event.Outcome != control.Ready {
			c.t.Fatalf("a run begins with %+v", event)
		}
	}
}

func TestARefusedClickLeavesNoFaultArmed(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.awaitPaid()
	for what, odd := range map[string]shown{
		"another amount":    {form.order, form.key, "8000"},
		"another key":       {form.order, "another-key", form.amount},
		"no amount of ours": {"ord_AAAAAAAAAAAAAAAA", "a", "-1"},
		"no key":            {"ord_AAAAAAAAAAAAAAAA", "", "5000"},
		"too long a key":    {"ord_AAAAAAAAAAAAAAAA", strings.Repeat("k", 256), "5000"},
		"no order":          {"../etc", "a", "5000"},
	} {
		if status := c.pay(odd, "lose", "pm_card_visa"); status != http.StatusBadRequest && status != http.StatusConflict {
			t.Errorf("%s: status %d", what, status)
		}
		if faults := c.state().Faults; len(faults) != 0 {
			t.Fatalf("%s: the next request would lose its answer: %+v", what, faults)
		}
	}
}

func TestMalformedFaultsAndGatesAreRefused(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	for _, fault := range []control.Fault{
		{Kind: "lose-response", Attempts: -3},
		{Kind: "delay", Attempts: 1, MS: -1},
		{Kind: "delay", Attempts: 1, MS: 18446744073711},  // 1.4 ms where it wraps
		{Kind: "delay", Attempts: 1, MS: -18446744073700}, // 9.5 ms where it wraps
		{Kind: "status", Attempts: 1, Status: 200},
		{Kind: "lose-response", Attempts: 1, Owner: "a b"},
		{Boundary: "elsewhere", Kind: "lose-response", Attempts: 1},
	} {
		c.post("/stage/faults", fault, http.StatusBadRequest, nil)
	}
	for _, owner := range []string{"a b", "<script>", strings.Repeat("a", 65)} {
		c.post("/stage/gates", control.Gate{Gate: "received", Owner: owner, Count: 1}, http.StatusBadRequest, nil)
	}
	if state := c.state(); len(state.Faults)+len(state.Gates) != 0 {
		t.Errorf("armed all the same: %+v %+v", state.Faults, state.Gates)
	}
}

func TestTheBooksOfARunAreItsOwn(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.awaitPaid()
	run := c.run("lost-response")
	var books control.Books
	c.get("/stage/books?run="+run.ID, &books)
	owner := lesson.OwnerName(run.ID, "")
	if naive := books.Sides[control.Naive].Owners; naive[owner].Captures != 2 || len(naive) != 1 {
		t.Errorf("the naive side of the run: %+v", naive)
	}
	for _, path := range []string{"/stage/books?run=nonsense", "/stage/captures?run=nonsense"} {
		response, err := c.http.Get(c.base + path)
		c.decode(response, err, http.StatusNotFound, nil)
	}
}

func TestAForeignPageCannotPayThroughTheAPI(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	for _, path := range []string{"/v1/charges", "/naive/v1/charges"} {
		for header, value := range map[string]string{"Origin": "http://elsewhere.example", "Sec-Fetch-Site": "cross-site"} {
			response, _, err := postCharge(c.base+strings.TrimSuffix(path, "/v1/charges"), "you", "k", 5000, header, value)
			if err != nil {
				t.Fatal(err)
			}
			if response.StatusCode != http.StatusForbidden {
				t.Errorf("%s with %s %s: status %d", path, header, value, response.StatusCode)
			}
		}
		request, err := http.NewRequest(http.MethodPost, c.base+path, strings.NewReader("amount=5000&currency=eur&source=tok_visa"))
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "rebound.example"
		response, err := c.http.Do(request)
		c.decode(response, err, http.StatusMisdirectedRequest, nil)
	}
}

func TestAKillLetsTheShopOfAHeldRequestGoOn(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.arm(control.Safe, "provider-called")
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.awaitHold(control.Safe)
	c.post("/stage/kill", map[string]string{"side": "safe"}, http.StatusOK, nil) // not as the fate of the held request
	c.awaitPaid()
	c.chargedOnce("shop")
	if holds := c.state().Holds; len(holds) != 0 {
		t.Errorf("held in a process that is dead: %+v", holds)
	}
}

func TestAnArmedGateOutlivesAKill(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.arm(control.Safe, "claimed")
	c.post("/stage/kill", map[string]string{"side": "safe"}, http.StatusOK, nil)
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.decide(c.awaitHold(control.Safe), "deliver", 0)
	c.awaitPaid()
	c.chargedOnce("shop")
}

func TestAnOrderIsUnpaidUntilTheCardIsCharged(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.arm(control.Safe, "received")
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	hold := c.awaitHold(control.Safe)
	if books := c.books("shop"); books.Wanted["eur"] != 5000 || books.Unpaid["eur"] != 5000 || books.Overcharged["eur"] != 0 {
		t.Errorf("before anything is done: %+v", books)
	}
	c.decide(hold, "deliver", 0)
	c.awaitPaid()
	c.chargedOnce("shop")
}
