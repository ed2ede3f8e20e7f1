package ledger

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

// List is one of the lists on which idempotency records wait for what happens
// to them by itself. Each record stands on exactly one, and moves with each
// write of it, in the same transaction.
type List string

const (
	// OpenKeys: unfinished, by when the last attempt ended or, if its lease
	// still runs, by when that ends. The completer takes records off it.
	OpenKeys List = "open"
	// KeptKeys: done, with the answer's bytes, by when they finished, on the
	// retention clock. The reaper moves them on to [SpentKeys].
	KeptKeys List = "kept"
	// SpentKeys: done, without bytes to replay, by when they finished, on the
	// retention clock. The reaper removes them after their tombstone.
	SpentKeys List = "spent"
)

// Lists are all of them.
var Lists = []List{OpenKeys, KeptKeys, SpentKeys}

// Due is a record on a list and the time that it stands there for.
type Due struct {
	At     time.Time // wall clock for [OpenKeys], else the retention clock
	Record idem.Record
}

// The lists are an index and not a scan over all records, because the records
// of a month are many and those to be seen to are few: whoever looks reads the
// first row that is not yet due, and stops. It costs two rows more in commits
// that are synced anyway.

// placeOf is where a record stands, worked out from the record alone.
func placeOf(r idem.Record) (List, time.Time) {
	switch {
	case r.Open():
		return OpenKeys, leftAt(r)
	case len(r.Answer.Body) > 0:
		return KeptKeys, r.Finished
	default:
		return SpentKeys, r.Finished
	}
}

// leftAt is when the attempt on an open record ended, or when its lease will.
func leftAt(r idem.Record) time.Time {
	switch n := len(r.History); {
	case !r.LeaseUntil.IsZero():
		return r.LeaseUntil
	case n > 0:
		return r.History[n-1].At // a release is the last step of its attempt
	default:
		return r.Created
	}
}

// agendaRow sorts by list and time. The key comes as its hash, so that no
// choice of a client's reaches into another row.
func agendaRow(r idem.Record) (row string, list List, at time.Time) {
	list, at = placeOf(r)
	id := r.Key.ID()
	return agendaPrefix(list) + instant(at) + "/" + hex.EncodeToString(id[:]), list, at
}

func agendaPrefix(list List) string { return rowAgenda + string(list) + "/" }

// instant writes a time so that it sorts, also before 1970.
func instant(at time.Time) string { return ordinal(uint64(at.UnixNano()) ^ 1<<63) }

// schedule moves a record from where it stood to where it stands now; nil: it
// was not there, or is no more.
func (tx *bookTx) schedule(old, next *idem.Record) error {
	from, to := "", ""
	if old != nil {
		from, _, _ = agendaRow(*old)
	}
	var list List
	var at time.Time
	if next != nil {
		to, list, at = agendaRow(*next)
	}
	if from == to {
		return nil
	}
	if from != "" {
		if err := tx.inner.Delete([]byte(from)); err != nil {
			return err
		}
	}
	if to == "" {
		return nil
	}
	if err := badgerdb.SetJSON(tx.inner, to, agendaEntry{next.Key.Owner, next.Key.Value}); err != nil {
		return err
	}
	tx.wrote(agendaPrefix(list) + at.Format(time.RFC3339Nano))
	return nil
}

// agendaEntry is what a row of the agenda holds: whose record it is.
type agendaEntry struct {
	Owner string `json:"owner"`
	Key   string `json:"key"`
}

// errEnough ends a walk whose reader has seen enough.
var errEnough = errors.New("ledger: enough")

// Agenda implements [Reader].
func (r bookReader) Agenda(list List, from time.Time, fn func(Due) (more bool, err error)) error {
	var scan badgerdb.ScanOptions
	if !from.IsZero() {
		scan.After = []byte(agendaPrefix(list) + instant(from)) // each row of that time is longer
	}
	err := r.inner.Scan([]byte(agendaPrefix(list)), scan, func(row, value []byte) error {
		due, err := r.due(string(row), value)
		if err != nil {
			return err
		}
		more, err := fn(due)
		if err == nil && !more {
			err = errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// due follows a row of the agenda to its record, and insists that the record
// belongs there: whoever acts on it acts on what was just read.
func (r bookReader) due(row string, value []byte) (Due, error) {
	entry, err := decode[agendaEntry](value)
	if err != nil {
		return Due{}, err
	}
	key := idem.Key{Owner: entry.Owner, Value: entry.Key}
	record, found, err := r.inner.Record(key)
	if err != nil {
		return Due{}, err
	}
	if want, _, at := agendaRow(record); found && want == row {
		return Due{At: at, Record: record}, nil
	}
	list, _, _ := strings.Cut(strings.TrimPrefix(row, rowAgenda), "/")
	return Due{}, fmt.Errorf("%w: the record of %v does not belong on the list %q", ErrCorrupt, key, list)
}
