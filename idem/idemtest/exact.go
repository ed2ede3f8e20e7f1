package idemtest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
)

func recordSurvivesExactly(t testing.TB, store idem.Store) {
	full := done(under(held(order, "ch_<&>\u2028"), math.MaxInt64-1))
	full.Finished = full.Finished.Add(1000 * time.Hour)
	for n := range idem.MaxHistory - 1 {
		full.History = append(full.History, idem.Step{At: noon.Add(time.Duration(n) * time.Microsecond), What: fmt.Sprintf("step %d: ä", n)})
	}
	zone := held(idem.Key{Owner: "shop", Value: "zone"}, "ch_2")
	zone.LeaseUntil = zone.LeaseUntil.In(time.FixedZone("somewhere", -5*3600))
	other := held(idem.Key{Owner: "shop", Value: "point"}, "")
	other.Point = "provider_called"
	bare := idem.Record{Key: idem.Key{Owner: "shop", Value: "bare"}, Point: idem.Claimed, Fence: 1}
	for _, record := range []idem.Record{full, zone, other, bare} {
		put(t, store, record)
	}
	for _, record := range []idem.Record{full, zone, other, bare} {
		same(t, read(t, store, record.Key), record)
		if next := under(record, record.Fence+1); !swap(t, store, next, record.Fence) {
			t.Errorf("%v could not be swapped", record.Key)
		} else {
			same(t, read(t, store, record.Key), next)
		}
	}
}

// The largest answer that may be stored must be storable, or the effect that
// it reports would be made again by every retry.
func largeAnswerSurvives(t testing.TB, store idem.Store) {
	mine := held(order, "ch_1")
	put(t, store, mine)
	large := done(mine)
	large.Answer.Body = []byte(strings.Repeat("<\x00\xff\"", idem.MaxAnswer/4))
	for len(large.History) < idem.MaxHistory {
		large.History = append(large.History, idem.Step{At: noon, What: strings.Repeat("w", idem.MaxStep)})
	}
	if !swap(t, store, large, 1) {
		t.Error("a large answer was not stored")
	}
	same(t, read(t, store, order), large)
}

func recordsShareNoMemory(t testing.TB, store idem.Store) {
	stored := done(held(order, "ch_1"))
	given := stored.Clone()
	put(t, store, given)
	scribble(given)
	same(t, read(t, store, order), stored)
	scribble(read(t, store, order))
	same(t, read(t, store, order), stored)

	given = under(stored, 2).Clone()
	swap(t, store, given, 1)
	scribble(given)
	same(t, read(t, store, order), under(stored, 2))
}

// scribble writes over all memory that the record points to.
func scribble(record idem.Record) {
	for name := range record.Fingerprint.Params {
		record.Fingerprint.Params[name] = "scribbled"
	}
	for name := range record.Answer.Header {
		record.Answer.Header[name] = "scribbled"
	}
	for i := range record.Answer.Body {
		record.Answer.Body[i] = 'X'
	}
	for i := range record.History {
		record.History[i].What = "scribbled"
	}
}
