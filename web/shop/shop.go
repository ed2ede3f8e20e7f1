package shop

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"chargeonce/ledger/badgerdb"
	"chargeonce/retrypolicy"
)

const (
	// MaxRuns bounds the payment loops of one order. A customer clicks twice,
	// an impatient one five times; more is a script.
	MaxRuns = 32
	// DefaultRecheck is the pause between two rounds of asking about an order
	// whose policy is exhausted: long enough not to hammer what is down.
	DefaultRecheck = 5 * time.Second
)

// Options of a shop. DB and API are required.
type Options struct {
	DB      *badgerdb.DB       // the journal; the caller closes it after [Shop.Close]
	API     func() string      // base URL of the payments API, as this shop reaches it
	Owner   string             // whose orders these are, unless an order says; "": "shop"
	Policy  retrypolicy.Policy // of one round; zero: the package's defaults
	Recheck time.Duration      // between rounds; 0: [DefaultRecheck]
	Hooks   Hooks
	Now     func() time.Time  // nil: time.Now
	Wire    http.RoundTripper // nil: a fresh connection for each attempt
	// Under is laid between the retry client and Wire; nil: nothing is.
	Under  func(http.RoundTripper) http.RoundTripper
	Clock  retrypolicy.Clock // of timeouts and waits; nil: the wall clock
	Effect Effect            // of a succeeded charge; nil: [Issue]
	// Remember keeps an effect from being repeated; nil: one row for each event.
	Remember Remember
	// Breaker refuses attempts while the API is clearly down; nil: none does.
	// What it refuses is queued: the shop asks again after Recheck.
	Breaker *retrypolicy.Breaker
	// Resumed and Exhausted say as what the shop goes on to ask about an order
	// whose outcome is unknown: after a restart, and when a round has used its
	// policy up. nil: as it was journalled, with the key that it was sent with.
	Resumed, Exhausted func(Order) Order
	// Budget bounds the repeats of all orders together; nil: nothing does.
	Budget *retrypolicy.Budget
}

// Shop places orders and pays for them. It is safe for concurrent use.
type Shop struct {
	options Options
	journal journal
	client  *retrypolicy.Client

	ctx    context.Context // of every payment loop; cancelled by Close
	cancel context.CancelFunc
	loops  sync.WaitGroup

	mu      sync.Mutex // guards what follows
	closed  bool
	running map[string]int  // payment loops by order id
	asking  map[string]bool // orders that are asked about round after round
}

// New opens a shop on its journal. It sends nothing; see [Shop.Resume].
func New(o Options) *Shop {
	if o.Owner == "" {
		o.Owner = "shop"
	}
	if o.Recheck == 0 {
		o.Recheck = DefaultRecheck
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Effect == nil {
		o.Effect = Issue
	}
	if o.Remember == nil {
		o.Remember = remember
	}
	if o.Resumed == nil {
		o.Resumed = asJournalled
	}
	if o.Exhausted == nil {
		o.Exhausted = asJournalled
	}
	wire := o.Wire
	if wire == nil {
		wire = &http.Transport{DisableKeepAlives: true} // no library below may send an attempt again
	}
	if o.Under != nil {
		wire = o.Under(wire)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Shop{
		options: o, journal: journal{o.DB},
		client: &retrypolicy.Client{
			Transport: labelled{wire}, Policy: o.Policy, Hooks: o.Hooks.clientHooks(), Clock: o.Clock,
			Budget: o.Budget, Breaker: o.Breaker,
		},
		ctx: ctx, cancel: cancel,
		running: make(map[string]int), asking: make(map[string]bool),
	}
}

// Resume goes on with every order whose outcome is unknown, each with the key
// that its journal holds. It is called once after a start.
func (s *Shop) Resume(ctx context.Context) error {
	ids, err := s.journal.open(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		order, found, err := s.journal.order(ctx, id)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("resume %s: %w", id, errNoOrder)
		}
		if err := s.start(&Click{Order: s.options.Resumed(order), sent: true, done: make(chan struct{})}); err != nil {
			return err
		}
	}
	return nil
}

// Pay is one click: it places the order and starts asking the API for its
// payment. It returns once the order is journalled, not when it is paid; see
// [Click.Wait]. Every call for one order sends a request of its own with the
// order's key, settled or not: the API decides what it is worth. Errors are
// [ErrInvalid], [ErrDiffers] (with the order as it stands; nothing is sent),
// [ErrTooManyRuns] and [ErrClosed].
func (s *Shop) Pay(ctx context.Context, order Order) (*Click, error) {
	if err := order.Validate(); err != nil {
		return nil, err
	}
	order.Owner = s.ownerOf(order)
	placed, err := s.journal.place(ctx, order, s.options.Now())
	if err != nil {
		return nil, err
	}
	click := &Click{Order: placed, done: make(chan struct{})}
	if err := s.start(click); err != nil {
		return nil, err
	}
	return click, nil
}

// Click is one payment loop of an order.
type Click struct {
	Order Order // as it was journalled

	sent   bool          // something for this order may have reached the API before
	done   chan struct{} // closed when the first round has ended
	answer State         // valid after done
}

// Wait returns what this click was told at the end of its first round of
// attempts: a definite outcome, or [Open] where the policy was exhausted. It
// may be called more than once and concurrently.
func (c *Click) Wait(ctx context.Context) (State, error) {
	select {
	case <-c.done:
		return c.answer, nil
	case <-ctx.Done():
		return "", fmt.Errorf("wait for the payment: %w", context.Cause(ctx))
	}
}

// Order looks an order up by its id.
func (s *Shop) Order(ctx context.Context, id string) (Order, bool, error) {
	return s.journal.order(ctx, id)
}

// Return journals that the customer of a paid order wants an amount back, in
// minor units, before anybody is asked for it: from then on he wants to have
// paid so much less. Again, it changes nothing. Errors are [ErrInvalid] for an
// order that is not paid or an amount beyond it.
func (s *Shop) Return(ctx context.Context, id string, amount int64) (order Order, changed bool, err error) {
	return s.journal.giveBack(ctx, id, amount)
}

// Each calls fn for every order that was ever placed.
func (s *Shop) Each(ctx context.Context, fn func(Order)) error { return s.journal.each(ctx, fn) }

// Owner is the name under which the shop pays for orders that name none.
func (s *Shop) Owner() string { return s.options.Owner }

// ownerOf is the name under which an order is paid.
func (s *Shop) ownerOf(o Order) string {
	if o.Owner != "" {
		return o.Owner
	}
	return s.options.Owner
}

// Close stops all payment loops and waits for them. Open orders stay open in
// the journal.
func (s *Shop) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	s.loops.Wait()
}

