package naive

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/ledgertest"
	"chargeonce/web/control"
)

func TestOneAfterTheOtherLookThenInsertWorks(t *testing.T) {
	s := (&system{t: t}).start(lookThenInsert())
	first, again := s.want(http.StatusCreated, ask{}), s.want(http.StatusCreated, ask{})
	if again.body != first.body || again.header.Get(idem.HeaderReplayed) != "true" {
		t.Errorf("not a replay: %v\n%s", again.header, again.body)
	}
	if original := again.header.Get(idem.HeaderOriginal); original != first.header.Get("Request-Id") {
		t.Errorf("the replay is of %q", original)
	}
	if n := s.captures("shop"); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
}

// The mistake is the order of the steps and nothing else.
func TestLookThenInsertStillComparesRequests(t *testing.T) {
	s := (&system{t: t}).start(lookThenInsert())
	s.want(http.StatusCreated, ask{})
	got := s.want(http.StatusConflict, ask{amount: "8000", trace: "other"})
	if !strings.Contains(got.body, "idempotency_key_reused") || !strings.Contains(got.body, `"amount"`) {
		t.Errorf("not a conflict over the amount: %s", got.body)
	}
	eventually(t, "the conflict is told", func() bool { return count(s.of("other"), control.KindResponse) == 1 })
	for _, e := range s.of("other") {
		if e.Kind == control.KindResponse && e.Charge != "" {
			t.Errorf("the conflict is told as one of charge %s, which is another request's", e.Charge)
		}
	}
	if n := s.captures("shop"); n != 1 {
		t.Errorf("%d captures, want 1", n)
	}
}

func TestWhatWasInsertedSurvivesARestart(t *testing.T) {
	s := (&system{t: t}).start(lookThenInsert())
	first := s.want(http.StatusCreated, ask{})
	restarted := s.serve(lookThenInsert(), s.store, &ledgertest.Provider{})
	if again := s.want(http.StatusCreated, ask{base: restarted}); again.body != first.body {
		t.Errorf("the new process answers otherwise: %s", again.body)
	}
}

func TestAClientThatHangsUpFindsItsAnswerInserted(t *testing.T) {
	arrived, free := make(chan struct{}, 1), make(chan struct{})
	s := &system{t: t, hold: func(ctx context.Context, point string) {
		if point == ledger.AtProviderCalled && whose(ctx).Trace == "gone" {
			arrived <- struct{}{}
			<-free
		}
	}}
	s.start(lookThenInsert())
	ctx, hangUp := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := s.try(ask{ctx: ctx, trace: "gone"})
		ended <- err
	}()
	<-arrived
	hangUp()
	if err := <-ended; err == nil {
		t.Error("the client that hung up has an answer")
	}
	close(free)
	eventually(t, "the answer is inserted", func() bool { return strings.Contains(s.passed("gone"), AtInserted) })
	if again := s.want(http.StatusCreated, ask{}); again.header.Get(idem.HeaderReplayed) != "true" || s.captures("shop") != 1 {
		t.Errorf("%d captures, then %v", s.captures("shop"), again.header)
	}
}

// What was never inserted cannot be found: the right code resumes here.
func TestAnAttemptWithoutAnOutcomeIsForgotten(t *testing.T) {
	for _, c := range []struct {
		mistake  Mistake
		captures int
	}{{lookThenInsert(), 2}, {Mistake{}, 1}} {
		s := (&system{t: t}).start(Mistake{})
		cards := &ledgertest.Provider{}
		cards.Script(ledgertest.Act{Silent: true})
		base := s.serve(c.mistake, s.store, cards)
		s.want(http.StatusServiceUnavailable, ask{base: base})
		s.want(http.StatusCreated, ask{base: base})
		if n := len(cards.Captures()); n != c.captures {
			t.Errorf("mistake %q: %d captures, want %d", c.mistake.ID, n, c.captures)
		}
		for _, e := range s.of("t") {
			if e.Kind == control.KindNote && strings.Contains(e.Text, "resumes") != (c.captures == 1) {
				t.Errorf("mistake %q is told as: %s", c.mistake.ID, e.Text)
			}
		}
	}
}

