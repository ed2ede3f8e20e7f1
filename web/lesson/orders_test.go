package lesson

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"
)

func TestEveryInterleavingIsThereOnce(t *testing.T) {
	var want []string // by counting: six places, three of them A's
	for places := range uint8(1 << 6) {
		if bits.OnesCount8(places) != 3 {
			continue
		}
		word := ""
		for i := range 6 {
			word += clicks[places>>i&1]
		}
		want = append(want, word)
	}
	slices.Sort(want)
	var got []string
	for _, o := range Orders() {
		got = append(got, o.Letters())
	}
	if len(want) != 20 || !slices.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

func TestStepsOfOneClickKeepTheirOrder(t *testing.T) {
	for _, o := range Orders() {
		for _, name := range clicks {
			var own []string
			for _, at := range o.stepsOf(name) {
				own = append(own, o.Steps[at-1])
			}
			if want := []string{name + ".look", name + ".charge", name + ".insert"}; !slices.Equal(own, want) {
				t.Errorf("order %s: click %s takes %v", o.Name, name, own)
			}
		}
	}
}

func TestOrdersAreTheSameEachTime(t *testing.T) {
	first, second := Orders(), Orders()
	if fmt.Sprint(first) != fmt.Sprint(second) {
		t.Fatal("two enumerations differ")
	}
	owners := make(map[string]bool)
	for i, o := range first {
		owners[o.Owner] = true
		if want := fmt.Sprint(i + 1); o.Name != want {
			t.Errorf("order %d is called %s", i+1, o.Name)
		}
	}
	if len(owners) != 20 {
		t.Errorf("%d owners for 20 orders: their books would mix", len(owners))
	}
}

func TestOrdersShareNoSteps(t *testing.T) {
	orders := Orders()
	for _, o := range orders {
		for i := range o.Steps {
			o.Steps[i] = o.Name
		}
	}
	for _, o := range orders {
		for _, step := range o.Steps {
			if step != o.Name {
				t.Fatalf("order %s was written over by order %s", o.Name, step)
			}
		}
	}
}
