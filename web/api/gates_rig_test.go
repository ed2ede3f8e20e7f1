package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"chargeonce/web/control"
)

// directed is a process under a stage that a test plays: it arms gates, hears
// of holds and decides fates.
type directed struct {
	*running
	bank *bank

	mu     sync.Mutex // guards what follows
	told   []control.Event
	holds  []control.Up
	given  int // holds that a test has taken
	reader sync.WaitGroup
}

// direct starts a process in which nothing runs out by itself.
func direct(t *testing.T, change func(*Config)) *directed {
	t.Helper()
	d := &directed{bank: newBank(t)}
	config := Config{
		Provider: d.bank.url, Control: true,
		ProviderTimeout: patience, ProviderAttempts: 1, Lease: 2 * patience, BusyWait: patience,
	}
	if change != nil {
		change(&config)
	}
	d.running = start(t, config)
	d.url = d.ups(func(up control.Up) bool { return up.Type == "ready" }).URL
	d.reader.Go(func() {
		for d.stdout.Scan() {
			up, err := decodeUp(d.stdout.Bytes())
			if err != nil {
				t.Errorf("a control line: %v", err)
				return
			}
			d.take(up)
		}
	})
	t.Cleanup(func() {
		if err := d.stop(); err != nil {
			t.Errorf("the process ended with %v\n%s", err, d.logs)
		}
		d.reader.Wait()
	})
	return d
}

// shortLease runs out within a test, and still outlasts the pauses of a busy
// machine.
const shortLease = 1500 * time.Millisecond

func fast(c *Config) { c.ProviderTimeout, c.Lease = time.Second, shortLease }

func (d *directed) take(up control.Up) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case up.Event != nil:
		d.told = append(d.told, *up.Event)
	case up.Type == "held":
		d.holds = append(d.holds, up)
	}
}

func (d *directed) send(down control.Down) {
	d.t.Helper()
	if err := control.Write(d.stdin, down); err != nil {
		d.t.Fatal(err)
	}
}

// arm arms a gate for one owner and waits until the process has read the line:
// lines are obeyed in order, and the fate of a hold that is not there is none.
func (d *directed) arm(gate control.Down) {
	d.t.Helper()
	gate.Type = "gate"
	d.send(gate)
	d.send(control.Down{Type: "release", Hold: "none", Action: fateDeliver}) // returns once the first is obeyed
}

// held waits for the next request that stands at a gate.
func (d *directed) held() (up control.Up) {
	d.t.Helper()
	eventually(d.t, "a request is held", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.given == len(d.holds) {
			return false
		}
		up = d.holds[d.given]
		d.given++
		return true
	})
	return up
}

func (d *directed) release(up control.Up, action string, ms int64) {
	d.t.Helper()
	d.send(control.Down{Type: "release", Hold: up.Hold, Action: action, MS: ms})
}

func (d *directed) count(outcome control.Outcome, key string) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, event := range d.told {
		if event.Outcome == outcome && event.Key == key {
			n++
		}
	}
	return n
}

// outcome is what a client that was started has in the end.
type outcome struct {
	answer
	err error
}

// client sends a request in the background.
func (d *directed) client(a ask) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		got, err := (&bench{t: d.t, url: d.url}).try(a)
		done <- outcome{got, err}
	}()
	return done
}

func (d *directed) bench() *bench { return &bench{t: d.t, url: d.url, bank: d.bank} }

// record reads the record of a key.
func (d *directed) record(owner, key string) (record control.KeyRecord) {
	d.t.Helper()
	for _, record = range look[[]control.KeyRecord](d.bench(), "/-/keys?owner="+owner+"&key="+key) {
		return record
	}
	return record
}

// wasReset says that a client's connection died under it.
func (o outcome) wasReset() bool {
	return errors.Is(o.err, syscall.ECONNRESET) || errors.Is(o.err, io.EOF) || errors.Is(o.err, io.ErrUnexpectedEOF)
}

// paid insists on a 201.
func (o outcome) paid(t *testing.T) answer {
	t.Helper()
	if o.err != nil || o.status != http.StatusCreated {
		t.Errorf("the client got %d %s, %v", o.status, o.body, o.err)
	}
	return o.answer
}

// leaving is a context of a client that hangs up when told.
func leaving(t *testing.T) (context.Context, context.CancelFunc) {
	return context.WithCancel(t.Context())
}
