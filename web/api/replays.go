package api

import (
	"sync"

	"chargeonce/idem"
)

// maxReplayKeys bounds the memory of the counter, some 100 bytes a key.
const maxReplayKeys = 4096

// replayCounter counts how often each key was replayed since the process
// began, for people who look at a key's record. It is kept in memory only,
// because a replay is one read and must not become a write. The zero value is
// ready; it is safe for concurrent use.
type replayCounter struct {
	mu     sync.Mutex // guards counts
	counts map[idem.Key]int
}

// add counts a replay. Where too many keys are known, any one is forgotten:
// it is a figure for the eye, and no decision rests on it.
func (r *replayCounter) add(key idem.Key) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = make(map[idem.Key]int)
	}
	if _, known := r.counts[key]; !known && len(r.counts) >= maxReplayKeys {
		for other := range r.counts {
			delete(r.counts, other)
			break
		}
	}
	r.counts[key]++
}

func (r *replayCounter) of(key idem.Key) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.counts[key]
}
