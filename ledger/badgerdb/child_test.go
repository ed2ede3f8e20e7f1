package badgerdb

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/dgraph-io/badger/v4"
)

// The test binary runs itself again as the process that gets killed.
const (
	childRole = "BADGERDB_TEST_ROLE" // what the child does; empty: it runs the tests
	childDir  = "BADGERDB_TEST_DIR"  // the data directory
	childName = "BADGERDB_TEST_NAME" // sets its keys apart from those of earlier children
)

func TestMain(m *testing.M) {
	role, dir := os.Getenv(childRole), os.Getenv(childDir)
	switch role {
	case "":
		os.Exit(m.Run())
	case "writer":
		os.Exit(writeUntilKilled(dir, os.Getenv(childName)))
	case "opener":
		os.Exit(openOnly(dir))
	default:
		os.Exit(commitDoubtfully(dir, role))
	}
}

// writeUntilKilled claims keys from eight goroutines, and prints each key once
// its commit has returned: an acknowledgement as a customer would get it.
func writeUntilKilled(dir, name string) int {
	fmt.Println("opening")
	db, err := Open(Options{Dir: dir})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	var all sync.WaitGroup
	for writer := range 8 {
		all.Go(func() {
			for n := 0; ; n++ {
				key := fmt.Sprintf("%s-%d-%d", name, writer, n)
				if err := chargeRow(db, key); err != nil {
					fmt.Println("error:", err)
					return
				}
				fmt.Println("ack", key)
			}
		})
	}
	all.Wait()
	return 1
}

// chargeRow writes a record, two rows beside it and a counter in one
// transaction, as a charge does.
func chargeRow(db *DB, key string) error {
	return db.Update(context.Background(), func(tx *Tx) error {
		_, inserted, err := tx.InsertKey(claimed("shop", key, "ch_"+key))
		if err != nil {
			return err
		}
		if !inserted {
			return errors.New("the key is taken")
		}
		count, _, err := GetJSON[int](tx, "count")
		return errors.Join(err,
			SetJSON(tx, "charge/"+key, "ch_"+key),
			SetJSON(tx, "posting/"+key, strings.Repeat("x", 500)),
			SetJSON(tx, "count", count+1))
	})
}

func openOnly(dir string) int {
	_, err := Open(Options{Dir: dir})
	fmt.Println(err)
	return 3
}

// commitDoubtfully makes the last of two commits fail after or before Badger
// has really made it, and exits as a server should.
func commitDoubtfully(dir, role string) int {
	doubtful := false
	db, err := Open(Options{Dir: dir, commit: func(txn *badger.Txn) error {
		if doubtful && role == "lost" {
			return errDisk
		}
		if err := txn.Commit(); err != nil || !doubtful {
			return err
		}
		return errDisk
	}})
	if err == nil {
		err = chargeRow(db, "certain")
	}
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	doubtful = true
	err = chargeRow(db, "doubtful")
	<-db.Failed()
	fmt.Println("unknown", errors.Is(err, ErrOutcomeUnknown), db.Close())
	return 4
}

// child starts the test binary in a role.
func child(t *testing.T, role, dir, name string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childRole+"="+role, childDir+"="+dir, childName+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}
