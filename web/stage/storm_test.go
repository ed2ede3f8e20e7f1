package stage

import (
	"slices"
	"testing"
	"time"

	"chargeonce/retrypolicy"
	"chargeonce/web/lesson"
	"chargeonce/web/shop"
)

func inStep(o shop.Options) shop.Options {
	o.Policy.Jitter, o.Budget = retrypolicy.JitterNone, nil
	return o
}

// theStorm is the one of the lesson.
func theStorm(t *testing.T) lesson.Storm {
	t.Helper()
	l, err := lesson.ByID("storm")
	if err != nil || l.Storm == nil {
		t.Fatalf("the lesson has no storm: %v", err)
	}
	return *l.Storm
}

// Not a matter of luck: it holds for whatever seed a run has.
func TestAStormBringsAllBackAtOnceOrATenthOfThemAtMost(t *testing.T) {
	storm := theStorm(t)
	naive, safe := &system{}, &system{}
	naive.options.Mistake.Shop = inStep
	for seed := range uint64(100) {
		herd, err := naive.arrivals(storm, seed)
		if err != nil {
			t.Fatal(err)
		}
		spread, err := safe.arrivals(storm, seed)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Max(herd) != storm.Clients || 10*slices.Max(spread) > storm.Clients {
			t.Errorf("seed %d: peaks %d and %d", seed, slices.Max(herd), slices.Max(spread))
		}
	}
}

func TestTheSameSeedGivesTheSameStorm(t *testing.T) {
	storm, side := theStorm(t), &system{}
	one, err := side.arrivals(storm, 7)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := side.arrivals(storm, 7)
	other, _ := side.arrivals(storm, 8)
	if !slices.Equal(one, again) || slices.Equal(one, other) {
		t.Error("the arrivals do not follow from the seed")
	}
}

func TestAStormThatIsTooLargeIsRefused(t *testing.T) {
	if _, err := (&system{}).arrivals(lesson.Storm{Clients: retrypolicy.MaxStormClients + 1}, 1); err == nil {
		t.Error("it was computed")
	}
}

func TestArrivalsBeginWithTheRecovery(t *testing.T) {
	windows := []int{200, 0, 3, 4}
	for outage, want := range map[time.Duration][]int{
		0: windows, 40 * time.Millisecond: {3, 4}, 41 * time.Millisecond: {4}, time.Second: {},
	} {
		if got := afterwards(windows, outage); !slices.Equal(got, want) {
			t.Errorf("after %v: %v, want %v", outage, got, want)
		}
	}
}

func TestABudgetIsOnlyThereWhereALessonAsksForOne(t *testing.T) {
	if budgetOf(lesson.ShopPolicy{}) != nil {
		t.Error("nobody asked for a budget")
	}
	budget, now := budgetOf(lesson.ShopPolicy{Budget: 2}), time.Unix(1, 0)
	for repeat := range 3 {
		if taken := budget.Take(now); taken != (repeat < 2) {
			t.Errorf("repeat %d of a budget of two: taken is %v", repeat+1, taken)
		}
	}
	if !budget.Take(now.Add(5*time.Second + time.Millisecond)) {
		t.Error("a fifth of a repeat each second has not come back")
	}
}
