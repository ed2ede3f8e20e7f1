package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"chargeonce/ledger"
)

// Provider is a card provider with a book, keyed by the provider key: like the
// real ones it captures once per key, whatever it then fails to say. What it
// does wrong is scripted. It is safe for concurrent use.
type Provider struct {
	mu     sync.Mutex // guards what follows
	script []Act
	book   map[string]entry
	calls  []Call
}

// entry is a line of the book: a capture or a refund.
type entry struct {
	order    ledger.Capture
	refund   Refund
	captured ledger.Captured
}

// Refund is what the provider was asked to give back.
type Refund struct {
	Capture string // the provider's id of the capture; empty: it is no refund
	Amount  int64  // minor units
}

// Call is one call as the provider saw it.
type Call struct {
	Key    string
	Lookup bool
	Order  ledger.Capture // of a capture
	Refund Refund         // of a refund
}

// Act is what one call does. The zero value captures and says so.
type Act struct {
	// Before and After hold the call, before or after it is booked.
	Before, After *Gate
	Lost          bool   // the call never arrives: nothing is booked, silence
	Silent        bool   // it is booked, but the answer is lost
	Decline       string // it is booked as declined, for this reason; also of a refund
	Refuse        bool   // it is refused as malformed; nothing is booked
	Empty         bool   // it is booked, but the answer says nothing
	Panic         bool   // the client panics after the booking
	Once          func() // called before all else
}

// errSilence stands for a timeout. It deliberately wraps nothing of the
// ledger's: what nobody classified has to count as unknown.
var errSilence = errors.New("ledgertest: no answer from the provider")

// Script sets what the next calls do, captures and look-ups alike, in their
// order; later calls just work.
func (p *Provider) Script(acts ...Act) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.script = acts
}

// Capture implements [ledger.Provider].
func (p *Provider) Capture(_ context.Context, key string, order ledger.Capture) (ledger.Captured, error) {
	act := p.enter(Call{Key: key, Order: order})
	act.begin()
	if act.Lost {
		return ledger.Captured{}, errSilence
	}
	if act.Refuse {
		return ledger.Captured{}, fmt.Errorf("%w: scripted", ledger.ErrProviderRefused)
	}
	captured, err := p.write(key, entry{order: order, captured: decided("pc_"+key, act.Decline)})
	if err != nil {
		return ledger.Captured{}, err
	}
	return act.finish(captured)
}

// Refund implements [ledger.Provider]. Like the real ones it declines what is
// more than is left of the capture.
func (p *Provider) Refund(_ context.Context, key, capture string, amount int64) (ledger.Refunded, error) {
	refund := Refund{Capture: capture, Amount: amount}
	act := p.enter(Call{Key: key, Refund: refund})
	act.begin()
	if act.Lost {
		return ledger.Refunded{}, errSilence
	}
	if act.Refuse {
		return ledger.Refunded{}, fmt.Errorf("%w: scripted", ledger.ErrProviderRefused)
	}
	refunded, err := p.write(key, entry{refund: refund, captured: decided("pr_"+key, act.Decline)})
	if err != nil {
		return ledger.Refunded{}, err
	}
	return act.finish(refunded)
}

// Lookup implements [ledger.Provider].
func (p *Provider) Lookup(_ context.Context, key string) (ledger.Captured, bool, error) {
	act := p.enter(Call{Key: key, Lookup: true})
	act.begin()
	if act.Lost {
		return ledger.Captured{}, false, errSilence
	}
	p.mu.Lock()
	line, found := p.book[key]
	p.mu.Unlock()
	captured, err := act.finish(line.captured)
	return captured, found, err
}

func (p *Provider) enter(call Call) Act {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, call)
	if len(p.script) == 0 {
		return Act{}
	}
	act := p.script[0]
	p.script = p.script[1:]
	return act
}

// decided is a definite answer.
func decided(id, decline string) ledger.Captured {
	if decline != "" {
		return ledger.Captured{Declined: true, DeclineCode: decline}
	}
	return ledger.Captured{ID: id}
}

// write books a line once per key. The same key for another order is our bug,
// as it is with the real ones, and so is a refund of what was never captured.
func (p *Provider) write(key string, line entry) (ledger.Captured, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if old, seen := p.book[key]; seen {
		if old.order != line.order || old.refund != line.refund {
			return ledger.Captured{}, fmt.Errorf("%w: key mismatch", ledger.ErrProviderRefused)
		}
		return old.captured, nil
	}
	if line.refund.Capture != "" && !line.captured.Declined {
		left, found := p.left(line.refund.Capture)
		if !found {
			return ledger.Captured{}, fmt.Errorf("%w: no such capture", ledger.ErrProviderRefused)
		}
		if line.refund.Amount > left {
			line.captured = decided("", "refund_exceeds_capture")
		}
	}
	if p.book == nil {
		p.book = make(map[string]entry)
	}
	p.book[key] = line
	return line.captured, nil
}

// left is how much of a capture was not given back yet. It needs the lock.
func (p *Provider) left(capture string) (left int64, found bool) {
	for _, line := range p.book {
		switch {
		case line.captured.Declined:
		case line.refund == (Refund{}) && line.captured.ID == capture:
			left, found = left+line.order.Amount, true
		case line.refund.Capture == capture:
			left -= line.refund.Amount
		}
	}
	return left, found
}

func (a Act) begin() {
	if a.Once != nil {
		a.Once()
	}
	a.Before.pass()
}

func (a Act) finish(captured ledger.Captured) (ledger.Captured, error) {
	a.After.pass()
	switch {
	case a.Panic:
		panic("ledgertest: scripted panic")
	case a.Silent:
		return ledger.Captured{}, errSilence
	case a.Empty:
		return ledger.Captured{}, nil
	}
	return captured, nil
}

// Calls lists all calls, oldest first.
func (p *Provider) Calls() []Call {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Call(nil), p.calls...)
}

// Captures is the book: what was taken from cards, by provider key. Declined
// orders are left out.
func (p *Provider) Captures() map[string]ledger.Capture {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := make(map[string]ledger.Capture)
	for key, line := range p.book {
		if !line.captured.Declined && line.refund == (Refund{}) {
			taken[key] = line.order
		}
	}
	return taken
}

// Refunds is what was given back to cards, by provider key. Declined refunds
// are left out.
func (p *Provider) Refunds() map[string]Refund {
	p.mu.Lock()
	defer p.mu.Unlock()
	given := make(map[string]Refund)
	for key, line := range p.book {
		if !line.captured.Declined && line.refund != (Refund{}) {
			given[key] = line.refund
		}
	}
	return given
}

// Gate holds calls until it is opened. A nil gate is open.
type Gate struct {
	arrived chan struct{}
	open    chan struct{}
	once    sync.Once
}

// NewGate is a closed gate.
func NewGate() *Gate {
	return &Gate{arrived: make(chan struct{}, 64), open: make(chan struct{})}
}

// Arrived receives once for each of the first 64 calls that came to the gate.
func (g *Gate) Arrived() <-chan struct{} { return g.arrived }

// Open lets everybody pass, now and later. It may be called more than once.
func (g *Gate) Open() { g.once.Do(func() { close(g.open) }) }

func (g *Gate) pass() {
	if g == nil {
		return
	}
	select {
	case g.arrived <- struct{}{}:
	default: // nobody counts that many
	}
	<-g.open
}
