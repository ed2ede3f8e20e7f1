package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"chargeonce/web/control"
)

// toldLines is the stdin of a process that only listens.
type toldLines struct{ bytes.Buffer }

func (*toldLines) Close() error { return nil }

// deafSide is a side whose process is a test: it says nothing by itself.
func deafSide() (*system, *toldLines) {
	told := &toldLines{}
	s := &system{options: systemOptions{Side: control.Safe}, child: &child{stdin: told}}
	s.gates = newGates(s)
	return s, told
}

func TestAGateIsArmedWhenTheProcessSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, told := deafSide()
		armed := make(chan error, 1)
		go func() {
			_, err := s.gates.arm(t.Context(), control.Gate{Side: control.Safe, Gate: "received", Owner: "a", Count: 1})
			armed <- err
		}()
		synctest.Wait()
		if len(armed) != 0 {
			t.Fatal("the gate passes for armed as soon as the line is written")
		}
		var line control.Down
		if err := json.Unmarshal(told.Bytes(), &line); err != nil || line.Hold == "" {
			t.Fatalf("the line has no id to answer to: %+v, %v", line, err)
		}
		s.onUp(control.Up{Type: "armed", Hold: "gate_of_another"})
		synctest.Wait()
		if len(armed) != 0 {
			t.Fatal("another gate's answer was taken for this one's")
		}
		s.onUp(control.Up{Type: "armed", Hold: line.Hold})
		s.onUp(control.Up{Type: "armed", Hold: line.Hold}) // told twice, around a restart
		if err := <-armed; err != nil {
			t.Error(err)
		}
	})
}

func TestAGateOfWhichNothingIsHeardIsAnErrorInTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := deafSide()
		begin := time.Now()
		_, err := s.gates.arm(t.Context(), control.Gate{Side: control.Safe, Gate: "received", Count: 1})
		if !errors.Is(err, errChildDown) || time.Since(begin) != armWithin {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		if len(s.gates.unsure) != 0 {
			t.Error("it is waited for for ever")
		}
	})
}
