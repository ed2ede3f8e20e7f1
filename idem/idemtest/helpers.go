package idemtest

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/idem"
)

// crowd is how many arrive together: far more than an engine has cores.
const crowd = 64

var (
	noon    = time.Date(2026, 5, 4, 12, 0, 0, 123456000, time.UTC)
	terms   = idem.Terms{Lease: 3 * time.Second, Retain: 24 * time.Hour, Tombstone: 240 * time.Hour}
	imprint = idem.NewFingerprint("POST", "/v1/charges", nil, idem.Params{"amount": "5000", "currency": "eur"})
	order   = idem.Key{Owner: "shop", Value: "order-1"}
)

func at(d time.Duration) idem.Now { return idem.At(noon.Add(d), time.Hour) }

// held is a record that an attempt holds under fence 1.
func held(key idem.Key, resource string) idem.Record {
	return idem.Record{
		Key: key, Fingerprint: imprint, Operation: "POST /v1/charges", Resource: resource,
		Point: idem.Claimed, Fence: 1, LeaseUntil: noon.Add(terms.Lease), Created: noon,
		History: []idem.Step{{At: noon, What: "claimed, fence 1"}},
	}
}

// under is the record under another fence.
func under(record idem.Record, fence uint64) idem.Record {
	record.Fence = fence
	return record
}

func done(record idem.Record) idem.Record {
	record.Point, record.LeaseUntil, record.Finished = idem.Done, time.Time{}, noon.Add(time.Hour)
	record.Answer = idem.Answer{
		Status: 201, Header: map[string]string{"Content-Type": "application/json", "Location": "/v1/charges/ch_1"},
		Body: []byte("{\"id\":\"ch_1\"}\n\x00\xff"), Request: "req_1",
	}
	return record
}

func released(record idem.Record) idem.Record {
	record.LeaseUntil = time.Time{}
	return record
}

// update runs fn as a transaction and fails the test on an error.
func update(t testing.TB, store idem.Store, fn func(idem.Tx) error) {
	t.Helper()
	if err := store.Update(t.Context(), fn); err != nil {
		t.Fatalf("transaction: %v", err)
	}
}

func insert(t testing.TB, store idem.Store, record idem.Record) (holder idem.Record, inserted bool) {
	t.Helper()
	update(t, store, func(tx idem.Tx) (err error) {
		holder, inserted, err = tx.InsertKey(record)
		return err
	})
	return holder, inserted
}

func swap(t testing.TB, store idem.Store, record idem.Record, fence uint64) (swapped bool) {
	t.Helper()
	update(t, store, func(tx idem.Tx) (err error) {
		swapped, err = tx.SwapKey(record, fence)
		return err
	})
	return swapped
}

// put stores a record under a key that must be free.
func put(t testing.TB, store idem.Store, record idem.Record) {
	t.Helper()
	if _, inserted := insert(t, store, record); !inserted {
		t.Fatalf("the key %v is taken in a fresh store", record.Key)
	}
}

// read returns the record of a taken key; inserting there changes nothing.
func read(t testing.TB, store idem.Store, key idem.Key) idem.Record {
	t.Helper()
	holder, inserted := insert(t, store, held(key, "nobody's"))
	if inserted {
		t.Fatalf("the key %v is free, want taken", key)
	}
	return holder
}

// together runs fn crowd times at once and waits for all.
func together(fn func(n int)) {
	var group sync.WaitGroup
	start := make(chan struct{})
	for n := range crowd {
		group.Go(func() {
			<-start
			fn(n)
		})
	}
	close(start)
	group.Wait()
}

// same compares two records field by field, times as instants, and an empty
// list as no list.
func same(t testing.TB, got, want idem.Record) {
	t.Helper()
	a, b := reflect.ValueOf(plain(got)), reflect.ValueOf(plain(want))
	for i := range a.NumField() {
		if !reflect.DeepEqual(a.Field(i).Interface(), b.Field(i).Interface()) {
			t.Errorf("%s is %s, want %s", a.Type().Field(i).Name, brief(a.Field(i).Interface()), brief(b.Field(i).Interface()))
		}
	}
}

func plain(record idem.Record) idem.Record {
	record = record.Clone()
	for _, instant := range []*time.Time{&record.LeaseUntil, &record.Created, &record.Finished} {
		*instant = instant.Round(0).UTC()
	}
	for i := range record.History {
		record.History[i].At = record.History[i].At.Round(0).UTC()
	}
	if len(record.History) == 0 {
		record.History = nil
	}
	if len(record.Answer.Body) == 0 {
		record.Answer.Body = nil
	}
	if len(record.Answer.Header) == 0 {
		record.Answer.Header = nil
	}
	if len(record.Fingerprint.Params) == 0 {
		record.Fingerprint.Params = nil
	}
	return record
}

// brief keeps a large answer out of the test's output.
func brief(value any) string {
	text := fmt.Sprintf("%+v", value)
	if len(text) > 500 {
		return text[:500] + fmt.Sprintf("… (%d bytes, %d commas)", len(text), strings.Count(text, ","))
	}
	return text
}
