package badgerdb

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/dgraph-io/badger/v4"
)

// Open opens the store and creates it if there is none. It returns [ErrLocked]
// if the directory is in use and [ErrDiskFull] if the disk is too full even to
// open: Badger writes while it opens, and would die of it.
func Open(options Options) (*DB, error) {
	options = options.withDefaults()
	if options.InMemory == (options.Dir != "") {
		return nil, errors.New("badgerdb: give either a directory or InMemory")
	}
	lock, err := prepare(options)
	if err != nil {
		return nil, err
	}
	inner, err := openBadger(options)
	if err != nil {
		return nil, errors.Join(openError(options.Dir, err), lock.release())
	}
	return newDB(inner, lock, options), nil
}

// prepare makes the directory, takes its lock and cleans it. The lock comes
// first: an empty file may be one that a live process is just making.
func prepare(options Options) (*dirLock, error) {
	if options.InMemory {
		return nil, nil
	}
	if err := os.MkdirAll(options.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("badgerdb: create data directory: %w", err)
	}
	lock, err := lockDir(options.Dir)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(checkSpace(options), removeEmpty(options.Dir)); err != nil {
		return nil, errors.Join(err, lock.release())
	}
	return lock, nil
}

// openBadger opens with our sizes. A log left by an unclean stop under a larger
// memtable does not fit into ours, and Badger would end the process over it:
// such a log is first flushed by a store that is large enough.
func openBadger(options Options) (*badger.DB, error) {
	largest, err := largestLog(options)
	if err != nil {
		return nil, err
	}
	if largest > logSize {
		larger, err := badger.Open(options.badger().WithMemTableSize(largest))
		if err != nil {
			return nil, err
		}
		if err := larger.Close(); err != nil {
			return nil, err
		}
	}
	return badger.Open(options.badger())
}

// openError turns Badger's lock failure, which has no type, into ours.
func openError(dir string, err error) error {
	if strings.Contains(err.Error(), "Another process is using this Badger database") {
		return fmt.Errorf("%w: %s", ErrLocked, dir)
	}
	return fmt.Errorf("badgerdb: open: %w", err)
}
