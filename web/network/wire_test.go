package network

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestTheWireCountsByOwner(t *testing.T) {
	var c tally
	if got := c.read(); got == nil || len(got) != 0 {
		t.Errorf("an unused wire reads %v", got)
	}
	for _, owner := range []string{"shop", "shop", "run_1_b", "", "not a name", strings.Repeat("x", 65), Others} {
		c.add(owner)
	}
	want := map[string]int{"shop": 2, "run_1_b": 1, "": 1, Others: 3}
	read := c.read()
	if !reflect.DeepEqual(read, want) {
		t.Errorf("got %v, want %v", read, want)
	}
	read["shop"] = 99
	if got := c.read()["shop"]; got != 2 {
		t.Error("a reader changed the count")
	}
	c.forget()
	if got := c.read(); len(got) != 0 {
		t.Errorf("after forget: %v", got)
	}
}

func TestOwnersAreBounded(t *testing.T) {
	var c tally
	for i := range maxOwners + 10 {
		c.add(fmt.Sprint("o", i))
	}
	c.add("o0")
	got := c.read()
	if len(got) != maxOwners+1 || got[Others] != 10 || got["o0"] != 2 {
		t.Errorf("%d owners, %d others, o0 %d", len(got), got[Others], got["o0"])
	}
}
