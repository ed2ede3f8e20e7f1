package badgerdb

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"chargeonce/idem"
)

// atEveryBound is a record of which no part may be any larger, in characters
// that take six bytes each where they are encoded.
func atEveryBound() idem.Record {
	r := finished()
	r.Key = idem.Key{Owner: strings.Repeat("o", idem.MaxOwnerLength), Value: strings.Repeat("<", idem.MaxKeyLength)}
	r.Answer.Body = []byte(strings.Repeat("<", idem.MaxAnswer))
	for n := range 24 { // more parameters than any request of ours has
		r.Fingerprint.Params[fmt.Sprint(strings.Repeat("<", 38), n)] = strings.Repeat("f", 64)
	}
	r.History = nil
	for range idem.MaxHistory {
		r.History = append(r.History, idem.Step{At: noon, What: strings.Repeat("<", idem.MaxStep)})
	}
	return r
}

// A record that could not be written would take the money and keep no answer.
func TestARecordAtEveryBoundFitsAndComesBack(t *testing.T) {
	each(t, func(t *testing.T, db *DB) {
		want := atEveryBound()
		if data, err := encodeRecord(want); err != nil || len(data) < MaxValueSize*3/4 {
			t.Fatalf("%d bytes, %v: not the largest", len(data), err)
		}
		if err := db.Update(context.Background(), func(tx *Tx) error {
			_, inserted, err := tx.InsertKey(want)
			if !inserted && err == nil {
				t.Error("not inserted")
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if err := db.View(context.Background(), func(tx *Tx) error {
			got, found, err := tx.Record(want.Key)
			if !found || !reflect.DeepEqual(got, want) {
				t.Error("it came back as another")
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	})
}
