package badgerdb

import (
	"errors"
	"sync"

	"github.com/dgraph-io/badger/v4"
)

// lockName is the file whose lock makes a directory ours.
const lockName = "OPEN"

// DB is an open store. It is safe for concurrent use.
type DB struct {
	inner   *badger.DB
	lock    *dirLock
	options Options

	writer  chan struct{} // holds one token: whoever took it may write
	closing chan struct{} // closed by the first Close
	failed  chan struct{} // closed by the first ambiguous commit
	done    chan struct{} // closed when Close is through

	// settled keeps a snapshot from being taken while a commit is under way:
	// it could show rows whose commit then turns out to have failed.
	settled sync.RWMutex

	mu       sync.Mutex // guards what follows
	active   int        // transactions that Close has to wait for
	drained  chan struct{}
	stopped  bool // an ambiguous commit happened
	closed   bool
	closeErr error
}

func newDB(inner *badger.DB, lock *dirLock, options Options) *DB {
	return &DB{
		inner: inner, lock: lock, options: options,
		writer:  make(chan struct{}, 1),
		closing: make(chan struct{}),
		failed:  make(chan struct{}),
		done:    make(chan struct{}),
		drained: make(chan struct{}),
	}
}

// Failed is closed when a commit has ended without a definite outcome. The
// store does nothing more after that; the process should exit with an error.
func (db *DB) Failed() <-chan struct{} { return db.failed }

// Close waits for the transactions that are running, turns away those that
// wait for their turn with [ErrClosed], and closes the store. Later calls wait
// for the first one and return what it returned. It must not be called from
// inside a transaction.
//
// After an ambiguous commit it leaves Badger alone: an orderly close would
// write down rows that may belong to half a transaction. The directory then
// stays locked until the process ends.
func (db *DB) Close() error {
	if !db.startClosing() {
		<-db.done
		return db.closeErr
	}
	<-db.drained
	if !db.hasFailed() {
		db.closeErr = errors.Join(db.inner.Close(), db.lock.release())
	}
	close(db.done)
	return db.closeErr
}

// startClosing reports whether this call is the one that closes.
func (db *DB) startClosing() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return false
	}
	db.closed = true
	close(db.closing)
	if db.active == 0 {
		close(db.drained)
	}
	return true
}

// enter counts a transaction in, so that none outlives the store: Badger
// panics or hangs when one does.
func (db *DB) enter() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.stopped {
		return ErrOutcomeUnknown
	}
	if db.closed {
		return ErrClosed
	}
	db.active++
	return nil
}

func (db *DB) leave() {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.active--
	if db.closed && db.active == 0 {
		close(db.drained)
	}
}

// stop enters fail-stop. It is called once at most, by the writer.
func (db *DB) stop() {
	db.mu.Lock()
	defer db.mu.Unlock()
	if !db.stopped {
		db.stopped = true
		close(db.failed)
	}
}

func (db *DB) hasFailed() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.stopped
}
