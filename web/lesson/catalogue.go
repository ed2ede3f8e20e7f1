package lesson

import "fmt"

// Tour is a list of lessons for one sitting.
type Tour struct {
	Minutes int
	Lessons []string // ids, in order
}

// All returns every lesson, in the order in which they build on each other.
func All() []Lesson {
	return []Lesson{
		lostResponse(),
		threeSilences(),
		fourAnswers(),
		freshKey(),
		doubleClick(),
		twoCustomers(),
		newAmount(),
		oneBoxRight(),
		killLease(),
		noLease(),
		halfCommit(),
		zombie(),
		redelivery(),
		whatToRetry(),
		hiddenRetry(),
		methods(),
		storm(),
		breaker(),
		clientReboots(),
		gaveUp(),
		expiredKey(),
		brownOut(),
		frozenFailure(),
		decline(),
	}
}

// Tours returns the guided tours, the shortest first.
func Tours() []Tour {
	return []Tour{
		{Minutes: 5, Lessons: []string{"lost-response", "double-click", "kill-lease"}},
		{Minutes: 25, Lessons: []string{
			"lost-response", "three-silences", "fresh-key", "double-click", "one-box-right", "kill-lease", "storm",
		}},
	}
}

// ByID finds a lesson; the error is [ErrUnknown].
func ByID(id string) (Lesson, error) {
	for _, l := range All() {
		if l.ID == id {
			return l, nil
		}
	}
	return Lesson{}, fmt.Errorf("%w: %q", ErrUnknown, id)
}
