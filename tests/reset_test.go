package tests

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"chargeonce/web/control"
)

// captured is what the cards were charged for the shop's customers, naive and
// safe.
func (c *stageClient) captured() [2]int {
	c.t.Helper()
	var books control.Books
	c.get("/stage/books", &books)
	return [2]int{books.Sides[control.Naive].Owners["shop"].Captures, books.Sides[control.Safe].Owners["shop"].Captures}
}

func (c *stageClient) awaitCaptured(want [2]int) {
	c.t.Helper()
	eventually(c.t, fmt.Sprintf("captures are %v", want), func() (bool, any) {
		got := c.captured()
		return got == want, got
	})
}

// payOnce pays a new order and waits for both sides.
func (c *stageClient) payOnce(want [2]int) {
	c.t.Helper()
	c.pay(c.newOrder(), "normal", "pm_card_visa")
	c.awaitCaptured(want)
}

func (c *stageClient) reset() (left time.Duration) {
	c.t.Helper()
	var undo struct {
		MS int64 `json:"undo_ms"`
	}
	c.post("/stage/reset", struct{}{}, http.StatusOK, &undo)
	return time.Duration(undo.MS) * time.Millisecond
}

func TestAResetGivesFreshBooksAndAnUndoTheOldOnes(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.post("/stage/undo", struct{}{}, http.StatusConflict, nil)
	c.payOnce([2]int{1, 1})
	c.post("/stage/clock", map[string]string{"advance": "25h"}, http.StatusOK, nil)
	before := c.state()

	if left := c.reset(); left != 10*time.Second {
		t.Errorf("it can be undone for %v", left)
	}
	fresh, books := c.state(), c.books("shop")
	if c.captured() != [2]int{} || books.Charges != 0 || books.Receipts != 0 || len(books.Wanted) != 0 || books.Wire.API != 0 {
		t.Errorf("the books are not fresh: %+v", books)
	}
	if fresh.ClockMS != 0 || fresh.Counters[control.Safe][control.Started] != 0 || fresh.UndoMS == 0 {
		t.Errorf("clock, counters or the way back: %+v", fresh)
	}
	c.payOnce([2]int{1, 1})
	c.payOnce([2]int{2, 2})

	c.post("/stage/undo", struct{}{}, http.StatusOK, nil)
	after := c.state()
	if c.captured() != [2]int{1, 1} || after.ClockMS != before.ClockMS || after.UndoMS != 0 {
		t.Errorf("captures %v, state %+v", c.captured(), after)
	}
	if fmt.Sprint(after.Counters[control.Safe][control.Started]) != fmt.Sprint(before.Counters[control.Safe][control.Started]) {
		t.Errorf("counters %v, want %v", after.Counters, before.Counters)
	}
	c.post("/stage/undo", struct{}{}, http.StatusConflict, nil)
	c.payOnce([2]int{2, 2})
}

func TestAKeyPressedTwiceKeepsTheWayBackAndTimeEndsIt(t *testing.T) {
	dir := t.TempDir()
	_, c := startStage(t, dir)
	c.payOnce([2]int{1, 1})
	c.reset()
	if left := c.reset(); left > 10*time.Second || left <= 0 {
		t.Errorf("%v left after the second press", left)
	}
	c.post("/stage/undo", struct{}{}, http.StatusOK, nil)
	if c.captured() != [2]int{1, 1} {
		t.Errorf("the books are lost: %v", c.captured())
	}
	c.reset()
	eventually(t, "the old books are removed", func() (bool, any) {
		left, err := filepath.Glob(filepath.Join(dir, "reset-*"))
		return len(left) == 0 && err == nil, left
	})
	c.post("/stage/undo", struct{}{}, http.StatusConflict, nil)
	if c.captured() != [2]int{} {
		t.Errorf("captures %v", c.captured())
	}
}

// A clock that was moved is something that has happened, though no request was.
func TestAClockThatWasMovedSinceIsResetAsWell(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.reset()
	c.post("/stage/clock", map[string]string{"advance": "25h"}, http.StatusOK, nil)
	c.reset()
	if ms := c.state().ClockMS; ms != 0 {
		t.Errorf("after the second reset the clock is %d ms ahead", ms)
	}
}

// told is what a panel knows: the texts of its events, a snapshot beginning
// anew.
type told struct {
	seq   uint64
	texts []string
}

func (m *told) read(t *testing.T, conn *websocket.Conn, upto uint64) {
	t.Helper()
	for m.seq < upto {
		var frame struct {
			control.Event
			Type   string          `json:"type"`
			State  control.State   `json:"state"`
			Events []control.Event `json:"events"`
		}
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		if err := conn.ReadJSON(&frame); err != nil {
			t.Fatalf("at %d of %d: %v", m.seq, upto, err)
		}
		if frame.Type != "snapshot" {
			m.seq, m.texts = frame.Seq, append(m.texts, frame.Text)
			continue
		}
		m.seq, m.texts = frame.State.Seq, nil
		for _, e := range frame.Events {
			m.texts = append(m.texts, e.Text)
		}
	}
}

