package api

import (
	"io"
	"sync"
	"sync/atomic"

	"chargeonce/web/control"
)

// maxQueue bounds the lines that wait for the stage, some 500 bytes each: a
// storm of two hundred charges makes fifteen hundred.
const maxQueue = 4096

// upward writes control lines to the stage. Sending never blocks: a stage that
// reads too slowly misses events and is told how many. It is safe for
// concurrent use.
type upward struct {
	queue   chan control.Up
	dropped atomic.Int64
	stop    chan struct{} // closed when no more will come
	ended   chan struct{} // closed when the writer has ended
	once    sync.Once
}

func newUpward(w io.Writer) *upward {
	u := &upward{queue: make(chan control.Up, maxQueue), stop: make(chan struct{}), ended: make(chan struct{})}
	go u.write(w)
	return u
}

// send queues a line, or counts it as dropped and says so.
func (u *upward) send(line control.Up) bool {
	select {
	case u.queue <- line:
		return true
	default:
		u.dropped.Add(1)
		return false
	}
}

// event is a [Tracer].
func (u *upward) event(event control.Event) {
	_ = u.send(control.Up{Type: "event", Event: &event})
}

// write is the one writer. Once the stage is gone it throws lines away, so that
// the API can finish what it has begun.
func (u *upward) write(w io.Writer) {
	defer close(u.ended)
	var broken error
	for {
		line, more := u.next()
		if !more {
			return
		}
		if broken == nil {
			line.Dropped = int(u.dropped.Swap(0))
			broken = control.Write(w, line)
		}
	}
}

// next takes the next line; after the stop it empties the queue.
func (u *upward) next() (line control.Up, more bool) {
	select {
	case line = <-u.queue:
		return line, true
	case <-u.stop:
	}
	select {
	case line = <-u.queue:
		return line, true
	default:
		return control.Up{}, false
	}
}

// close stops the writer; ended says when the last line is out. A stage that
// does not read can keep it from ending, so nobody waits for it without bound.
func (u *upward) close() { u.once.Do(func() { close(u.stop) }) }

// follow obeys the stage's lines until stdin ends, then calls end: a child
// does not outlive its stage.
func (p *process) follow(stdin io.Reader, end func()) {
	defer end()
	if err := control.Read(stdin, func(down control.Down) { p.obey(down, end) }); err != nil {
		p.log.Error("the control channel is broken", "error", err)
	}
}

func (p *process) obey(down control.Down, end func()) {
	switch down.Type {
	case "shutdown":
		end()
	case "clock":
		p.setClock(down.OffsetMS)
		if down.Hold != "" {
			p.up.send(control.Up{Type: "clock", Hold: down.Hold})
		}
	case "gate":
		if p.gates.arm(down) && down.Hold != "" {
			// Requests come by another way than this line: who wants the next
			// one to stop must know that it will.
			p.up.send(control.Up{Type: "armed", Hold: down.Hold, Gate: down.Gate, Owner: down.Owner})
		}
	case "release":
		p.gates.release(down)
	default:
		p.log.Warn("a control line of an unknown type was ignored")
	}
}
