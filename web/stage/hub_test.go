package stage

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"chargeonce/web/control"
)

// testHub serves a hub; same-origin pages and programs may connect.
func testHub(t *testing.T, log *runLog) (h *hub, address string) {
	t.Helper()
	var server *httptest.Server
	h = newHub(func(string) *runLog { return log }, func() control.State { return control.State{} }, func(r *http.Request) bool {
		return newGuard(server.Listener.Addr(), "", "").sameOrigin(r)
	})
	server = httptest.NewServer(h)
	t.Cleanup(server.Close)
	t.Cleanup(h.close)
	return h, "ws" + strings.TrimPrefix(server.URL, "http")
}

func dial(t *testing.T, address string, header http.Header) *websocket.Conn {
	t.Helper()
	conn, _, err := websocket.DefaultDialer.Dial(address, header)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func read(t *testing.T, conn *websocket.Conn) (frame struct {
	control.Event
	Type   string
	State  control.State
	Events []control.Event
},
) {
	t.Helper()
	_, text, err := conn.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &frame); err != nil {
		t.Fatal(err)
	}
	return frame
}

func TestAPanelGoesOnFromItsPlace(t *testing.T) {
	log := newRunLog()
	for range 3 {
		log.add(attempt(1))
	}
	_, address := testHub(t, log)
	conn := dial(t, address+"?after=2", nil)
	if seq := read(t, conn).Seq; seq != 3 {
		t.Errorf("first frame is event %d, want 3", seq)
	}
	log.add(attempt(2))
	if seq := read(t, conn).Seq; seq != 4 {
		t.Errorf("next frame is event %d, want 4", seq)
	}
}

func TestAPanelWhosePlaceIsGoneGetsASnapshotFirst(t *testing.T) {
	log := newRunLog()
	for range ringSize + 5 {
		log.add(attempt(1))
	}
	_, address := testHub(t, log)
	for _, after := range []string{"1", "99999999"} { // overwritten; and of another life of the stage
		conn := dial(t, address+"?after="+after, nil)
		frame := read(t, conn)
		if frame.Type != "snapshot" || frame.State.Seq != ringSize+5 || len(frame.Events) != snapshotEvents {
			t.Fatalf("after %s: %s at %d with %d events", after, frame.Type, frame.State.Seq, len(frame.Events))
		}
	}
}

func TestAForeignOriginIsNotUpgraded(t *testing.T) { // W05
	_, address := testHub(t, newRunLog())
	_, response, err := websocket.DefaultDialer.Dial(address, http.Header{"Origin": {"http://evil.example"}})
	if err == nil || response == nil || response.StatusCode != http.StatusForbidden {
		t.Errorf("err %v, response %+v", err, response)
	}
	dial(t, address, http.Header{"Origin": {"http" + strings.TrimPrefix(address, "ws")}})
}

func TestANonsensePlaceIsRefused(t *testing.T) {
	_, address := testHub(t, newRunLog())
	_, response, err := websocket.DefaultDialer.Dial(address+"?after=-1", nil)
	if err == nil || response == nil || response.StatusCode != http.StatusBadRequest {
		t.Errorf("err %v, response %+v", err, response)
	}
}

func TestShutdownTellsFiftyPanelsToComeBack(t *testing.T) { // W10
	h, address := testHub(t, newRunLog())
	var conns []*websocket.Conn
	for range 50 {
		conns = append(conns, dial(t, address, nil))
	}
	h.close()
	for _, conn := range conns {
		_, _, err := conn.ReadMessage()
		var closed *websocket.CloseError
		if !errors.As(err, &closed) || closed.Code != websocket.CloseServiceRestart {
			t.Errorf("closed with %v, want 1012", err)
		}
	}
	if conn, _, err := websocket.DefaultDialer.Dial(address, nil); err == nil {
		_, _, err = conn.ReadMessage()
		if !websocket.IsCloseError(err, websocket.CloseServiceRestart) {
			t.Errorf("a panel that comes during shutdown is closed with %v", err)
		}
	}
}

func TestManyWritersAndManyPanelsSeeOneOrder(t *testing.T) {
	log := newRunLog()
	_, address := testHub(t, log)
	const panels, writers, each = 5, 4, 250
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var group sync.WaitGroup
	for range panels {
		conn := dial(t, address, nil)
		group.Go(func() {
			for want := uint64(1); want <= writers*each && ctx.Err() == nil; want++ {
				var e control.Event
				if err := conn.ReadJSON(&e); err != nil || e.Seq != want {
					t.Errorf("got event %d (%v), want %d", e.Seq, err, want)
					return
				}
			}
		})
	}
	for range writers {
		group.Go(func() {
			for range each {
				log.add(attempt(1))
			}
		})
	}
	group.Wait()
}

func TestAPanelOfAnEarlierLifeGetsASnapshotFirst(t *testing.T) {
	born := time.Now()
	earlier, log := newRunLogOfLife(born.Add(-time.Second)), newRunLogOfLife(born)
	for range 3 {
		earlier.add(control.Event{Text: "earlier"})
	}
	place, _ := earlier.snapshot()
	for range 10 { // more than the panel has seen of the earlier life
		log.add(control.Event{Text: "now"})
	}
	_, address := testHub(t, log)
	frame := read(t, dial(t, address+"?after="+strconv.FormatUint(place.Seq, 10), nil))
	if frame.Type != "snapshot" || len(frame.Events) != 10 {
		t.Errorf("a panel of an earlier life is told %+v", frame)
	}
	if event := read(t, dial(t, address, nil)); event.Type != "" || event.Seq != log.first+1 {
		t.Errorf("a fresh panel begins with %+v", event)
	}
}
