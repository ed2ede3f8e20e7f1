package badgerdb

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Extensions of Badger's files that grow in place.
const (
	memExt  = ".mem"  // write-ahead log of a memtable
	vlogExt = ".vlog" // value log
)

// removeEmpty deletes write-ahead and value logs of length zero. A process
// killed between making such a file and giving it its size leaves one behind;
// it holds no data, and Badger would refuse to open because of it.
func removeEmpty(dir string) error {
	logs, err := logsIn(dir)
	if err != nil {
		return err
	}
	for _, log := range logs {
		if log.Size() > 0 {
			continue
		}
		if err := os.Remove(filepath.Join(dir, log.Name())); err != nil {
			return fmt.Errorf("badgerdb: remove empty log: %w", err)
		}
	}
	return nil
}

// largestLog is the size in bytes of the largest write-ahead log.
func largestLog(options Options) (size int64, err error) {
	if options.InMemory {
		return 0, nil
	}
	logs, err := logsIn(options.Dir)
	for _, log := range logs {
		if filepath.Ext(log.Name()) == memExt {
			size = max(size, log.Size())
		}
	}
	return size, err
}

// logsIn lists the logs of the store. The caller holds the lock of the
// directory, so none of them can vanish.
func logsIn(dir string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("badgerdb: read data directory: %w", err)
	}
	var logs []fs.FileInfo
	for _, entry := range entries {
		ext := filepath.Ext(entry.Name())
		if !entry.Type().IsRegular() || ext != memExt && ext != vlogExt {
			continue
		}
		info, err := entry.Info()
		if err != nil {
			return nil, fmt.Errorf("badgerdb: read data directory: %w", err)
		}
		logs = append(logs, info)
	}
	return logs, nil
}

// checkSpace refuses to go on when the disk is nearly full.
func checkSpace(options Options) error {
	if options.InMemory {
		return nil
	}
	free, err := options.free(options.Dir)
	if err != nil {
		return fmt.Errorf("badgerdb: ask for free space: %w", err)
	}
	if free < options.MinFree {
		return fmt.Errorf("%w: %d MiB free, %d MiB required", ErrDiskFull, free>>20, options.MinFree>>20)
	}
	return nil
}
