//go:build windows

package badgerdb

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"syscall"
)

// errSharing is ERROR_SHARING_VIOLATION: somebody has the file open.
const errSharing = syscall.Errno(32)

// dirLock is held for as long as the store is open. The system drops it with
// the process. A nil lock is one of a store in memory.
type dirLock struct{ handle syscall.Handle }

// lockDir opens the lock file without sharing it, which only one process can
// do at a time.
func lockDir(dir string) (*dirLock, error) {
	name, err := syscall.UTF16PtrFromString(filepath.Join(dir, lockName))
	if err != nil {
		return nil, fmt.Errorf("badgerdb: name of lock file: %w", err)
	}
	const alone = 0
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, alone,
		nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	if errors.Is(err, errSharing) {
		return nil, fmt.Errorf("%w: %s", ErrLocked, dir)
	}
	if err != nil {
		return nil, fmt.Errorf("badgerdb: open lock file: %w", err)
	}
	return &dirLock{handle}, nil
}

func (l *dirLock) release() error {
	if l == nil {
		return nil
	}
	return syscall.CloseHandle(l.handle)
}

// freeSpace is not asked for here, so the guard never refuses.
func freeSpace(string) (uint64, error) { return math.MaxUint64, nil }
