package badgerdb

import "errors"

// Of opening and closing.
var (
	// ErrLocked says that the data directory is open already, in another
	// process or in this one.
	ErrLocked = errors.New("badgerdb: the data directory is in use by another process")
	// ErrClosed says that the store was closed before the transaction started.
	ErrClosed = errors.New("badgerdb: the store is closed")
)

// Of transactions.
var (
	// ErrOutcomeUnknown says that a commit failed in a way that leaves open
	// whether its rows are on disk. The store has stopped for good: open it
	// again in a new process and read what is true.
	ErrOutcomeUnknown = errors.New("badgerdb: the outcome of a commit is unknown; the store has stopped")
	// ErrConflict says that the transaction lost to others as often as reruns
	// are allowed. Nothing was written.
	ErrConflict = errors.New("badgerdb: the transaction lost to others too many times")
	// ErrTooBig says that a key, a value or the whole transaction is larger than
	// one commit can hold. Nothing was written.
	ErrTooBig = errors.New("badgerdb: too big for one transaction")
	// ErrDiskFull says that the file system has less space left than
	// [Options.MinFree]. Nothing was written.
	ErrDiskFull = errors.New("badgerdb: too little space left on the disk")
	// ErrReadOnly says that a write was tried inside [DB.View].
	ErrReadOnly = errors.New("badgerdb: a write inside a read-only transaction")
	// ErrTxDone says that a [Tx] was used after its function had returned.
	ErrTxDone = errors.New("badgerdb: the transaction is over")
)

// Of keys and values.
var (
	// ErrKey says that a key is empty, reserved by Badger, or that its owner is
	// not a valid one.
	ErrKey = errors.New("badgerdb: invalid key")
	// ErrCorrupt says that a stored value cannot be understood. It is never
	// taken for a missing row: a key whose record cannot be read must not run
	// again.
	ErrCorrupt = errors.New("badgerdb: a stored value cannot be read")
)
