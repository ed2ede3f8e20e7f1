package stage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// parts are the folders of free play's books: both payments APIs, and the boxes
// that live in the stage's process. A lesson's run is no part of them.
var parts = []string{"safe", "naive", "stage"}

// Beside the parts, while and after they are moved.
const (
	partsBefore = "reset-before" // the parts as they were before a reset
	partsUndone = "reset-undone" // the parts that an undo put aside; waste
	// partsMoving is a file. While it is there, whatever lies in partsBefore is
	// the truth, and its counterpart among the parts is not. Three folders
	// cannot be renamed in one step; this makes it one.
	partsMoving = "reset-moving"
)

// shelve puts the parts aside, so that fresh ones are made where they were. The
// move stands once [settleParts] is called; until then [bringBack] undoes it,
// and so does the next start of a stage that is killed here.
func shelve(data string) error {
	if err := mendParts(data); err != nil {
		return err
	}
	if err := mark(data); err != nil {
		return err
	}
	before := filepath.Join(data, partsBefore)
	if err := os.MkdirAll(before, 0o700); err != nil {
		return errors.Join(fmt.Errorf("put the books aside: %w", err), bringBack(data))
	}
	for _, part := range parts {
		err := os.Rename(filepath.Join(data, part), filepath.Join(before, part))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(fmt.Errorf("put the books aside: %w", err), bringBack(data))
		}
	}
	return nil
}

// settleParts says that the fresh parts are the truth from now on.
func settleParts(data string) error {
	if err := os.Remove(filepath.Join(data, partsMoving)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("settle the fresh books: %w", err)
	}
	return nil
}

// bringBack makes what was put aside the truth again. It can be repeated from
// wherever it was stopped: a part that is no longer aside is back already.
func bringBack(data string) error {
	if err := mark(data); err != nil {
		return err
	}
	undone := filepath.Join(data, partsUndone)
	if err := errors.Join(os.RemoveAll(undone), os.MkdirAll(undone, 0o700)); err != nil {
		return fmt.Errorf("bring the books back: %w", err)
	}
	for _, part := range parts {
		aside, here := filepath.Join(data, partsBefore, part), filepath.Join(data, part)
		if _, err := os.Stat(aside); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Rename(here, filepath.Join(undone, part)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("bring the books back: %w", err)
		}
		if err := os.Rename(aside, here); err != nil {
			return fmt.Errorf("bring the books back: %w", err)
		}
	}
	return errors.Join(settleParts(data), clearParts(data))
}

// mark says, durably, that the parts are being moved.
func mark(data string) error {
	file, err := os.Create(filepath.Join(data, partsMoving))
	if err != nil {
		return fmt.Errorf("mark the books as moving: %w", err)
	}
	return errors.Join(file.Sync(), file.Close())
}

// clearParts removes what is no longer wanted. It must not be called between
// shelve and settleParts.
func clearParts(data string) error {
	return errors.Join(os.RemoveAll(filepath.Join(data, partsBefore)), os.RemoveAll(filepath.Join(data, partsUndone)))
}

// mendParts makes good for an earlier life of the stage: a reset or an undo
// that it was killed in ends with the books as they were before the reset, one
// that it had finished stands. The caller holds the folder's lock.
func mendParts(data string) error {
	if _, err := os.Stat(filepath.Join(data, partsMoving)); err == nil {
		return bringBack(data)
	}
	return clearParts(data)
}
