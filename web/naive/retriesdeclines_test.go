package naive

import (
	"io"
	"net/http"
	"testing"

	"chargeonce/retrypolicy"
	"chargeonce/web/shop"
)

func TestTheStubbornRepeatDeclinesToTheirLastAttemptAndNothingElse(t *testing.T) {
	policy := retrypolicy.Policy{MaxAttempts: 3}
	for _, r := range []retrypolicy.Result{
		{Status: 201},
		{Status: 400},
		{Status: 404},
		{Status: 409},
		{Status: 429},
		{Status: 500},
		{Status: 503},
		{Status: 402, Attempt: 3},
		{Status: 402, Err: io.ErrUnexpectedEOF},
		{Err: io.EOF},
		{Err: io.EOF, Canceled: true},
	} {
		r.Method, r.Keyed, r.Attempt = http.MethodPost, true, max(r.Attempt, 1)
		got, why := noIsMaybe(r, policy)
		want, because := retrypolicy.Classify(r, policy)
		if got != want || why != because {
			t.Errorf("%+v: %v since %q, want %v since %q", r, got, why, want, because)
		}
	}
	for attempt := 1; attempt < 3; attempt++ {
		if got, _ := noIsMaybe(retrypolicy.Result{Status: 402, Attempt: attempt}, policy); got != retrypolicy.Retry {
			t.Errorf("attempt %d: %v", attempt, got)
		}
	}
}

func TestTheStubbornShopAsksForADeclineEachTime(t *testing.T) {
	for times, m := range map[int]Mistake{3: retriesDeclines(), 1: {}} {
		s := (&system{t: t}).start(m)
		order := shop.Draft(5000, "eur", "tok_chargeDeclined")
		keys := map[string]bool{}
		for _, key := range settle(t, s, m, order, 0, shop.Declined) {
			keys[key] = true
		}
		captures, err := s.book.Book("shop")
		if err != nil {
			t.Fatal(err)
		}
		if len(keys) != times || len(captures) != times || !keys[order.Key] {
			t.Errorf("%s: keys %v and %d entries at the provider, want %d", m.ID, keys, len(captures), times)
		}
		if n := s.captures("shop"); n != 0 {
			t.Errorf("%s: %d captures of a declined card", m.ID, n)
		}
	}
}
