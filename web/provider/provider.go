package provider

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

const (
	// DefaultAccount is the merchant account of [Options] that name none.
	DefaultAccount = "provider"
	// MaxInFlight bounds the requests at work or waiting. A storm of ours is a
	// few hundred clients; beyond the bound the answer is 429, which tells the
	// caller nothing about the operation, and that is the truth.
	MaxInFlight = 1024
)

// Options of a provider. The zero value but for DB is a provider that answers
// at once.
type Options struct {
	// DB keeps the book. Several accounts, and other packages' rows, may share
	// it. Nil with [Open], required by [New].
	DB *badgerdb.DB
	// Account is the merchant whose book this is: keys and lines of different
	// accounts never meet. It must be a valid owner ([idem.ValidOwner]); empty:
	// [DefaultAccount].
	Account string
	// Latency passes before a request is looked at; 0: none.
	Latency time.Duration
	// Seen is told of every POST that was decided, after the commit and before
	// the answer leaves; nil: nobody is. It may be called concurrently and
	// must not call [Provider.Close].
	Seen func(Operation)
	// Now reads the clock; nil: [time.Now].
	Now func() time.Time
	// Log receives why a request could not be decided; nil: it is dropped. No
	// line holds a key or a card.
	Log func(format string, args ...any)
}

// Provider is a card provider with a durable book. It is safe for concurrent
// use.
type Provider struct {
	db      *badgerdb.DB
	owned   bool // Open has opened db
	account string
	latency time.Duration
	hook    func(Operation)
	now     func() time.Time
	log     func(format string, args ...any)
	closing chan struct{} // closed by Close: ends all waiting

	mu       sync.Mutex // guards what follows
	closed   bool
	inFlight int
	work     sync.WaitGroup // one for each request in flight; Add only under mu
}

// New makes a provider whose book lies in opts.DB, which stays the caller's to
// close, after the provider. The errors are [ErrNoDB] and
// [idem.ErrOwnerInvalid].
func New(opts Options) (*Provider, error) {
	if opts.DB == nil {
		return nil, ErrNoDB
	}
	p := &Provider{
		db: opts.DB, account: opts.Account, latency: opts.Latency,
		hook: opts.Seen, now: opts.Now, log: opts.Log,
		closing: make(chan struct{}),
	}
	if p.account == "" {
		p.account = DefaultAccount
	}
	if !idem.ValidOwner(p.account) {
		return nil, fmt.Errorf("provider: account: %w", idem.ErrOwnerInvalid)
	}
	if p.now == nil {
		p.now = time.Now
	}
	if p.hook == nil {
		p.hook = func(Operation) {}
	}
	if p.log == nil {
		p.log = func(string, ...any) {}
	}
	return p, nil
}

// Open makes a provider with a database of its own in dir; [Provider.Close]
// closes it. opts.DB must be nil ([ErrTwoDBs]); other errors are those of
// [New] and of [badgerdb.Open].
func Open(dir string, opts Options) (*Provider, error) {
	if opts.DB != nil {
		return nil, ErrTwoDBs
	}
	db, err := badgerdb.Open(badgerdb.Options{Dir: dir, Log: opts.Log})
	if err != nil {
		return nil, fmt.Errorf("open the provider's book: %w", err)
	}
	opts.DB = db
	p, err := New(opts)
	if err != nil {
		_ = db.Close() // the first error is the one to tell
		return nil, err
	}
	p.owned = true
	return p, nil
}

// Failed is closed when the book has stopped for good after a commit whose
// outcome is unknown; the process should then exit with an error.
func (p *Provider) Failed() <-chan struct{} { return p.db.Failed() }

// Close turns new requests away, ends the waiting of those that it has, and
// returns when the last is through; what is in a transaction is finished. A
// second call does the same and finds nothing left to do.
func (p *Provider) Close() error {
	p.mu.Lock()
	if !p.closed {
		p.closed = true
		close(p.closing)
	}
	p.mu.Unlock()
	p.work.Wait()
	if !p.owned {
		return nil
	}
	return p.db.Close()
}

// enter counts a request in; leave counts it out.
func (p *Provider) enter() (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if p.inFlight >= MaxInFlight {
		return nil, errTooMany
	}
	p.inFlight++
	p.work.Add(1)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.inFlight--
		p.work.Done()
	}, nil
}

// pause waits for d and reports whether it has passed: Close and gone (nil:
// nothing) end it early.
func (p *Provider) pause(d time.Duration, gone <-chan struct{}) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-gone:
	case <-p.closing:
	}
	return false
}

// newID is the unguessable part of an operation's id. It is drawn before the
// transaction, which may run more than once.
func newID() string { return strings.ToLower(rand.Text()) }