// start runs a click's payment loop.
func (s *Shop) start(click *Click) error {
	id := click.Order.ID
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if s.running[id] >= MaxRuns {
		return ErrTooManyRuns
	}
	s.running[id]++
	s.loops.Go(func() {
		defer s.ended(id)
		s.pay(click)
	})
	return nil
}

func (s *Shop) ended(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[id]--; s.running[id] == 0 {
		delete(s.running, id)
	}
}

// pay is one payment loop: a round of attempts, and if the outcome is still
// unknown, more rounds until it is known. Of several loops of one order only
// one goes on to more rounds.
func (s *Shop) pay(click *Click) {
	order := click.Order
	answer, err := s.round(order)
	sent := s.tell(order, err, click.sent)
	click.answer = answer
	close(click.done)
	if err == nil || !s.claimAsking(order.ID) {
		return
	}
	defer s.releaseAsking(order.ID)
	for err != nil {
		order = s.options.Exhausted(order)
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(s.options.Recheck):
		}
		if now, ok, lookup := s.journal.order(s.ctx, order.ID); lookup == nil && ok && now.Settled() {
			return
		}
		_, err = s.round(order)
		sent = s.tell(order, err, sent)
	}
}

// tell says what a round without a definite answer means for the order: nobody
// knows, or nothing has happened because nothing was ever sent. It returns
// whether something was.
func (s *Shop) tell(order Order, err error, sent bool) bool {
	var open *retrypolicy.OpenError
	sent = sent || !errors.As(err, &open) || open.Attempts > 0
	switch {
	case err == nil || s.ctx.Err() != nil:
	case sent:
		s.options.Hooks.unconfirmed(order, err)
	default:
		s.options.Hooks.queued(order, err)
	}
	return sent
}

// asJournalled goes on with the order as it is.
func asJournalled(order Order) Order { return order }

// round asks until there is a definite answer, which it returns, or the policy
// is exhausted; the error then says why the outcome is unknown.
func (s *Shop) round(order Order) (State, error) {
	ctx := context.WithValue(s.ctx, loopKey{}, loop{order: order, trace: rand.Text()[:10]})
	request, err := chargeRequest(ctx, s.options.API(), s.ownerOf(order), order)
	if err != nil {
		return Open, err
	}
	response, err := s.client.Do(request)
	if s.ctx.Err() != nil {
		return Open, s.ctx.Err()
	}
	outcome := order
	if err == nil {
		outcome, err = outcomeOf(order, response)
	}
	if err != nil {
		return Open, err
	}
	settled, changed, err := s.journal.settle(ctx, outcome)
	if err != nil {
		return Open, err
	}
	if changed {
		s.options.Hooks.settled(settled)
	}
	s.options.Hooks.answered(outcome)
	return outcome.State, nil
}

func (s *Shop) claimAsking(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asking[id] {
		return false
	}
	s.asking[id] = true
	return true
}

func (s *Shop) releaseAsking(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asking, id)
}
