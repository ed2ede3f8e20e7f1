package naive

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/ledger"
	"chargeonce/web/control"
)

// race leads two equal requests through their steps, in a given order. The
// clicks of one race are known by their traces.
type race struct {
	*system
	stops []string // points at which a click is held: its steps end there

	mu     sync.Mutex // guards what follows
	clicks map[string]*click
}

// click is one of the two requests.
type click struct {
	news  chan string   // what became of its step: a point, "busy", "answered"
	free  chan struct{} // one for each release
	state string        // the latest news
}

func newRace(t *testing.T, m Mistake, stops ...string) *race {
	r := &race{system: &system{t: t}, stops: stops, clicks: map[string]*click{}}
	r.hold = r.holdAt
	r.listen = func(e control.Event) {
		if c := r.click(e.Trace); c != nil && e.Outcome == control.Busy {
			c.news <- "busy"
		}
	}
	r.start(m)
	t.Cleanup(r.letGo)
	return r
}

// letGo frees whoever is still held when the test has failed.
func (r *race) letGo() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.clicks {
		close(c.free)
	}
}

func (r *race) click(trace string) *click {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clicks[trace]
}

func (r *race) holdAt(ctx context.Context, point string) {
	c := r.click(whose(ctx).Trace)
	for _, stop := range r.stops {
		if c != nil && point == stop {
			c.news <- point
			<-c.free
		}
	}
}

// run makes a race in an order like "ABABAB" for an owner of its own.
func (r *race) run(order string) (owner string) {
	r.t.Helper()
	owner = "o_" + order
	for _, name := range strings.Split(order, "") {
		r.step(owner, order+name)
	}
	for _, name := range []string{"A", "B"} { // whoever is held goes on
		if c := r.click(order + name); c.state != "busy" {
			r.finish(c)
		}
	}
	for _, name := range []string{"A", "B"} { // whoever has waited gets its answer
		r.finish(r.click(order + name))
	}
	return owner
}

// step lets one click go on to its next stop. One that is answered, or waits
// for the other, has no step left.
func (r *race) step(owner, trace string) {
	r.t.Helper()
	c := r.click(trace)
	switch {
	case c == nil:
		c = &click{news: make(chan string, 8), free: make(chan struct{}, 8)}
		r.mu.Lock()
		r.clicks[trace] = c
		r.mu.Unlock()
		go r.send(c, ask{owner: owner, trace: trace})
	case c.state == "answered" || c.state == "busy":
		return
	default:
		c.free <- struct{}{}
	}
	r.hear(c)
}

func (r *race) send(c *click, a ask) {
	got, err := r.try(a)
	if err != nil || got.status != http.StatusCreated {
		c.news <- fmt.Sprintf("status %d, error %v: %s", got.status, err, got.body)
	}
	c.news <- "answered"
}

// finish lets a click pass whatever it meets until it is answered.
func (r *race) finish(c *click) {
	r.t.Helper()
	for c.state != "answered" {
		c.free <- struct{}{}
		r.hear(c)
	}
}

func (r *race) hear(c *click) {
	r.t.Helper()
	select {
	case c.state = <-c.news:
		if strings.HasPrefix(c.state, "status") {
			r.t.Fatal(c.state)
		}
	case <-time.After(patience):
		r.t.Fatalf("nothing is heard of a click that was at %q", c.state)
	}
}

// orders are all orders of two times three steps: twenty.
func orders() (all []string) {
	var add func(order string, a, b int)
	add = func(order string, a, b int) {
		if a+b == 0 {
			all = append(all, order)
			return
		}
		if a > 0 {
			add(order+"A", a-1, b)
		}
		if b > 0 {
			add(order+"B", a, b-1)
		}
	}
	add("", 3, 3)
	return all
}

func TestLookThenInsertChargesTwiceInEighteenOfTwentyOrders(t *testing.T) {
	r := newRace(t, lookThenInsert(), AtLooked, ledger.AtProviderCalled, AtInserted)
	double := 0
	for _, order := range orders() {
		captures := r.captures(r.run(order))
		double += captures - 1
		want := 2
		if order == "AAABBB" || order == "BBBAAA" { // one click has inserted before the other looks
			want = 1
		}
		if captures != want {
			t.Errorf("%s: %d captures, want %d", order, captures, want)
		}
	}
	if len(orders()) != 20 || double != 18 {
		t.Errorf("%d of %d orders charge twice; want 18 of 20", double, len(orders()))
	}
}

func TestTheRightCodeChargesOnceInEveryOrder(t *testing.T) {
	r := newRace(t, Mistake{}, ledger.AtClaimed, ledger.AtProviderCalled, ledger.AtCommitted)
	for _, order := range orders() {
		if captures := r.captures(r.run(order)); captures != 1 {
			t.Errorf("%s: %d captures", order, captures)
		}
	}
}

func TestTheSlowerOfTwoClicksReplaysWhatWasInserted(t *testing.T) {
	r := newRace(t, lookThenInsert(), AtLooked, ledger.AtProviderCalled, AtInserted)
	r.run("AAABBB")
	eventually(t, "B's response is told", func() bool { return count(r.of("AAABBBB"), control.KindResponse) == 1 })
	for _, e := range r.of("AAABBBB") {
		if e.Kind == control.KindDecision && e.Outcome != control.Replay {
			t.Errorf("B is told %s", e.Outcome)
		}
	}
	if got := r.passed("AAABBBB"); got != "received looked answered" {
		t.Errorf("B passed %s", got)
	}
}
