package badgerdb

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"

	"pgregory.net/rapid"
)

// finished is a record with every field set.
func finished() idem.Record {
	return idem.Record{
		Key: idem.Key{Owner: "shop", Value: "order-1"},
		Fingerprint: idem.Fingerprint{
			Sum: "v1:aa", Operation: "bb", Params: map[string]string{"amount": "cc"},
		},
		Operation: "POST /v1/charges", Resource: "ch_1", Point: idem.Done, Fence: 3,
		LeaseUntil: noon.Add(3 * time.Second), Created: noon, Finished: noon.Add(time.Second),
		Answer: idem.Answer{
			Status: 201, Header: map[string]string{"Content-Type": "application/json"},
			Body: []byte("{\"id\":\"ch_1\"}\n\x00\xff"), Request: "req_1",
		},
		History: []idem.Step{{At: noon, What: "claimed, fence 1"}},
	}
}

// v1 is what finished looks like on the disks of version 1. It must stay
// readable for as long as a tombstone lives; never edit it.
const v1 = `{"v":1,"owner":"shop","key":"order-1",` +
	`"fingerprint":{"sum":"v1:aa","operation":"bb","params":{"amount":"cc"}},` +
	`"operation":"POST /v1/charges","resource":"ch_1","point":"done","fence":3,` +
	`"lease_until":"2026-05-04T12:00:03.123456789Z","created":"2026-05-04T12:00:00.123456789Z",` +
	`"finished":"2026-05-04T12:00:01.123456789Z",` +
	`"answer":{"status":201,"header":{"Content-Type":"application/json"},"body":"eyJpZCI6ImNoXzEifQoA/w==","request":"req_1"},` +
	`"history":[{"at":"2026-05-04T12:00:00.123456789Z","what":"claimed, fence 1"}]}`

func TestTheStoredFormIsFixed(t *testing.T) {
	data, err := encodeRecord(finished())
	if err != nil || string(data) != v1 {
		t.Errorf("encoded as %s, %v", data, err)
	}
	record, err := decodeRecord([]byte(v1))
	if err != nil || !reflect.DeepEqual(record, finished()) {
		t.Errorf("decoded as %+v, %v", record, err)
	}
}

