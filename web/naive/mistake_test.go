package naive

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/web/api"
)

func TestEveryMistakeIsFoundByItsID(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		if seen[m.ID] || m.ID == "" || m.Label == "" || len(m.Gates) == 0 {
			t.Errorf("%q with label %q and gates %v is not whole or not the first", m.ID, m.Label, m.Gates)
		}
		seen[m.ID] = true
		if found, ok := ByID(m.ID); !ok || found.ID != m.ID || found.Label != m.Label {
			t.Errorf("%q: found %v, %q with label %q", m.ID, ok, found.ID, found.Label)
		}
	}
	if !seen["no-key"] || !seen["look-then-insert"] || !seen["restart-forgets"] {
		t.Errorf("the first three are not all there: %v", seen)
	}
	for _, id := range []string{"", "none", "NO-KEY"} {
		if _, ok := ByID(id); ok {
			t.Errorf("%q is a mistake", id)
		}
	}
}

func TestARequestThatChargesPassesTheGatesOfItsMistakeOnceAndInOrder(t *testing.T) {
	for _, m := range All() {
		s := (&system{t: t}).start(m)
		s.want(http.StatusCreated, ask{})
		want := strings.Join(m.Gates, " ")
		eventually(t, m.ID+" announces the end", func() bool { return strings.HasSuffix(s.passed("t"), "answered") })
		if got := s.passed("t"); got != want {
			t.Errorf("%s passed %s; want %s", m.ID, got, want)
		}
	}
}

func TestOnlyARealPurchaseIsChargedWhateverTheMistake(t *testing.T) {
	for _, m := range All() {
		s := (&system{t: t}).start(m)
		s.want(http.StatusCreated, ask{})
		if n := s.captures("shop"); n != 1 {
			t.Errorf("%s: one request, %d captures: a strawman", m.ID, n)
		}
	}
}

func TestWhereNobodyLooksNobodyIsTold(t *testing.T) {
	for _, m := range All() {
		if m.Trace != nil && m.Trace(nil) != nil || m.Gate != nil && m.Gate(nil) != nil {
			t.Errorf("%s makes up an audience", m.ID)
		}
	}
	s := &system{t: t}
	s.start(Mistake{})
	silent := lookThenInsert()
	silent.Trace = nil
	m := silent.Charger
	silent.Charger = func(o api.Options) api.Charger {
		o.Trace, o.Gate = nil, nil
		return m(o)
	}
	s.url = s.serve(silent, s.store, s.openProvider(Mistake{}))
	s.want(http.StatusCreated, ask{})
}

func TestPointsWithoutANameAreNotAnnounced(t *testing.T) {
	var got []string
	gate := announce(plainPoints)(func(_ context.Context, point string) { got = append(got, point) })
	for _, point := range []string{"received", "begin", "claimed", "provider-called", "committed", "answered", "unheard-of"} {
		gate(context.Background(), point)
	}
	if want := "received provider-called inserted answered"; strings.Join(got, " ") != want {
		t.Errorf("announced %v, want %s", got, want)
	}
}

func TestAMadeUpKeyIsValidNewAndKnown(t *testing.T) {
	for _, name := range []string{"", "none", "order-1", "a~b", strings.Repeat("k", idem.MaxKeyLength)} {
		key := madeUp(name)
		if _, err := idem.ParseKey("shop", []string{key}); err != nil {
			t.Errorf("%q: %v", key, err)
		}
		if key == madeUp(name) {
			t.Errorf("%q was made up twice", key)
		}
		if got, made := nameOf(key); !made || !strings.HasSuffix(name, got) || len(name) < 200 && got != name {
			t.Errorf("%q is named %q, %v", key, got, made)
		}
	}
	for _, key := range []string{"", "order-1", "a~b", "~x", strings.Repeat("a", 26) + "~x", strings.Repeat("A", 25) + "~x", strings.Repeat("A", 26)} {
		if _, made := nameOf(key); made {
			t.Errorf("%q passes for made up", key)
		}
	}
}
