package stage

import (
	"context"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"chargeonce/web/control"
)

// hurried is a hub that notices at once.
func hurried(t *testing.T, log *runLog, p pace) (h *hub, address string) {
	t.Helper()
	h, address = testHub(t, log)
	h.pace = p // nobody has connected yet
	return h, address
}

// count is how many panels are open.
func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.conns)
}

// becomes waits until so many panels are open.
func (h *hub) becomes(t *testing.T, want int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); h.count() != want; {
		if time.Now().After(end) {
			t.Fatalf("%d panels are open, want %d", h.count(), want)
		}
		time.Sleep(time.Millisecond)
	}
}

// W01: events and pings come from one writer, however fast both are.
func TestPingsAndAStormOfEventsHaveOneWriter(t *testing.T) {
	log := newRunLog()
	_, address := hurried(t, log, pace{ping: time.Millisecond, pong: time.Minute, write: 5 * time.Second})
	conn := dial(t, address, nil)
	pings := 0
	conn.SetPingHandler(func(string) error { pings++; return nil })
	const events = 3000
	go func() {
		for range events {
			log.add(attempt(1))
			time.Sleep(100 * time.Microsecond) // events and ticks interleave
		}
	}()
	for want := uint64(1); want <= events; want++ {
		if seq := read(t, conn).Seq; seq != want {
			t.Fatalf("event %d came where %d belongs", seq, want)
		}
	}
	if pings == 0 {
		t.Error("no ping came between the events")
	}
}

// W03: a peer that stops reading is closed within the write deadline, and does
// not slow another panel.
func TestAStuckPanelIsClosedAndSlowsNobody(t *testing.T) {
	log := newRunLog()
	h, address := hurried(t, log, pace{ping: time.Hour, pong: time.Hour, write: 300 * time.Millisecond})
	stuck := narrow(t, address)
	defer func() { _ = stuck.Close() }()
	h.becomes(t, 1)
	live := dial(t, address, nil)
	h.becomes(t, 2)
	ctx, stop := context.WithCancel(t.Context())
	var feeding sync.WaitGroup
	feeding.Go(func() {
		e := attempt(1)
		e.Text = strings.Repeat("x", 16<<10) // fills the buffers of a peer that does not read
		for range 2000 {                     // less than the ring holds: nobody is closed for being behind
			if ctx.Err() != nil {
				return
			}
			log.add(e)
			time.Sleep(time.Millisecond)
		}
	})
	for h.count() == 2 { // until the stuck one is gone, the live one goes on
		var e control.Event
		if err := live.ReadJSON(&e); err != nil {
			t.Fatalf("the live panel: %v", err)
		}
	}
	stop()
	feeding.Wait()
	if h.count() != 1 {
		t.Errorf("%d panels are open, want the live one", h.count())
	}
}

// narrow opens a panel over a connection whose receiving end holds little, and
// reads nothing from it.
func narrow(t *testing.T, address string) *websocket.Conn {
	t.Helper()
	dialer := websocket.Dialer{NetDialContext: func(ctx context.Context, network, to string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, to)
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4096)
		}
		return conn, err
	}}
	conn, _, err := dialer.Dial(address, nil)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

// W07: a peer that has gone without a word is noticed by its silence.
func TestASilentPeerIsGoneAfterThePongWait(t *testing.T) {
	h, address := hurried(t, newRunLog(), pace{ping: 10 * time.Millisecond, pong: 200 * time.Millisecond, write: time.Second})
	silent := dial(t, address, nil) // nobody reads from it, so no pong goes back
	defer func() { _ = silent.Close() }()
	talking := dial(t, address, nil)
	go func() { // answers pings, as every browser does
		for {
			if _, _, err := talking.NextReader(); err != nil {
				return
			}
		}
	}()
	h.becomes(t, 2)
	h.becomes(t, 1)
}
