package ledger

import (
	"context"
	"fmt"
	"time"

	"chargeonce/idem"
)

// What one transaction of the reaper changes is bounded, so that clients wait
// for milliseconds behind it, and that it fits a commit on Badger, which holds
// some 1.2 MB.
const (
	reapBatch = 64        // records
	reapBytes = 512 << 10 // of what is written; an ordinary record takes 1 KB
)

// Reaped counts what the reaper has removed.
type Reaped struct {
	Answers int // bodies that may no longer be replayed; their keys still refuse to run
	Keys    int // records whose tombstone was over; their keys may run again
}

// Reap removes what has expired on the retention clock: the bodies of answers
// past Terms.Retain, and the records of keys past Terms.Tombstone. It works in
// batches, one transaction each, between which others get their turn, until
// nothing is left or ctx ends; what was removed by then is counted beside the
// error. Only finished records expire: an open one is never touched, whatever
// its age. It may run beside itself and anything else.
func (l *Ledger) Reap(ctx context.Context) (Reaped, error) {
	var all Reaped
	for sweep := (expired{}); ; {
		batch, err := l.reapBatch(ctx, &sweep)
		all.Answers += batch.Answers
		all.Keys += batch.Keys
		if err != nil || batch == (Reaped{}) {
			return all, err
		}
	}
}

// reapOften is [Ledger.Reap] for as long as the ledger lives.
func (l *Ledger) reapOften(ctx context.Context) {
	ticker := time.NewTicker(l.opts.ReapEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if _, err := l.Reap(ctx); err != nil && ctx.Err() == nil {
			l.opts.Hooks.trouble(ctx, "remove what has expired", err)
		}
	}
}

// expired is what a batch has to do.
type expired struct {
	answers []idem.Record // to be stripped of their bodies
	keys    []idem.Record // to be dropped
	bytes   int           // that the stripped records take, at most

	// How far down each list the sweep has come. To begin at its head each time
	// would mean going through all that the sweep has removed, again and again.
	kept, spent time.Time
}

func (e *expired) full() bool {
	return len(e.answers)+len(e.keys) >= reapBatch || e.bytes >= reapBytes
}

func (e *expired) strip(r idem.Record) {
	e.answers = append(e.answers, r)
	e.bytes += weight(r)
}

// weight is what a record without its body takes in a row, at most: each byte
// of text may become six in JSON ("\u003c").
func weight(r idem.Record) int {
	text := len(r.Key.Owner) + len(r.Key.Value) + len(r.Operation) + len(r.Resource) + len(r.Answer.Request)
	for name, digest := range r.Fingerprint.Params {
		text += len(name) + len(digest)
	}
	for name, value := range r.Answer.Header {
		text += len(name) + len(value)
	}
	for _, step := range r.History {
		text += len(step.What)
	}
	return 1<<10 + 64*len(r.History) + 6*text
}

// reapBatch looks in a view and writes in a transaction of its own. What
// happens to a record in between is no harm: a done record changes only under a
// higher fence, and with the old one neither write is accepted.
func (l *Ledger) reapBatch(ctx context.Context, sweep *expired) (batch Reaped, err error) {
	now := l.opts.now()
	sweep.answers, sweep.keys, sweep.bytes = nil, nil, 0
	err = l.opts.Store.View(ctx, func(r Reader) error { return sweep.find(r, now, l.opts.Terms) })
	if err != nil || len(sweep.answers)+len(sweep.keys) == 0 {
		return Reaped{}, err
	}
	err = l.opts.Store.Update(ctx, func(tx Tx) (err error) {
		batch, err = sweep.remove(tx, now)
		return err
	})
	if err != nil {
		return Reaped{}, fmt.Errorf("reap: %w", err)
	}
	return batch, nil
}

// find reads on in both lists. A key whose tombstone is over goes with its
// answer, if that is still there.
func (e *expired) find(r Reader, now idem.Now, terms idem.Terms) error {
	over := func(d Due, life time.Duration) bool { return !now.Retention.Before(d.At.Add(life)) }
	err := r.Agenda(SpentKeys, e.spent, func(d Due) (bool, error) {
		if !over(d, terms.Tombstone) {
			return false, nil
		}
		e.keys, e.spent = append(e.keys, d.Record), d.At
		return !e.full(), nil
	})
	if err != nil || e.full() {
		return err
	}
	return r.Agenda(KeptKeys, e.kept, func(d Due) (bool, error) {
		switch {
		case over(d, terms.Tombstone):
			e.keys = append(e.keys, d.Record)
		case over(d, terms.Retain):
			e.strip(d.Record)
		default:
			return false, nil
		}
		e.kept = d.At
		return !e.full(), nil
	})
}

// remove runs inside a transaction.
func (e *expired) remove(tx Tx, now idem.Now) (batch Reaped, err error) {
	for _, record := range e.keys {
		dropped, err := tx.DropKey(record)
		if err != nil {
			return Reaped{}, err
		}
		if dropped {
			batch.Keys++
		}
	}
	for _, record := range e.answers {
		swapped, err := tx.SwapKey(stripped(record, now), record.Fence)
		if err != nil {
			return Reaped{}, err
		}
		if swapped {
			batch.Answers++
		}
	}
	return batch, nil
}

// stripped is the record without what it may no longer replay. It keeps what
// says that the key is spent, and on what. Like any change to a record that
// nobody holds it comes under the next fence.
func stripped(r idem.Record, now idem.Now) idem.Record {
	r = r.Clone()
	r.Answer.Body = nil
	r.Fence++
	if len(r.History) < idem.MaxHistory {
		r.History = append(r.History, idem.Step{At: now.Wall, What: "its answer is no longer kept"})
	}
	return r
}
