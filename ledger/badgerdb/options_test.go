package badgerdb

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestAcknowledgedWritesAreSynced(t *testing.T) {
	db := open(t, Options{Dir: t.TempDir()})
	effective := db.inner.Opts()
	if !effective.SyncWrites || !effective.DetectConflicts {
		t.Fatalf("SyncWrites %v, DetectConflicts %v", effective.SyncWrites, effective.DetectConflicts)
	}
}

// The value log would need a collector; staying below its threshold is simpler.
func TestTheValueLogStaysEmpty(t *testing.T) {
	dir := t.TempDir()
	db := open(t, Options{Dir: dir})
	for i := range 8 {
		set(t, db, fmt.Sprint(i), string(bytes.Repeat([]byte("x"), MaxValueSize)))
	}
	logs, err := filepath.Glob(filepath.Join(dir, "*"+vlogExt))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no value log to look at: %v", err)
	}
	const header = 20
	for _, log := range logs {
		content, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if rest := bytes.TrimRight(content, "\x00"); len(rest) > header {
			t.Errorf("%s holds %d bytes", filepath.Base(log), len(rest))
		}
	}
}

// The largest value must fit into a transaction together with its company.
func TestALargeRecordFitsWithItsCompany(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		err := db.Update(context.Background(), func(tx *Tx) error {
			for i := range 4 {
				if err := tx.Set(fmt.Append(nil, i), make([]byte, MaxValueSize)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestTheLogGetsWarningsAndErrorsOnly(t *testing.T) {
	var lines []string
	adapter := logger{func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }}
	adapter.Debugf("%s", unprintable{t})
	adapter.Infof("%s", unprintable{t})
	adapter.Warningf("slow %d", 1)
	adapter.Errorf("bad %d", 2)
	if got := fmt.Sprint(lines); got != "[badger warning: slow 1 badger error: bad 2]" {
		t.Fatalf("got %s", got)
	}
	logger{}.Errorf("nobody listens %d", 3) // must not panic
}

// unprintable fails the test when it is formatted.
type unprintable struct{ t *testing.T }

func (u unprintable) String() string {
	u.t.Error("a dropped line was formatted")
	return ""
}

func TestAnOrdinaryLifeIsSilent(t *testing.T) {
	var lines []string
	db, err := Open(Options{Dir: t.TempDir(), Log: func(format string, args ...any) {
		lines = append(lines, fmt.Sprintf(format, args...))
	}})
	if err != nil {
		t.Fatal(err)
	}
	set(t, db, "a", "1")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if len(lines) > 0 {
		t.Fatalf("logged %q", lines)
	}
}
