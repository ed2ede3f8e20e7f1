package network

import (
	"maps"
	"sync"
)

// maxOwners bounds the owners that are counted apart. Anybody may make up a
// name, so the rest is counted together.
const maxOwners = 4096

// Others is the name under which Wire counts what has no owner's name of its
// own: a malformed one, or one that came after thousands of others. It cannot
// be an owner's name.
const Others = "*"

// tally counts requests by owner. The zero value is empty; its methods may be
// called concurrently.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

// add counts one request. An empty owner (nobody could be identified) is
// counted under the empty name.
func (t *tally) add(owner string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		t.counts = make(map[string]int)
	}
	_, known := t.counts[owner]
	if owner != "" && !ownerForm.MatchString(owner) || !known && len(t.counts) >= maxOwners {
		owner = Others
	}
	t.counts[owner]++
}

// read copies the counts.
func (t *tally) read() map[string]int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil {
		return map[string]int{}
	}
	return maps.Clone(t.counts)
}

// forget starts again from nothing.
func (t *tally) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts = nil
}
