package stage

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"chargeonce/web/control"
	"chargeonce/web/network"
)

func word(id, trace string, what network.What, body string) network.Exchange {
	return network.Exchange{
		ID: id, Event: network.Event{What: what, Trace: trace, Boundary: "api"},
		Request: network.Message{Header: http.Header{"Idempotency-Key": {"k"}}, Body: []byte(body), Size: int64(len(body))},
	}
}

func TestTheLatestWordAboutAnExchangeStands(t *testing.T) {
	var x exchanges
	x.add(control.Safe, word("1", "tr", network.Passed, "a"))
	x.add(control.Safe, word("1", "tr", network.Answered, "a"))
	x.add(control.Safe, word("2", "tr", network.Passed, "b")) // a second request under the same trace
	x.add(control.Naive, word("3", "tr", network.Passed, "c"))
	got := x.of(control.Safe, "tr")
	if len(got) != 2 || got[0].What != network.Answered || got[1].What != network.Passed {
		t.Errorf("got %+v", got)
	}
	if other := x.of(control.Naive, "tr"); len(other) != 1 || string(other[0].Request.Body) != "c" {
		t.Errorf("the naive side's: %+v", other)
	}
}

func TestExchangesComeInTheOrderInWhichTheyBegan(t *testing.T) {
	var x exchanges
	for i, at := range []int64{30, 10, 20} {
		n := word(fmt.Sprint(i), "tr", network.Answered, fmt.Sprint(at))
		n.Began = time.UnixMilli(at)
		x.add(control.Safe, n)
	}
	var order string
	for _, n := range x.of(control.Safe, "tr") {
		order += string(n.Request.Body) + " "
	}
	if order != "10 20 30 " {
		t.Errorf("order %s", order)
	}
}

func TestWhatIsKeptIsBoundedByNumberAndBySize(t *testing.T) {
	var many, large exchanges
	for i := range 2 * maxExchanges {
		many.add(control.Safe, word(fmt.Sprint(i), "tr", network.Answered, "x"))
		large.add(control.Safe, word(fmt.Sprint(i), "tr", network.Answered, strings.Repeat("x", network.MaxShown)))
	}
	if got := many.all(); len(got) != maxExchanges || got[0].ID != fmt.Sprint(maxExchanges) {
		t.Errorf("%d kept from %s on, want the latest %d", len(got), got[0].ID, maxExchanges)
	}
	kept, bytes := large.all(), 0
	for _, one := range kept {
		bytes += one.weight()
	}
	if bytes > maxExchangeBytes || bytes < maxExchangeBytes-2*network.MaxShown || bytes != large.bytes {
		t.Errorf("%d bytes are kept and %d counted, the bound is %d", bytes, large.bytes, maxExchangeBytes)
	}
	if last := kept[len(kept)-1].ID; last != fmt.Sprint(2*maxExchanges-1) {
		t.Errorf("the last one is %s", last)
	}
	// A second word about one that is kept must not be counted twice.
	before := large.bytes
	large.add(control.Safe, word(kept[len(kept)-1].ID, "tr", network.Answered, strings.Repeat("x", network.MaxShown)))
	if large.bytes != before {
		t.Errorf("%d bytes after a second word, want %d", large.bytes, before)
	}
}

func TestNoCardNumberIsKept(t *testing.T) {
	const number = "4242424242424242"
	n := word(number, "tr", network.Answered, "number="+number+"&cut=42424242")
	n.Request.Size += 8 // the rest was cut off
	n.Path, n.Query, n.Key = "/v1/"+number, "?n="+number, number
	n.Request.Header.Set("X-Card", number)
	n.Response = &network.Message{Header: http.Header{"X": {number}}, Body: []byte(number)}
	var x exchanges
	x.add(control.Safe, n)
	one := x.of(control.Safe, "tr")[0]
	one.ID = ""
	if text := fmt.Sprintf("%s %s %s %v %s %v %s", one.Path, one.Query, one.Key, one.Request.Header, one.Request.Body, one.Response.Header, one.Response.Body); strings.Contains(text, "4242") {
		t.Errorf("kept: %s", text)
	}
}

func TestASwapTakesEverythingAndGivesItBack(t *testing.T) {
	var x exchanges
	x.add(control.Safe, word("1", "old", network.Answered, "a"))
	before := x.swap(nil)
	if len(x.all()) != 0 || x.bytes != 0 {
		t.Errorf("left: %v, %d bytes", x.all(), x.bytes)
	}
	x.add(control.Safe, word("2", "new", network.Answered, "b"))
	x.swap(before)
	if got := x.all(); len(got) != 1 || got[0].Trace != "old" || x.bytes != got[0].weight() {
		t.Errorf("after the way back: %+v", got)
	}
}
