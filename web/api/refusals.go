package api

import (
	"cmp"
	"maps"
	"slices"
)

// Refusal is what a code means on the wire, for a page that explains it.
type Refusal struct {
	Code   Code
	Status int    // HTTP status; of a conflict it is the one without --conflict-status
	Title  string // one line for a person, the document's title
	Retry  bool   // the same request with the same key may end differently, as Stripe-Should-Retry says
}

// Refusals lists every code that an answer can carry, by status and then by
// name. It may be called concurrently.
func Refusals() []Refusal {
	var all []Refusal
	for code, rule := range maps.All(rules) {
		problem := Problem{Code: code}
		all = append(all, Refusal{code, rule.status, rule.title, problem.ShouldRetry()})
	}
	slices.SortFunc(all, func(a, b Refusal) int {
		return cmp.Or(cmp.Compare(a.Status, b.Status), cmp.Compare(a.Code, b.Code))
	})
	return all
}
