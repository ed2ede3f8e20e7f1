package badgerdb

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"chargeonce/idem"
)

// runKilled starts a writer, kills it for real once it has printed so many
// lines, and returns the keys that it had acknowledged.
func runKilled(t *testing.T, dir, name string, lines int) (acked []string) {
	t.Helper()
	cmd, out := child(t, "writer", dir, name)
	for n := 0; out.Scan(); n++ {
		if n == lines-1 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		if problem, found := strings.CutPrefix(out.Text(), "error:"); found {
			t.Fatalf("the child could not go on: %s", problem)
		}
		// Lines that were in the pipe when it died are acknowledged as well.
		if key, found := strings.CutPrefix(out.Text(), "ack "); found {
			acked = append(acked, key)
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the child ended by itself")
	}
	return acked
}

// checkWhole opens the store and compares it with what was acknowledged.
func checkWhole(t *testing.T, dir string, acked []string) {
	t.Helper()
	db, err := Open(Options{Dir: dir, Log: t.Logf})
	if err != nil {
		t.Fatalf("open after a kill: %v", err)
	}
	charges := rowsUnder(t, db, "charge/")
	postings := rowsUnder(t, db, "posting/")
	records := rowsUnder(t, db, recordPrefix+"shop/")
	count, _ := get(t, db, "count")
	for _, key := range acked {
		if !charges[key] {
			t.Errorf("the acknowledged %s is lost", key)
		}
	}
	for key := range charges {
		if !postings[key] {
			t.Errorf("%s is torn: a charge without its posting", key)
		}
		record := stored(t, db, idem.Key{Owner: "shop", Value: key})
		if record.Resource != "ch_"+key {
			t.Errorf("%s is torn: its record says %q", key, record.Resource)
		}
	}
	if len(postings) != len(charges) || len(records) != len(charges) {
		t.Errorf("%d charges, %d postings, %d records", len(charges), len(postings), len(records))
	}
	if len(charges) > 0 && count != fmt.Sprint(len(charges)) {
		t.Errorf("the counter says %s of %d charges", count, len(charges))
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// rowsUnder is the set of keys below a prefix, without the prefix.
func rowsUnder(t *testing.T, db *DB, prefix string) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	err := db.View(context.Background(), func(tx *Tx) error {
		return tx.Scan([]byte(prefix), ScanOptions{}, func(key, _ []byte) error {
			found[strings.TrimPrefix(string(key), prefix)] = true
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAKillLosesNothingAcknowledgedAndTearsNothing(t *testing.T) {
	dir := t.TempDir()
	var acked []string
	for round, lines := range []int{1, 2, 1, 10, 1, 60, 3, 1, 150, 25} { // 1: while it opens
		acked = append(acked, runKilled(t, dir, fmt.Sprint(round), lines)...)
		// Half of the rounds open in the next child first: a kill upon a kill.
		if round%2 == 1 {
			checkWhole(t, dir, acked)
		}
	}
	if len(acked) < 200 {
		t.Fatalf("only %d commits were acknowledged: the test has hardly tested", len(acked))
	}
}

func TestASecondProcessIsRefusedUntilTheFirstIsKilled(t *testing.T) {
	dir := t.TempDir()
	first, out := child(t, "writer", dir, "first")
	for out.Scan() && !strings.HasPrefix(out.Text(), "ack ") {
	}
	second, refusal := child(t, "opener", dir, "")
	refusal.Scan()
	if !strings.HasPrefix(refusal.Text(), ErrLocked.Error()) || refusal.Scan() {
		t.Errorf("the second said %q", refusal.Text())
	}
	if err := second.Wait(); second.ProcessState.ExitCode() != 3 {
		t.Errorf("the second ended with %v", err)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for out.Scan() { // to its end, so that Wait may be called
	}
	_ = first.Wait()           // killed, as told
	open(t, Options{Dir: dir}) // a dead process holds no lock
}

// After an unknown outcome, the store that opens again is the truth: the
// doubtful commit is there as a whole or not at all.
func TestReopeningTellsWhatAnUnknownOutcomeWas(t *testing.T) {
	for role, want := range map[string]bool{"kept": true, "lost": false} {
		t.Run(role, func(t *testing.T) {
			dir := t.TempDir()
			cmd, out := child(t, role, dir, "")
			out.Scan()
			if got := out.Text(); got != "unknown true <nil>" {
				t.Fatalf("the child said %q", got)
			}
			if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 4 {
				t.Fatalf("the child ended with %v", err)
			}
			checkWhole(t, dir, []string{"certain"})
			db := open(t, Options{Dir: dir})
			if _, found := get(t, db, "charge/doubtful"); found != want {
				t.Fatalf("the doubtful charge is there: %v", found)
			}
		})
	}
}