func TestTheRetentionOfAnInsertedAnswerIsTheRightOne(t *testing.T) {
	var ahead atomic.Int64
	s := (&system{t: t, offset: func() time.Duration { return time.Duration(ahead.Load()) }}).start(lookThenInsert())
	s.want(http.StatusCreated, ask{})
	ahead.Store(int64(idem.DefaultRetain + time.Hour))
	if got := s.want(http.StatusConflict, ask{}); !strings.Contains(got.body, "idempotency_result_expired") {
		t.Errorf("not an expired result: %s", got.body)
	}
	ahead.Store(int64(idem.DefaultTombstone + time.Hour))
	anew := s.want(http.StatusCreated, ask{})
	if again := s.want(http.StatusCreated, ask{}); again.body != anew.body || s.captures("shop") != 2 {
		t.Errorf("%d captures; the key's new life is not remembered", s.captures("shop"))
	}
}

// A claim may be there from before the mistake was switched on.
func TestAClaimOfTheRightCodeIsRespected(t *testing.T) {
	s := (&system{t: t}).start(lookThenInsert())
	form := idem.Params{"amount": "5000", "currency": "eur", "source": "tok_visa"}
	err := s.store.Update(t.Context(), func(tx ledger.Tx) error {
		_, err := idem.Begin(tx, idem.Claim{
			Key:         idem.Key{Owner: "shop", Value: "order-1"},
			Fingerprint: idem.NewFingerprint(http.MethodPost, "/v1/charges", nil, form),
		}, idem.At(time.Now(), 0), idem.Terms{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.want(http.StatusConflict, ask{}); !strings.Contains(got.body, "idempotency_key_in_use") || got.header.Get("Retry-After") != "1" {
		t.Errorf("not busy: %v %s", got.header, got.body)
	}
}

func TestOneRequestIsToldAsOneStoryUnderItsKey(t *testing.T) {
	s := (&system{t: t}).start(lookThenInsert())
	s.want(http.StatusCreated, ask{})
	eventually(t, "the response is told", func() bool { return count(s.of("t"), control.KindResponse) == 1 })
	var story []string
	for _, e := range s.of("t") {
		if e.Key != "order-1" || e.LeaseMS != 0 || e.Fence != 0 {
			t.Errorf("an event of another story: %+v", e)
		}
		if e.Kind == control.KindCommit && (strings.Contains(e.Reason, "k/") != (e.Gate == AtInserted)) {
			t.Errorf("the record is written by the insert alone; %q wrote %s", e.Text, e.Reason)
		}
		story = append(story, strings.TrimSuffix(string(e.Kind)+" "+string(e.Outcome), " "))
	}
	const want = "request, decision started, commit, provider, provider, commit, commit, response"
	if got := strings.Join(story, ", "); got != want {
		t.Errorf("told: %s\nwant: %s", got, want)
	}
}

func TestOnlyOneCommitIsToldToBookMoney(t *testing.T) {
	s := (&system{t: t}).start(lookThenInsert())
	s.want(http.StatusCreated, ask{})
	booked := 0
	for _, e := range s.of("t") {
		if e.Kind == control.KindCommit && e.Status == http.StatusCreated {
			booked++
		}
	}
	if booked != 1 {
		t.Errorf("%d commits carry a 201; the insert must not", booked)
	}
}

func TestAReplayIsTheOneDecisionOfItsRequest(t *testing.T) {
	s := (&system{t: t}).start(lookThenInsert())
	s.want(http.StatusCreated, ask{trace: "first"})
	s.want(http.StatusCreated, ask{trace: "again"})
	eventually(t, "the response is told", func() bool { return count(s.of("again"), control.KindResponse) == 1 })
	for _, e := range s.of("again") {
		if e.Kind == control.KindDecision && (e.Outcome != control.Replay || e.Status != http.StatusCreated || e.Gate != AtLooked) {
			t.Errorf("the decision is %+v", e)
		}
	}
	if n := count(s.of("again"), control.KindDecision); n != 1 {
		t.Errorf("%d decisions, want 1", n)
	}
}
