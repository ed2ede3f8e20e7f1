package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
)

// largest is the largest lawful metadata, as JSON, and the longest description.
// Each character takes six bytes where it is encoded ("\u003c"), more than any
// other does, and one in the request, so that all of it fits below [MaxBody].
func largest() (metadata, description string) {
	var entries []string
	for i := range ledger.MaxMetadata {
		name := fmt.Sprintf("%s%02d", strings.Repeat("<", ledger.MaxMetadataName-2), i)
		entries = append(entries, fmt.Sprintf("%q:%q", name, strings.Repeat("<", ledger.MaxMetadataValue)))
	}
	return "{" + strings.Join(entries, ",") + "}", strings.Repeat("<", ledger.MaxDescription)
}

// longest is a request of the longest owner under the longest key: it stands in the record, the object and
// each event.
func longest(a ask, n int) ask {
	a.owner = strings.Repeat("o", 64)
	a.key = strings.Repeat("<", idem.MaxKeyLength-2) + fmt.Sprintf("%02d", n)
	return a
}

// replays sends a request twice.
func (b *bench) replays(status int, a ask) answer {
	b.t.Helper()
	first := b.want(status, a)
	if again := b.want(status, a); again.body != first.body || again.header.Get("Idempotent-Replayed") != "true" {
		b.t.Errorf("an answer of %d bytes does not replay", len(first.body))
	}
	return first
}

// TestTheLargestLawfulObjectsAreStoredAndReplayed: what a request may carry has
// to fit into the rows of its record, its object and its events, and all of them
// into one commit, whether it is a charge, an intent that is declined, one that
// is confirmed later, or a refund of the largest charge.
func TestTheLargestLawfulObjectsAreStoredAndReplayed(t *testing.T) { // A20
	b := newBench(t, benchOptions{})
	metadata, description := largest()
	body := func(more string) string {
		return `{"amount":5000,"currency":"eur","metadata":` + metadata + `,"description":"` + description + `"` + more + `}`
	}
	paid := b.replays(http.StatusCreated, longest(ask{json: body(`,"source":"tok_visa"`)}, 1))
	refunds := `{"charge":"` + paid.charge(t).ID + `","amount":1000,"metadata":` + metadata + `}`
	b.replays(http.StatusCreated, longest(ask{path: pathRefunds, json: refunds}, 2))
	b.bank.next(move{decline: "insufficient_funds"})
	b.replays(http.StatusPaymentRequired, longest(ask{path: pathIntents, json: body(`,"confirm":true,"payment_method":"pm_card_visa"`)}, 3))
	made := b.replays(http.StatusCreated, longest(ask{path: pathIntents, json: body("")}, 4)).intent(t)
	b.replays(http.StatusCreated, longest(ask{path: pathOf(made.ID) + "/confirm", json: `{"payment_method":"pm_card_visa"}`}, 5))

	url := "http://localhost/?" + strings.Repeat("<", ledger.MaxEndpointURL-18)
	hook := `{"url":"` + url + `","enabled_events":["*"],"metadata":` + metadata + `,"description":"` + description + `"}`
	b.replays(http.StatusCreated, longest(ask{path: pathEndpoints, json: hook}, 6))

	if err := b.store.View(context.Background(), func(books ledger.Reader) error {
		records, err := books.Records(strings.Repeat("o", 64), 100)
		if err != nil {
			return err
		}
		b.fits(records)
		breaches, err := ledger.Audit(context.Background(), books)
		if len(breaches) > 0 {
			t.Errorf("%v", breaches)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

// fits holds the size of records, as they are written, against what a row takes.
func (b *bench) fits(records []idem.Record) {
	b.t.Helper()
	const least = 4 * 6 * ledger.MaxMetadata * ledger.MaxMetadataValue / 3 // the values in JSON in base64
	largest := 0
	for _, record := range records {
		for len(record.History) < idem.MaxHistory {
			record.History = append(record.History, record.History[0])
		}
		row, err := json.Marshal(record)
		if err != nil {
			b.t.Fatal(err)
		}
		largest = max(largest, len(row))
	}
	b.t.Logf("the largest of %d records takes %d bytes of %d", len(records), largest, badgerdb.MaxValueSize)
	if largest < least || largest > badgerdb.MaxValueSize*7/8 {
		b.t.Errorf("the largest record takes %d bytes of %d: it is not the largest, or a row is short of room", largest, badgerdb.MaxValueSize)
	}
}
