package retrypolicy_test

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"chargeonce/retrypolicy"
)

// The article that the kinds of jitter are named after comes with a simulator,
// https://github.com/aws-samples/aws-arch-backoff-simulator. Its model is not
// an outage but contention: clients read the version of one row and write it
// back; of those that have read the same version one wins, and the others back
// off. Here are its settings and, for 50 clients, its own figures, as the mean
// of 1000 rounds.
const (
	contenders  = 50
	networkMean = 10 * time.Millisecond // of a normal distribution, each way
	networkSD   = 2 * time.Millisecond
	rowBase     = 5 * time.Millisecond
	rowCap      = 2 * time.Second
	rowRounds   = 200
)

type contention struct {
	took  time.Duration // until the last client has written
	calls float64       // writes tried
}

var published = map[string]contention{
	"no backoff":   {1142 * ms, 690.5},
	"none":         {36301 * ms, 623.5},
	"equal":        {4286 * ms, 347.3},
	"full":         {2908 * ms, 332.6},
	"decorrelated": {2186 * ms, 375.8},
}

// row is the thing that everybody wants to write.
type row struct {
	source  *rand.Rand
	queue   happenings
	at      time.Duration
	version int
	calls   int
}

func (r *row) travel() time.Duration {
	return time.Duration(math.Abs(r.source.NormFloat64()*float64(networkSD) + float64(networkMean)))
}

func (r *row) later(d time.Duration, do func()) {
	heap.Push(&r.queue, happening{r.at + d, do})
}

// contend lets one client read and write until it has won. wait is what it
// waits after it has lost for the nth time.
func (r *row) contend(wait func(lost int) time.Duration) {
	lost := 0
	var read func()
	read = func() {
		seen := r.version
		r.later(r.travel()+r.travel(), func() {
			r.calls++
			won := seen == r.version
			if won {
				r.version++
			}
			r.later(r.travel(), func() {
				if !won {
					lost++
					r.later(r.travel()+wait(lost), read)
				}
			})
		})
	}
	r.later(r.travel(), read)
}

// contend is the mean of many rounds under a policy whose schedule is shifted
// by some attempts.
func contend(policy retrypolicy.Policy, shift int) (mean contention) {
	source := rand.New(rand.NewPCG(9, 10))
	for range rowRounds {
		r := &row{source: source}
		for range contenders {
			waited := time.Duration(0)
			r.contend(func(lost int) time.Duration {
				waited = policy.Delay(lost+shift, waited, source.Float64())
				return waited
			})
		}
		for r.queue.Len() > 0 {
			next := heap.Pop(&r.queue).(happening)
			r.at = next.at
			next.do()
		}
		mean.took += r.at / rowRounds
		mean.calls += float64(r.calls) / rowRounds
	}
	return mean
}

func rowPolicies() map[string]retrypolicy.Policy {
	policies := map[string]retrypolicy.Policy{"no backoff": {Base: 1, Cap: 1, Jitter: retrypolicy.JitterNone}}
	for _, jitter := range allJitters {
		policies[jitter.String()] = retrypolicy.Policy{Base: rowBase, Cap: rowCap, Jitter: jitter}
	}
	return policies
}

// One thing differs and is made up for here: that simulator doubles before its
// first wait (base × 2^n, n from 1), so its schedule is ours one attempt later.
// Attempts are not limited there, so Delay is asked alone, without a Client.
func TestUnderContentionOurJitterGivesTheFiguresOfTheAWSSimulator(t *testing.T) {
	for name, policy := range rowPolicies() {
		got, want := contend(policy, 1), published[name]
		t.Logf("%-12s took %6d ms (AWS %6d), %6.1f calls (AWS %6.1f)",
			name, got.took.Milliseconds(), want.took.Milliseconds(), got.calls, want.calls)
		if off := float64(got.took)/float64(want.took) - 1; math.Abs(off) > .03 {
			t.Errorf("%s: took %v, the simulator %v", name, got.took, want.took)
		}
		if off := got.calls/want.calls - 1; math.Abs(off) > .01 {
			t.Errorf("%s: %.1f calls, the simulator %.1f", name, got.calls, want.calls)
		}
	}
}

// Where we differ, and why. Our schedule starts at base, so that Policy.Base
// is what its name says: the longest first wait. And the two models ask
// different questions: under contention somebody always wins, so no backoff is
// the quickest, at twice the calls; in an outage (see [retrypolicy.Storm])
// nobody wins, and no backoff is nothing but load.
func TestUnderContentionOurEarlierScheduleCostsAFewMoreCalls(t *testing.T) {
	policy := rowPolicies()["full"]
	ours, theirs := contend(policy, 0), contend(policy, 1)
	t.Logf("full jitter from base: took %v, %.1f calls; from twice the base: took %v, %.1f calls",
		ours.took, ours.calls, theirs.took, theirs.calls)
	if ours.calls <= theirs.calls || ours.calls > 1.25*theirs.calls {
		t.Errorf("%.1f calls against %.1f", ours.calls, theirs.calls)
	}
	if off := float64(ours.took)/float64(theirs.took) - 1; math.Abs(off) > .1 {
		t.Errorf("took %v against %v", ours.took, theirs.took)
	}
}

type happening struct {
	at time.Duration
	do func()
}

type happenings []happening

func (h happenings) Len() int           { return len(h) }
func (h happenings) Less(i, j int) bool { return h[i].at < h[j].at }
func (h happenings) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *happenings) Push(x any)        { *h = append(*h, x.(happening)) }
func (h *happenings) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
