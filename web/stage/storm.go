package stage

import (
	"cmp"
	"time"

	"chargeonce/retrypolicy"
	"chargeonce/web/lesson"
	"chargeonce/web/shop"
)

// budgetOf is the budget of repeats that a lesson asks for: so many at once,
// and a tenth of that each second.
func budgetOf(wish lesson.ShopPolicy) *retrypolicy.Budget {
	if wish.Budget == 0 {
		return nil
	}
	return &retrypolicy.Budget{Burst: wish.Budget, PerSecond: float64(wish.Budget) / 10}
}

// arrivals is how a storm meets the API, as [lesson.Arrivals] says. What the
// shop asks again when a round is used up, a client of the storm begins anew.
func (s *system) arrivals(storm lesson.Storm, seed uint64) ([]int, error) {
	options := shop.Options{
		Policy: shopPolicy(storm.Shop), Budget: budgetOf(storm.Shop),
		Recheck: cmp.Or(storm.Shop.Recheck, shop.DefaultRecheck),
	}
	if s.options.Mistake.Shop != nil {
		options = s.options.Mistake.Shop(options)
	}
	seen, err := retrypolicy.Storm{
		Clients: storm.Clients, Outage: storm.Outage, Latency: storm.Latency,
		Policy: options.Policy, Budget: options.Budget, Again: options.Recheck, Seed: seed,
	}.Run()
	if err != nil {
		return nil, err
	}
	return afterwards(seen.Windows, storm.Outage), nil
}

// afterwards leaves out the windows that begin before a storm's outage is over.
func afterwards(windows []int, outage time.Duration) []int {
	during := int((outage + retrypolicy.StormWindow - 1) / retrypolicy.StormWindow)
	return windows[min(during, len(windows)):]
}