// A field that is added to the record must be added to the stored form too.
func TestEveryFieldIsStored(t *testing.T) {
	var check func(path string, v reflect.Value)
	check = func(path string, v reflect.Value) {
		if v.IsZero() {
			t.Errorf("%s is not set in the fixture, so nothing proves that it is stored", path)
		}
		if v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[time.Time]() {
			for i := range v.NumField() {
				check(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
	check("record", reflect.ValueOf(finished()))
}

func TestTimesAreStoredAsInstantsInUTC(t *testing.T) {
	record := finished()
	record.Created = time.Now().In(time.FixedZone("east", 7200)) // with a monotonic reading
	data, err := encodeRecord(record)
	if err != nil {
		t.Fatal(err)
	}
	back, err := decodeRecord(data)
	if err != nil || back.Created != record.Created.Round(0).UTC() {
		t.Fatalf("got %v, %v", back.Created, err)
	}
	record.LeaseUntil = time.Time{} // released
	if data, err = encodeRecord(record); err != nil {
		t.Fatal(err)
	}
	if back, err = decodeRecord(data); err != nil || !back.LeaseUntil.IsZero() {
		t.Fatalf("released came back as %v, %v", back.LeaseUntil, err)
	}
}

func TestARecordComesBackAsItWasStored(t *testing.T) {
	instant := rapid.Custom(func(t *rapid.T) time.Time {
		return time.Unix(rapid.Int64Range(0, 1<<34).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns")).UTC()
	})
	texts := rapid.MapOf(rapid.String(), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		record := idem.Record{
			Key:         idem.Key{Owner: rapid.String().Draw(t, "owner"), Value: rapid.String().Draw(t, "value")},
			Fingerprint: idem.Fingerprint{Sum: rapid.String().Draw(t, "sum"), Params: texts.Draw(t, "params")},
			Point:       idem.Point(rapid.StringN(1, 10, -1).Draw(t, "point")),
			Fence:       rapid.Uint64Min(1).Draw(t, "fence"),
			LeaseUntil:  instant.Draw(t, "lease"), Created: instant.Draw(t, "created"), Finished: instant.Draw(t, "finished"),
			Answer: idem.Answer{
				Status: rapid.IntRange(200, 499).Draw(t, "status"), Header: texts.Draw(t, "header"),
				Body: rapid.SliceOf(rapid.Byte()).Draw(t, "body"),
			},
			History: []idem.Step{{At: instant.Draw(t, "at"), What: rapid.String().Draw(t, "what")}},
		}
		data, err := encodeRecord(record)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decodeRecord(data)
		if err != nil || !reflect.DeepEqual(back, record) {
			t.Fatalf("stored %+v, got %+v, %v", record, back, err)
		}
	})
}

// Taken for a missing row, each of these would let a key run a second time.
func TestAnUnreadableRecordIsAnErrorAndNotAFreshKey(t *testing.T) {
	other := strings.Replace(v1, "order-1", "order-2", 1)
	for name, data := range map[string]string{
		"empty":         "",
		"null":          "null",
		"cut off":       v1[:100],
		"not JSON":      "\x00\x01",
		"trailing data": v1 + "{}",
		"later version": strings.Replace(v1, `"v":1`, `"v":2`, 1),
		"no version":    strings.Replace(v1, `"v":1,`, "", 1),
		"unknown field": strings.Replace(v1, `"v":1`, `"v":1,"new":true`, 1),
		"no fence":      strings.Replace(v1, `"fence":3`, `"fence":0`, 1),
		"no point":      strings.Replace(v1, `"point":"done"`, `"point":""`, 1),
		"another key":   other,
	} {
		t.Run(name, func(t *testing.T) {
			db := open(t, Options{InMemory: true})
			key := idem.Key{Owner: "shop", Value: "order-1"}
			at, err := recordKey(key)
			if err != nil {
				t.Fatal(err)
			}
			set(t, db, string(at), data)
			err = db.Update(context.Background(), func(tx *Tx) error {
				_, inserted, err := tx.InsertKey(claimed("shop", "order-1", "ch_2"))
				if inserted {
					t.Error("the key runs again")
				}
				return err
			})
			if !errors.Is(err, ErrCorrupt) || strings.Contains(err.Error(), "order-") {
				t.Errorf("insert: %v", err)
			}
			err = db.Update(context.Background(), func(tx *Tx) error { _, err := tx.SwapKey(finished(), 3); return err })
			if !errors.Is(err, ErrCorrupt) {
				t.Errorf("swap: %v", err)
			}
		})
	}
}

func TestARecordThatIsTooLargeIsRefusedWhole(t *testing.T) {
	db := open(t, Options{InMemory: true})
	record := claimed("shop", "order-1", "ch_1")
	record.Answer.Body = make([]byte, MaxValueSize)
	err := db.Update(context.Background(), func(tx *Tx) error { _, _, err := tx.InsertKey(record); return err })
	if !errors.Is(err, ErrTooBig) {
		t.Fatalf("got %v", err)
	}
}

func TestARecordThatCannotBeEncodedIsRefusedWhole(t *testing.T) {
	db := open(t, Options{InMemory: true})
	record := claimed("shop", "order-1", "ch_1")
	record.Created = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC) // beyond RFC 3339
	err := db.Update(context.Background(), func(tx *Tx) error {
		_, _, _ = tx.InsertKey(record) // ignored by a careless caller
		return tx.Set([]byte("a"), nil)
	})
	if err == nil {
		t.Fatal("committed")
	}
	if _, ok := get(t, db, "a"); ok {
		t.Fatal("half of it was written")
	}
}
