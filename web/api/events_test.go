package api

import (
	"net/http"
	"strings"
	"testing"

	"chargeonce/web/control"
)

// line is what a test compares of an event.
func line(e control.Event) string {
	return strings.TrimRight(strings.Join([]string{string(e.Kind), string(e.Outcome)}, " "), " ")
}

func lines(events []control.Event) string {
	var all []string
	for _, event := range events {
		all = append(all, line(event))
	}
	return strings.Join(all, ", ")
}

func TestAChargeTellsItsStoryInOrder(t *testing.T) {
	b := newBench(t, benchOptions{})
	header := map[string]string{"Chargeonce-Trace": "tr_1", "Chargeonce-Attempt": "2/10"}
	b.want(http.StatusCreated, ask{header: header})
	eventually(t, "the response is told", func() bool { return strings.HasSuffix(lines(b.told()), "response") })
	want := "request, decision started, commit, provider, provider, commit, response"
	if got := lines(b.told()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, e := range b.told() {
		if e.Lane != control.LaneAPI || e.Owner != "shop" || e.Key != "key-1" || e.Trace != "tr_1" || e.AtMS == 0 || e.Text == "" {
			t.Errorf("an event lacks its place: %+v", e)
		}
		if e.Attempt != 2 || e.Of != 10 || e.Amount != 5000 || e.Currency != "eur" {
			t.Errorf("an event lacks its attempt or money: %+v", e)
		}
		if !strings.HasSuffix(e.Text, ".") {
			t.Errorf("not a sentence: %q", e.Text)
		}
	}
	decision, commit, asked, response := b.told()[1], b.told()[2], b.told()[3], b.told()[6]
	if !strings.HasPrefix(decision.Text, "STARTED: the key is new; claim written under fence 1 (lease ") || decision.Fence != 1 || decision.LeaseMS <= 0 {
		t.Errorf("%+v", decision)
	}
	if !strings.HasPrefix(asked.ProviderKey, "cap_ch_") || asked.Charge == "" || !strings.Contains(asked.Text, "50.00 EUR") {
		t.Errorf("%+v", asked)
	}
	if commit.Reason == "" || commit.Charge != asked.Charge {
		t.Errorf("the commit does not name its rows: %+v", commit)
	}
	if booked := b.told()[5]; commit.Status != 0 || booked.Status != 201 {
		t.Errorf("only commit 2 stores an answer: got %d and %d", commit.Status, booked.Status)
	}
	if response.Status != 201 || response.Charge != asked.Charge || response.Outcome != "" {
		t.Errorf("%+v", response)
	}
}

func TestEachOutcomeIsToldOnceAndOnTheRightEvent(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.bank.next(move{}, move{decline: "lost_card"}, move{status: 503})
	b.want(201, ask{})
	b.want(201, ask{})
	b.want(409, ask{form: with("amount", "1")})
	b.want(402, ask{key: "d"})
	b.want(402, ask{key: "d"})
	b.want(503, ask{key: "u"})
	b.want(201, ask{key: "u"})
	b.want(400, ask{key: "x", form: with("amount", "0")})
	eventually(t, "the last response is told", func() bool { return strings.HasSuffix(lines(b.told()), "response") })
	got := map[string]int{}
	for _, e := range b.told() {
		if e.Outcome != "" {
			got[line(e)]++
		}
	}
	want := map[string]int{
		"decision started": 3, "decision replay": 2, "decision conflict": 1, "decision resumed": 1,
		"response declined": 1, "response unknown": 1,
	}
	for name, n := range want {
		if got[name] != n {
			t.Errorf("%s: %d times, want %d", name, got[name], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", got)
	}
	for _, e := range b.told() {
		if e.Kind == control.KindDecision && e.Reason == "" {
			t.Errorf("a decision without its reason: %+v", e)
		}
	}
}

func TestWhoOnlyLooksIsNoPartOfTheStory(t *testing.T) {
	b := newBench(t, benchOptions{})
	for _, path := range []string{"/healthz", "/-/books", "/-/keys"} {
		b.want(http.StatusOK, ask{method: "GET", path: path})
	}
	if told := b.told(); len(told) != 0 || b.logs.String() != "" {
		t.Errorf("told %v, logged %s", told, b.logs.String())
	}
}

func TestMoneyThatGoesBackIsToldByTheCommitThatPostsIt(t *testing.T) {
	b := newBench(t, benchOptions{})
	paid := b.want(http.StatusCreated, ask{}).charge(t)
	b.want(http.StatusCreated, refund(paid.ID, "r", 4000))
	var back []int64
	for _, e := range b.told() {
		if e.Outcome == control.Refunded && e.Kind == control.KindCommit {
			back = append(back, e.Amount)
		}
	}
	if len(back) != 1 || back[0] != 4000 {
		t.Errorf("told to go back: %v, want 4000 once", back)
	}
}
