package network

import (
	"crypto/rand"
	"slices"
	"sync"
)

// maxArmed bounds the faults that wait at the same time. Each request looks
// through all of them.
const maxArmed = 256

// armory holds the armed faults, oldest first, each with the attempts it has
// left. The zero value is empty; its methods may be called concurrently.
type armory struct {
	mu     sync.Mutex
	faults []Fault
}

// add arms a valid fault and returns its name.
func (a *armory) add(f Fault) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if f.ID == "" {
		f.ID = "flt_" + rand.Text()
	}
	if a.index(f.ID) >= 0 {
		return "", ErrFaultExists
	}
	if len(a.faults) >= maxArmed {
		return "", ErrTooManyFaults
	}
	a.faults = append(a.faults, f)
	return f.ID, nil
}

// take gives the oldest fault that matches and counts one attempt off it; the
// last one disarms it. A zero Fault says that none matched. Counting under the
// lock is what makes "the next 3 requests" mean 3, however many come at once.
func (a *armory) take(owner, key string) Fault {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.faults {
		if !a.faults[i].matches(owner, key) {
			continue
		}
		taken := a.faults[i]
		if a.faults[i].Attempts--; a.faults[i].Attempts == 0 {
			a.faults = slices.Delete(a.faults, i, i+1)
		}
		return taken
	}
	return Fault{}
}

// drop disarms one fault and reports whether it was armed.
func (a *armory) drop(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	i := a.index(id)
	if i < 0 {
		return false
	}
	a.faults = slices.Delete(a.faults, i, i+1)
	return true
}

// clear disarms all and says how many there were.
func (a *armory) clear() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	count := len(a.faults)
	a.faults = nil
	return count
}

// list copies the armed faults, oldest first.
func (a *armory) list() []Fault {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]Fault{}, a.faults...)
}

// index finds a fault by name; the caller holds mu.
func (a *armory) index(id string) int {
	return slices.IndexFunc(a.faults, func(f Fault) bool { return f.ID == id })
}
