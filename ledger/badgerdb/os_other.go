//go:build !linux && !darwin && !windows

package badgerdb

import "math"

// dirLock does nothing here: Badger's own lock refuses a second opener.
type dirLock struct{}

func lockDir(string) (*dirLock, error) { return nil, nil }

func (*dirLock) release() error { return nil }

// freeSpace is not known here, so the guard never refuses.
func freeSpace(string) (uint64, error) { return math.MaxUint64, nil }
