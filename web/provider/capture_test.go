package provider

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"chargeonce/ledger/badgerdb"
)

// Case A01: equal requests that arrive together.
func TestEqualRequestsThatArriveTogetherCaptureOnce(t *testing.T) {
	onDisk, err := badgerdb.Open(badgerdb.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := onDisk.Close(); err != nil {
			t.Error(err)
		}
	})
	for name, db := range map[string]*badgerdb.DB{"memory": memory(t), "disk": onDisk} {
		t.Run(name, func(t *testing.T) { equalRequests(t, db, 64) })
	}
}

func equalRequests(t *testing.T, db *badgerdb.DB, clients int) {
	p := start(t, Options{DB: db})
	server := httptest.NewServer(p.Handler())
	defer server.Close()

	answers, failures := make([]reply, clients), make([]error, clients)
	barrier := make(chan struct{})
	var all sync.WaitGroup
	for i := range clients {
		all.Go(func() {
			<-barrier
			answers[i], failures[i] = send(server.Client(), server.URL+"/captures", "cap_ch_1", order50("tok_visa"))
		})
	}
	close(barrier)
	all.Wait()

	fresh := 0
	for i, answer := range answers {
		if failures[i] != nil || answer.status != 201 || answer.body != answers[0].body {
			t.Fatalf("client %d: %v, %d %s; want 201 %s", i, failures[i], answer.status, answer.body, answers[0].body)
		}
		if !answer.replayed() {
			fresh++
		}
	}
	if fresh != 1 {
		t.Errorf("%d answers are marked as fresh, want 1", fresh)
	}
	lines := book(t, p, "shop")
	if len(lines) != 1 || lines[0].Seen != clients || lines[0].Amount != 5000 {
		t.Errorf("book %+v, want one line of 5000 that was seen %d times", lines, clients)
	}
}

func TestReplayRepeatsTheFirstAnswer(t *testing.T) {
	p := start(t, Options{})
	for _, card := range []string{"tok_visa", "tok_chargeDeclined"} {
		first := post(p, "/captures", card, order50(card))
		again := post(p, "/captures", card, order50(card))
		if again.status != first.status || again.body != first.body {
			t.Errorf("%s: replay %d %s, want %d %s", card, again.status, again.body, first.status, first.body)
		}
		if first.replayed() || !again.replayed() {
			t.Errorf("%s: marked as replay: first %v, second %v", card, first.replayed(), again.replayed())
		}
	}
}

func TestOrderOfMembersAndSpacesDoNotMakeAnotherRequest(t *testing.T) {
	p := start(t, Options{})
	post(p, "/captures", "k", order50("tok_visa"))
	again := post(p, "/captures", "k", ` {"reference":"shop/ch_1", "card":"tok_visa",
		"currency":"eur", "amount":5000} `)
	if again.status != 201 || !again.replayed() {
		t.Errorf("got %d %s, want a replay", again.status, again.body)
	}
}

func TestAnotherRequestUnderAKeyIsAConflict(t *testing.T) {
	p := start(t, Options{})
	first := post(p, "/captures", "k", order50("tok_visa"))
	id := first.document(t).ID
	for _, other := range []struct{ path, body, names string }{
		{"/captures", orderOf(8000, "eur", "tok_visa", "shop/ch_1"), "amount"},
		{"/captures", orderOf(5000, "usd", "tok_visa", "shop/ch_1"), "currency"},
		{"/captures", orderOf(5000, "eur", "tok_amex", "shop/ch_1"), "card"},
		{"/captures", orderOf(5000, "eur", "tok_visa", "shop/ch_2"), "reference"},
		{"/refunds", refundOf(id, 5000), "capture"},
	} {
		got := post(p, other.path, "k", other.body)
		why := got.problem(t)
		if got.status != 409 || why.Code != "idempotency_key_reused" || !strings.Contains(why.Message, other.names) {
			t.Errorf("%s %s: %d %+v, want a conflict in %s", other.path, other.body, got.status, why, other.names)
		}
	}
	lines := book(t, p, "")
	if len(lines) != 1 || lines[0].Amount != 5000 || lines[0].Seen != 6 {
		t.Errorf("book %+v, want the first line alone, seen 6 times", lines)
	}
	if again := post(p, "/captures", "k", order50("tok_visa")); again.body != first.body {
		t.Errorf("after the conflicts the first request gets %s, want %s", again.body, first.body)
	}
}

func TestAccountsInOneDatabaseNeverMeet(t *testing.T) {
	db := memory(t)
	safe, naive := start(t, Options{DB: db, Account: "safe"}), start(t, Options{DB: db, Account: "naive"})
	one := post(safe, "/captures", "k", order50("tok_visa"))
	two := post(naive, "/captures", "k", orderOf(700, "eur", "tok_visa", "shop/ch_1"))
	if two.status != 201 || two.replayed() || two.document(t).ID == one.document(t).ID {
		t.Errorf("second account got %d %s, want a capture of its own", two.status, two.body)
	}
	if lines := book(t, safe, ""); len(lines) != 1 || lines[0].Amount != 5000 {
		t.Errorf("first account's book is %+v", lines)
	}
	refund := post(naive, "/refunds", "r", refundOf(one.document(t).ID, 1))
	if refund.status != 404 {
		t.Errorf("refund of another account's capture: %d, want 404", refund.status)
	}
}

func TestLookUpTellsWhatWasDecided(t *testing.T) {
	p := start(t, Options{})
	if got := get(p, "cap_ch_1"); got.status != 404 || got.problem(t).Code != "operation_unknown" {
		t.Errorf("before: %d %s, want 404 operation_unknown", got.status, got.body)
	}
	for _, card := range []string{"tok_visa", "tok_chargeDeclinedLostCard"} {
		made := post(p, "/captures", card, order50(card))
		got := get(p, card)
		if got.status != 200 || got.body != made.body {
			t.Errorf("%s: %d %s, want 200 %s", card, got.status, got.body, made.body)
		}
	}
	if lines := book(t, p, ""); lines[0].Seen != 1 {
		t.Errorf("seen %d times after a look-up, want 1", lines[0].Seen)
	}
	for _, query := range []string{"", "?key=", "?key=a&key=b", "?key=a%20b"} {
		got := serve(p, httptest.NewRequest("GET", "/operations"+query, nil))
		if got.status != 400 {
			t.Errorf("%q: %d, want 400", query, got.status)
		}
	}
}
