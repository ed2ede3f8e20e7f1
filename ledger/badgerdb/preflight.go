package badgerdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// removeEmpty deletes write-ahead and value logs of length zero. A process
// killed between making such a file and giving it its size leaves one behind;
// it holds no data, and Badger would refuse to open because of it.
func removeEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("badgerdb: read data directory: %w", err)
	}
	for _, entry := range entries {
		if err := removeIfEmpty(dir, entry); err != nil {
			return fmt.Errorf("badgerdb: clean data directory: %w", err)
		}
	}
	return nil
}

func removeIfEmpty(dir string, entry fs.DirEntry) error {
	ext := filepath.Ext(entry.Name())
	if !entry.Type().IsRegular() || ext != ".mem" && ext != ".vlog" {
		return nil
	}
	info, err := entry.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || info.Size() > 0 {
		return err
	}
	return os.Remove(filepath.Join(dir, entry.Name()))
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
