package stage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"chargeonce/web/control"
)

const (
	// undoWithin is how long a reset can be taken back: as long as it takes to
	// see that it was the wrong key.
	undoWithin = 10 * time.Second
	// resetWithin bounds a reset or an undo: both sides end, both start, and
	// where the start is not to be had, the old ones start again.
	resetWithin = 3 * openWithin
)

// undo is what a reset put aside. The zero value holds nothing. It is safe for
// concurrent use; whoever holds mu is the only one who resets.
type undo struct {
	mu     sync.Mutex // guards what follows
	kept   *past      // nil: there is nothing to undo
	closed bool
}

// past is free play as it was before a reset, beside its books.
type past struct {
	log    chapter
	offset time.Duration // of the retention clock
	until  time.Time     // it can be undone
	timer  *time.Timer   // removes the books then
}

// left is how long the last reset can still be undone; 0: there is none.
func (u *undo) left() time.Duration {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.leftLocked()
}

// leftLocked needs u.mu.
func (u *undo) leftLocked() time.Duration {
	if u.kept == nil {
		return 0
	}
	return max(0, time.Until(u.kept.until))
}

// reset gives free play fresh books, records and clocks, and returns how long
// it can be undone. A second one, when nothing has happened since the first,
// changes nothing: a key that is pressed twice must not cost the way back. On
// an error everything is as it was, but for an earlier way back.
func (s *Stage) reset(ctx context.Context) (left time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetWithin)
	defer cancel()
	s.undo.mu.Lock()
	defer s.undo.mu.Unlock()
	if s.undo.closed {
		return 0, errStopping
	}
	offset := s.manual.system(control.Safe).clock.now()
	if left := s.undo.leftLocked(); left > 0 && offset == 0 && s.log.untouched() {
		return left, nil
	}
	s.undo.forget()
	if err := clearParts(s.options.Data); err != nil {
		return 0, fmt.Errorf("reset: %w", err)
	}
	before := &past{offset: offset}
	err = s.manual.reopen(ctx, 0, func() error {
		if err := shelve(s.options.Data); err != nil {
			return err
		}
		before.log = s.log.turn(chapter{})
		return nil
	})
	if err == nil {
		err = settleParts(s.options.Data)
	}
	if err != nil {
		return 0, errors.Join(fmt.Errorf("reset: %w", err), s.back(ctx, before))
	}
	s.keep(before)
	s.tellBoth("Fresh books and records on both sides: what was before is set aside.")
	return undoWithin, nil
}

// back opens what was there before, if a rig can be opened at all. It needs
// s.undo.mu.
func (s *Stage) back(ctx context.Context, before *past) error {
	return s.manual.reopen(ctx, before.offset, func() error {
		if err := bringBack(s.options.Data); err != nil {
			return err // a mix must not be opened; the next start mends it
		}
		if before.log.seq != 0 {
			s.log.turn(before.log)
		}
		return nil
	})
}

// undoReset brings back what the last reset put aside. The error is
// [errNothingToUndo] if there is nothing, or not any more.
func (s *Stage) undoReset(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resetWithin)
	defer cancel()
	s.undo.mu.Lock()
	defer s.undo.mu.Unlock()
	before := s.undo.kept
	if s.undo.closed {
		return errStopping
	}
	if s.undo.leftLocked() == 0 {
		return errNothingToUndo
	}
	before.timer.Stop() // the books are wanted; a timer that fires now waits for mu and finds nothing kept
	if err := s.back(ctx, before); err != nil {
		s.keep(before) // the books are still there: the way back is not lost with one try
		return fmt.Errorf("undo: %w", err)
	}
	s.undo.kept = nil
	s.tellBoth("The reset is undone: the books are as they were.")
	return nil
}

// keep holds the past for a while. It needs s.undo.mu.
func (s *Stage) keep(before *past) {
	before.until = time.Now().Add(undoWithin)
	s.undo.kept = before
	before.timer = time.AfterFunc(undoWithin, func() {
		s.undo.mu.Lock()
		defer s.undo.mu.Unlock()
		if s.undo.kept != before { // undone, or reset again
			return
		}
		s.undo.kept = nil
		if err := clearParts(s.options.Data); err != nil {
			s.logf("stage: remove the books from before the reset: %v", err) // the next start does
		}
	})
}

// forget gives the way back up, but for the folder. It needs u.mu.
func (u *undo) forget() {
	if u.kept != nil {
		u.kept.timer.Stop()
		u.kept = nil
	}
}

// endUndo waits for a reset that is under way, and removes what the last one
// put aside: its way back ends with the stage.
func (s *Stage) endUndo() error {
	s.undo.mu.Lock()
	defer s.undo.mu.Unlock()
	s.undo.closed = true
	if s.undo.kept == nil {
		return nil
	}
	s.undo.forget()
	return clearParts(s.options.Data)
}

// tellBoth tells the panels of something that happened to both sides.
func (s *Stage) tellBoth(text string) {
	for _, system := range s.manual.systems() {
		system.emit(control.Event{Lane: control.LaneAPI, Kind: control.KindNote, Text: text})
	}
}