func TestAnOpenPanelEqualsAFreshLoadAfterResetAndUndo(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.payOnce([2]int{1, 1})
	conn := c.follow(0)
	var open told
	open.read(t, conn, c.state().Seq)
	if len(open.texts) == 0 {
		t.Fatal("the panel knows nothing")
	}
	for _, does := range []string{"reset", "undo"} {
		c.post("/stage/"+does, struct{}{}, http.StatusOK, nil)
		seq := c.state().Seq
		open.read(t, conn, seq)
		var fresh told
		fresh.read(t, c.follow(0), seq)
		if strings.Join(open.texts, "\n") != strings.Join(fresh.texts, "\n") {
			t.Errorf("after %s the panel knows\n%s\na fresh one\n%s", does, strings.Join(open.texts, "\n"), strings.Join(fresh.texts, "\n"))
		}
		if paid := strings.Contains(strings.Join(open.texts, "\n"), "Paid, €50.00."); paid != (does == "undo") {
			t.Errorf("after %s: the payment is told of: %v", does, paid)
		}
	}
}

func TestAnOrderInFlightGoesOnAfterTheUndo(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.post("/stage/gates", map[string]any{"side": "safe", "gate": "provider-called", "count": 1}, http.StatusCreated, nil)
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	eventually(t, "the request is held", func() (bool, any) {
		holds := c.state().Holds
		return len(holds) == 1, holds
	})
	c.reset()
	if state := c.state(); len(state.Holds) != 0 || len(state.Gates) != 0 || c.captured() != [2]int{} {
		t.Errorf("left from before: %+v, captures %v", state, c.captured())
	}
	c.post("/stage/undo", struct{}{}, http.StatusOK, nil)
	c.awaitPaid()
	c.chargedOnce("shop")
}

func TestCommandsInParallelLeaveNoHalfState(t *testing.T) {
	dir := t.TempDir()
	p, c := startStage(t, dir)
	c.payOnce([2]int{1, 1})
	commands := map[string]string{
		"/stage/kill": `{"side":"safe"}`, "/stage/reset": "{}", "/stage/undo": "{}",
		"/stage/mistake": `{"id":"look-then-insert"}`, "/stage/clock": `{"advance":"1h"}`,
	}
	var group sync.WaitGroup
	for path, body := range commands {
		for range 2 {
			group.Go(func() {
				response, err := c.http.Post(c.base+path, "application/json", strings.NewReader(body))
				if err != nil {
					t.Errorf("%s: %v", path, err)
					return
				}
				_ = response.Body.Close()
				if status := response.StatusCode; status != http.StatusOK && status != http.StatusConflict && status != http.StatusServiceUnavailable {
					t.Errorf("%s: %d", path, status)
				}
			})
		}
	}
	group.Wait()
	eventually(t, "both processes are ready", func() (bool, any) {
		state := c.state()
		return state.Children[control.Safe].State == "ready" && state.Children[control.Naive].State == "ready", state.Children
	})
	before := c.captured()
	if before[0] != before[1] {
		t.Errorf("one side has old books and the other fresh ones: %v", before)
	}
	c.payOnce([2]int{before[0] + 1, before[1] + 1})
	p.stop()
	if left, _ := filepath.Glob(filepath.Join(dir, "reset-*")); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestAStageKilledInAResetStartsWithOneSetOfBooks(t *testing.T) {
	for _, sign := range []string{"reset-moving", "reset-before/safe", "reset-before/stage", "safe/ledger/OPEN"} {
		dir := t.TempDir()
		p, c := startStage(t, dir)
		c.payOnce([2]int{1, 1})
		old, _ := os.Stat(filepath.Join(dir, sign))
		go func() { // its answer may never come
			if response, err := http.Post(c.base+"/stage/reset", "application/json", nil); err == nil {
				_ = response.Body.Close()
			}
		}()
		eventually(t, sign+" is new", func() (bool, any) {
			now, err := os.Stat(filepath.Join(dir, sign))
			return err == nil && (old == nil || !os.SameFile(old, now)), err
		})
		p.kill()
		_, c = startStage(t, dir)
		got := c.captured()
		books := c.books("shop")
		if got != [2]int{} && got != [2]int{1, 1} || books.Charges != got[1] || books.Receipts > got[1] || len(books.Wanted) != got[1] {
			t.Errorf("killed when %s was there: captures %v, books %+v", sign, got, books)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "reset-*")); len(left) != 0 {
			t.Errorf("killed when %s was there: left behind %v", sign, left)
		}
		c.payOnce([2]int{got[0] + 1, got[1] + 1})
	}
}

func TestResetAndUndoAreFormsToo(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.payOnce([2]int{1, 1})
	for path, want := range map[string]int{"/reset": http.StatusForbidden, "/stage/reset": http.StatusForbidden} {
		request, _ := http.NewRequest(http.MethodPost, c.base+path, nil)
		request.Header.Set("Origin", "http://evil.example")
		response, err := c.http.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != want || c.captured() != [2]int{1, 1} {
			t.Errorf("%s from elsewhere: %d, captures %v", path, response.StatusCode, c.captured())
		}
	}
	form := func(path string, status int, captured [2]int) {
		t.Helper()
		response, err := c.http.PostForm(c.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != status || c.captured() != captured {
			t.Errorf("%s: %d, captures %v", path, response.StatusCode, c.captured())
		}
	}
	form("/reset", http.StatusOK, [2]int{}) // after the redirect
	form("/undo", http.StatusOK, [2]int{1, 1})
	form("/undo", http.StatusConflict, [2]int{1, 1})
}
