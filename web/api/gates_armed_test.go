package api

import (
	"testing"

	"chargeonce/web/control"
)

// Requests come over HTTP and gate lines over stdin, so the order in which they
// are sent says nothing about the order in which they arrive.
func TestAGateLineIsAnsweredOnceTheGateIsArmed(t *testing.T) {
	r := start(t, Config{Provider: newBank(t).url, Control: true})
	r.ups(func(up control.Up) bool { return up.Type == "ready" })
	for _, line := range []control.Down{
		{Type: "gate", Hold: "disarms", Gate: "claimed"},
		{Type: "gate", Hold: "refused", Gate: "claimed", Count: maxGateCount + 1},
		{Type: "gate", Gate: "claimed", Count: 1}, // asks for no answer
		{Type: "gate", Hold: "g1", Gate: "claimed", Owner: "a", Count: 1},
	} {
		if err := control.Write(r.stdin, line); err != nil {
			t.Fatal(err)
		}
	}
	first := r.ups(func(up control.Up) bool { return up.Type == "armed" })
	if first.Hold != "g1" || first.Gate != "claimed" || first.Owner != "a" {
		t.Errorf("the first answer is %+v", first)
	}
	if err := r.stop(); err != nil {
		t.Error(err)
	}
}
