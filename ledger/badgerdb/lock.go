package badgerdb

import (
	"fmt"
	"os"
)

// Lock takes a folder for this process alone, for those who keep stores in it
// and move them about: a store's own lock is let go while it is moved. The
// kernel drops the lock with the process. The folder is made if it is missing.
// The error is [ErrLocked] where another process, or this one, has it. Where
// the system knows no such locks, it is granted to everybody.
func Lock(dir string) (release func() error, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("badgerdb: make the folder: %w", err)
	}
	lock, err := lockDir(dir)
	if err != nil {
		return nil, err
	}
	return lock.release, nil
}
