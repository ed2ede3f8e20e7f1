package ledger

import "sync/atomic"

// slot is one piece of work under way. It is held by the call and by whatever works
// for it, so that abandoned work counts against the bound too.
type slot struct {
	ledger  *Ledger
	holders atomic.Int32
}

func (l *Ledger) enter() (*slot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, ErrClosed
	}
	if l.underWay >= l.opts.MaxInFlight {
		return nil, ErrOverloaded
	}
	l.underWay++
	s := &slot{ledger: l}
	s.hold()
	return s, nil
}

func (s *slot) hold() { s.holders.Add(1) }

func (s *slot) release() {
	if s.holders.Add(-1) > 0 {
		return
	}
	l := s.ledger
	l.mu.Lock()
	defer l.mu.Unlock()
	l.underWay--
	l.rest()
}

// loop runs what lives as long as the ledger. It is for New alone, before
// anybody else knows the ledger.
func (l *Ledger) loop(run func()) {
	l.loops++
	go func() {
		defer func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.loops--
			l.rest()
		}()
		run()
	}()
}

// rest notes when nothing is under way any more. It needs the lock.
func (l *Ledger) rest() {
	if l.closed && l.underWay == 0 && l.loops == 0 {
		close(l.idle)
	}
}
