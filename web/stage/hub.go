package stage

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"chargeonce/web/control"
)

const (
	readLimit = 4 << 10 // bytes; clients have nothing to say
	batchSize = 256     // events between two looks at the clock
	// MaxPanels bounds the open panels: a room full of laptops.
	MaxPanels = 500
)

// pace is how soon a hub notices that a client is gone. Tests have no patience.
type pace struct {
	ping  time.Duration // between two signs of life that are asked for
	pong  time.Duration // a silent client is gone after this
	write time.Duration // a stuck one after this
}

var calm = pace{ping: 10 * time.Second, pong: 30 * time.Second, write: 5 * time.Second}

// hub serves the live panel's websockets. Each connection has one goroutine
// that writes and one that reads, and a place of its own in the run log. There
// is no queue to fill: a client that falls behind the ring is closed with 1013
// and comes back for a snapshot.
type hub struct {
	logOf func(run string) *runLog // nil: there is no such run
	state func() control.State     // the live half of a snapshot's head: children, faults, gates
	check func(*http.Request) bool
	pace  pace

	mu     sync.Mutex // guards what follows
	conns  map[*websocket.Conn]context.CancelCauseFunc
	closed bool
	group  sync.WaitGroup
}

func newHub(logOf func(string) *runLog, state func() control.State, check func(*http.Request) bool) *hub {
	return &hub{logOf: logOf, state: state, check: check, pace: calm, conns: make(map[*websocket.Conn]context.CancelCauseFunc)}
}

// ServeHTTP upgrades to a websocket and sends events after ?after=SEQ until
// either side ends.
func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	after, err := afterParam(r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "parameter_invalid", err.Error(), "after")
		return
	}
	log := h.logOf(r.URL.Query().Get("run"))
	if log == nil {
		refuse(w, http.StatusNotFound, "resource_missing", noSuchRun, "run")
		return
	}
	upgrader := websocket.Upgrader{CheckOrigin: h.check, HandshakeTimeout: h.pace.write}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	if err := h.enter(conn, cancel); err != nil {
		h.bye(conn, err)
		return
	}
	defer h.group.Done()
	defer h.leave(conn)
	go func() { cancel(h.drain(conn)) }()
	h.bye(conn, h.send(ctx, conn, log, after))
}

func afterParam(r *http.Request) (uint64, error) {
	text := r.URL.Query().Get("after")
	if text == "" {
		return 0, nil
	}
	after, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errors.New("after must be the sequence number of an event")
	}
	return after, nil
}

// enter notes a connection, so that close reaches it and waits for it. After
// close nobody enters: the wait is over.
func (h *hub) enter(conn *websocket.Conn, cancel context.CancelCauseFunc) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return errStopping
	case len(h.conns) >= MaxPanels:
		return errCrowded
	}
	h.conns[conn] = cancel
	h.group.Add(1)
	return nil
}

func (h *hub) leave(conn *websocket.Conn) {
	h.mu.Lock()
	delete(h.conns, conn)
	h.mu.Unlock()
}

// close ends every connection with 1012, so that pages know to come back, and
// waits for them.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	for _, cancel := range h.conns {
		cancel(errStopping)
	}
	h.mu.Unlock()
	h.group.Wait()
}

// drain reads until the client is gone: control frames only count as signs of
// life, data is thrown away.
func (h *hub) drain(conn *websocket.Conn) error {
	conn.SetReadLimit(readLimit)
	alive := func(string) error { return conn.SetReadDeadline(time.Now().Add(h.pace.pong)) }
	_ = alive("")
	conn.SetPongHandler(alive)
	for {
		if _, _, err := conn.NextReader(); err != nil {
			return err
		}
	}
}

// send is the connection's one writer. It returns why the connection ends.
func (h *hub) send(ctx context.Context, conn *websocket.Conn, log *runLog, after uint64) error {
	ping := time.NewTicker(h.pace.ping)
	defer ping.Stop()
	after, err := h.catchUp(conn, log, after)
	for err == nil {
		events, grown, ok := log.since(after, batchSize)
		if !ok && log.turned(after) { // nobody fell behind: everything is new
			after, err = h.catchUp(conn, log, after)
			continue
		}
		if !ok {
			return errBehind
		}
		for _, event := range events {
			if err := h.write(conn, event); err != nil {
				return err
			}
			after = event.Seq
		}
		if len(events) == batchSize {
			grown = closedChannel // there is more: look again before sleeping
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ping.C:
			err = conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(h.pace.write))
		case <-grown:
		}
	}
	return err
}

// catchUp sends a snapshot to a client whose place the ring has left behind,
// or which comes from another life of the stage. It returns where to go on.
func (h *hub) catchUp(conn *websocket.Conn, log *runLog, after uint64) (uint64, error) {
	if _, _, ok := log.since(after, 0); ok {
		return after, nil
	}
	snapshot := h.snapshot(log)
	return snapshot.State.Seq, h.write(conn, snapshot)
}

var closedChannel = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// snapshot is the stage as it stands now, with the log's counters and most
// recent events.
func (h *hub) snapshot(log *runLog) control.Snapshot {
	live := h.state()
	state, events := log.snapshot()
	live.Seq, live.Counters, live.Retries = state.Seq, state.Counters, state.Retries
	return control.Snapshot{Type: "snapshot", State: live, Events: events}
}

// bye ends a connection; if it is our doing, with a code that says why.
func (h *hub) bye(conn *websocket.Conn, cause error) {
	code := 0
	switch {
	case errors.Is(cause, errStopping):
		code = websocket.CloseServiceRestart
	case errors.Is(cause, errBehind), errors.Is(cause, errCrowded):
		code = websocket.CloseTryAgainLater
	}
	if code != 0 { // it may fail on a dead connection, which is then as closed as it can be
		message := websocket.FormatCloseMessage(code, cause.Error())
		_ = conn.WriteControl(websocket.CloseMessage, message, time.Now().Add(h.pace.write))
	}
	_ = conn.Close()
}

func (h *hub) write(conn *websocket.Conn, frame any) error {
	text, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	if err := conn.SetWriteDeadline(time.Now().Add(h.pace.write)); err != nil {
		return err
	}
	return conn.WriteMessage(websocket.TextMessage, text)
}
