package lesson

import (
	"fmt"
	"testing"

	"chargeonce/web/control"
)

func TestARunsOneOrderAndOneKeyAreReadFromTheBooks(t *testing.T) {
	books := Figures{
		Orders:  []control.Order{{State: "open"}},
		Records: []control.KeyRecord{{State: "claimed", Fence: 1, Status: 503}},
	}
	if state, answer := stateOf(books), answerOf(books); state != "open" || answer != "503" {
		t.Errorf("the order is %s, the answer %s", state, answer)
	}
	two := Figures{Orders: make([]control.Order, 2), Records: make([]control.KeyRecord, 2)}
	if state, answer := stateOf(two), answerOf(two); state != "2 orders" || answer != "2 records" {
		t.Errorf("of two, one was taken: %s, %s", state, answer)
	}
}

func TestAStuckRecordIsWhereItsFirstWorkerLeftIt(t *testing.T) {
	for name, of := range map[string]struct {
		records []control.KeyRecord
		broken  int
	}{
		"stuck":                      {[]control.KeyRecord{{State: "claimed", Fence: 1}}, 0},
		"done after all":             {[]control.KeyRecord{{State: "done", Fence: 1}}, 1},
		"taken over":                 {[]control.KeyRecord{{State: "claimed", Fence: 2}}, 1},
		"no record":                  {nil, 2},
		"one more than was expected": {make([]control.KeyRecord, 2), 2},
	} {
		c := checks{side: control.Naive}
		c.stuck(Figures{Records: of.records}, "claimed")
		broken := 0
		for _, check := range c.all {
			if !check.Held {
				broken++
			}
		}
		if broken != of.broken {
			t.Errorf("%s: %s", name, fmt.Sprint(c.all))
		}
	}
}
