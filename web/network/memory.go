package network

import (
	"crypto/sha256"
	"fmt"
	"sync"
)

// maxRemembered bounds how many header faults are remembered. The oldest is
// forgotten first: it would then take requests again, long after its client's
// last attempt.
const maxRemembered = 4096

// memory counts how many requests each header fault has taken. A client's
// library repeats the header on every attempt, and without a count attempt 2
// would be lost like attempt 1. The zero value is empty; its methods may be
// called concurrently.
type memory struct {
	mu    sync.Mutex
	taken map[[sha256.Size]byte]int
	order [][sha256.Size]byte // oldest first, as they were first seen
}

// take reports whether f takes this request: it does for its first Attempts
// requests of (owner, key). Different faults of one key count apart, so that a
// script can lose attempt 1 one way and attempt 2 another.
//
// Requests without a key cannot be told from one another. There the count
// starts over once a request was let through: N are taken, one passes.
func (m *memory) take(f Fault, owner, key string) bool {
	id := faultID(f, owner, key)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken[id] < f.Attempts {
		m.count(id)
		return true
	}
	if key == "" {
		m.taken[id] = 0
	}
	return false
}

// count adds one and makes room for a newcomer; the caller holds mu.
func (m *memory) count(id [sha256.Size]byte) {
	if m.taken == nil {
		m.taken = make(map[[sha256.Size]byte]int)
	}
	if _, known := m.taken[id]; !known {
		if len(m.order) == maxRemembered {
			delete(m.taken, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, id)
	}
	m.taken[id]++
}

// forget empties the memory.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken, m.order = nil, nil
}

// faultID is a digest, because a sender's key may be as long as a header may
// be. Attempts is left out: asking for more of the same fault goes on counting.
func faultID(f Fault, owner, key string) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %d %d %d",
		owner, key, f.Kind, f.How, f.Delay, f.Status, f.RetryAfter))
}
