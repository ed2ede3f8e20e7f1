package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/web/control"
)

func look[T any](b *bench, path string) (value T) {
	b.t.Helper()
	got := b.want(http.StatusOK, ask{method: "GET", path: path, owner: "-"})
	if err := json.Unmarshal([]byte(got.body), &value); err != nil {
		b.t.Fatal(err)
	}
	return value
}

func TestTheBooksSayWhatTheLedgerHolds(t *testing.T) {
	b := newBench(t, benchOptions{})
	if empty := look[control.LedgerBooks](b, "/-/books"); len(empty.Owners) != 0 || empty.Postings == nil {
		t.Errorf("%+v", empty)
	}
	b.want(201, ask{owner: "alice", key: "1"})
	b.want(201, ask{owner: "alice", key: "2", form: with("amount", "200")})
	b.want(201, ask{owner: "bob", key: "1", form: with("currency", "usd")})
	b.bank.next(move{decline: "lost_card"})
	b.want(402, ask{owner: "bob", key: "2"})
	b.bank.next(move{status: 503})
	b.want(503, ask{owner: "bob", key: "3"})

	books := look[control.LedgerBooks](b, "/-/books")
	alice, bob := books.Owners["alice"], books.Owners["bob"]
	if alice.Charged["eur"] != 5200 || alice.Charges != 2 || len(alice.List) != 2 || alice.List[0].Amount != 200 {
		t.Errorf("alice: %+v", alice)
	}
	if bob.Charged["usd"] != 5000 || bob.Charges != 1 || len(bob.List) != 3 {
		t.Errorf("bob: %+v", bob)
	}
	if states := bob.List[0].Status + bob.List[1].Status + bob.List[2].Status; states != "pendingfailedsucceeded" {
		t.Errorf("bob's charges are %s", states)
	}
	if one := alice.List[0]; one.ProviderKey != "cap_"+one.ID || one.Capture == "" || one.Key != "2" || one.CreatedMS == 0 {
		t.Errorf("%+v", one)
	}
	if len(books.Postings) != 6 || books.Balances["provider:receivable"]["eur"] != 5200 || books.Balances["owner:alice"]["eur"] != -5200 {
		t.Errorf("%d postings, balances %v", len(books.Postings), books.Balances)
	}
}

func TestARecordIsShownWithItsLeaseHistoryAndReplays(t *testing.T) {
	b := newBench(t, benchOptions{lease: time.Hour})
	paid := b.want(201, ask{owner: "alice", key: "1"})
	b.want(201, ask{owner: "alice", key: "1"})
	b.want(201, ask{owner: "alice", key: "1"})
	b.want(201, ask{owner: "bob", key: "1"})
	arrived, release := b.bank.hold()
	open := b.later(ask{owner: "alice", key: "2"})
	receive(t, arrived)

	records := look[[]control.KeyRecord](b, "/-/keys?owner=alice&key=1")
	if len(records) != 1 {
		t.Fatalf("%+v", records)
	}
	done := records[0]
	if done.Owner != "alice" || done.State != "done" || done.Status != 201 || done.Body != paid.body || done.Replays != 2 || done.LeaseMS != 0 {
		t.Errorf("%+v", done)
	}
	if kept := done.ExpiresMS - done.FinishedMS; kept != (24 * time.Hour).Milliseconds() {
		t.Errorf("kept for %d ms", kept)
	}
	if done.Resource != paid.charge(t).ID || done.Operation != "POST /v1/charges" || len(done.History) < 2 || done.Fence != 1 {
		t.Errorf("%+v", done)
	}
	claimed := look[[]control.KeyRecord](b, "/-/keys?owner=alice&key=2")[0]
	if claimed.State != "claimed" || claimed.LeaseMS <= 0 || claimed.LeaseMS > time.Hour.Milliseconds() || claimed.ExpiresMS != 0 || claimed.Status != 0 {
		t.Errorf("%+v", claimed)
	}
	for path, want := range map[string]int{
		"/-/keys?owner=alice": 2, "/-/keys?owner=bob": 1, "/-/keys": 3, "/-/keys?owner=nobody": 0, "/-/keys?owner=bob&key=none": 0,
	} {
		if got := look[[]control.KeyRecord](b, path); len(got) != want || got == nil {
			t.Errorf("%s: %d records, want %d", path, len(got), want)
		}
	}
	release()
	receive(t, open)
}

func TestTheBooksAreNotServedToThePublic(t *testing.T) {
	b := newBench(t, benchOptions{})
	plain := httptest.NewServer(New(Options{Charger: b.ledger, Store: b.store}))
	defer plain.Close()
	for _, path := range []string{"/-/books", "/-/keys"} {
		response, err := http.Get(plain.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, response); got.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.status)
		}
	}
}

func TestTheReplayCounterIsBounded(t *testing.T) {
	var counter replayCounter
	for i := range 2 * maxReplayKeys {
		key := idem.Key{Owner: "o", Value: strconv.Itoa(i)}
		counter.add(key)
		counter.add(key)
		if counter.of(key) != 2 {
			t.Fatalf("%d replays", counter.of(key))
		}
	}
	if len(counter.counts) > maxReplayKeys {
		t.Errorf("%d keys are remembered", len(counter.counts))
	}
}

func TestTheNewestRecordsOfAllOwnersAreShown(t *testing.T) {
	b := newBench(t, benchOptions{})
	want := []string{"zoe/1", "alice/1", "bob/1", "alice/2"} // in the order of their requests
	for _, name := range want {
		owner, key, _ := strings.Cut(name, "/")
		b.want(201, ask{owner: owner, key: key})
	}
	slices.Reverse(want)
	var got []string
	for _, record := range look[[]control.KeyRecord](b, "/-/keys") {
		got = append(got, record.Owner+"/"+record.Key)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestWhatIsNotShownOfTheRecordsIsTheOldest(t *testing.T) {
	var all []idem.Record
	for i := range 2 * maxInspectRecords { // in no order of time
		at := time.Unix(int64(i*7919%1000), 0)
		all = append(all, idem.Record{Key: idem.Key{Owner: "o", Value: strconv.Itoa(i)}, Created: at})
	}
	shown := newest(all)
	if len(shown) != maxInspectRecords {
		t.Fatalf("%d are shown", len(shown))
	}
	for i, record := range shown[1:] {
		if record.Created.After(shown[i].Created) {
			t.Fatalf("the record at %d is newer than the one before it", i+1)
		}
	}
	for _, left := range all[maxInspectRecords:] {
		if left.Created.After(shown[maxInspectRecords-1].Created) {
			t.Fatal("a newer one was left out")
		}
	}
}
