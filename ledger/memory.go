package ledger

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"chargeonce/idem"
)

// memoryStore is the engine that forgets everything when the process ends. A
// transaction works on a snapshot of its own, which becomes the store's when it
// commits; views keep the one that they began with.
type memoryStore struct {
	turn chan struct{} // holds one token: whoever took it may write

	mu      sync.Mutex // guards what follows
	current snapshot
	closed  bool
	active  sync.WaitGroup // transactions; Add only under mu, before closed
}

// snapshot is all that a store holds at one moment.
type snapshot struct {
	rows    *node[[]byte]
	records *node[idem.Record] // by [recordRow]
}

// OpenMemory opens a ledger in memory: for tests, and for reading what an
// engine has to do. It has no limit but the machine's, and nothing outlives it.
// Its transactions run one after the other, each once; its commits cannot fail.
func OpenMemory() Store {
	return &memoryStore{turn: make(chan struct{}, 1)}
}

// Update implements [Store]. ctx bounds the wait for the turn.
func (s *memoryStore) Update(ctx context.Context, fn func(Tx) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.active.Done()
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.turn }()
	if err := ctx.Err(); err != nil {
		return err
	}
	tx := &memoryTx{snapshot: s.now(), ctx: ctx, writes: true}
	defer tx.end()
	if err := fn(&bookTx{bookReader: bookReader{tx}}); err != nil {
		return translate(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = tx.snapshot
	return nil
}

// View implements [Store].
func (s *memoryStore) View(ctx context.Context, fn func(Reader) error) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.active.Done()
	tx := &memoryTx{snapshot: s.now(), ctx: ctx}
	defer tx.end()
	return translate(fn(bookReader{tx}))
}

// Failed implements [Store]. A commit here is an assignment: none ever fails.
func (s *memoryStore) Failed() <-chan struct{} { return nil }

// Close implements [Store].
func (s *memoryStore) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.active.Wait()
	return nil
}

// enter counts a transaction in.
func (s *memoryStore) enter(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.active.Add(1)
	return nil
}

func (s *memoryStore) now() snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

// Of the use of a transaction.
var (
	errOver     = errors.New("ledger: the transaction is over")
	errReadOnly = errors.New("ledger: a write inside a view")
)

// usable refuses a transaction that is over, and writes inside a view.
func (tx *memoryTx) usable(write bool) error {
	switch {
	case tx.over:
		return errOver
	case write && !tx.writes:
		return errReadOnly
	}
	if err := tx.ctx.Err(); err != nil && !write {
		return fmt.Errorf("ledger: read: %w", err)
	}
	return nil
}
