package stage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"chargeonce/web/control"
)

// The test binary plays the API process when it is started with this variable.
const childMode = "CHARGEONCE_TEST_CHILD"

func TestMain(m *testing.M) {
	if mode := os.Getenv(childMode); mode != "" {
		playChild(mode)
		return
	}
	os.Exit(m.Run())
}

// playChild speaks the control channel: it is ready, reports an event, and
// ends with its input.
func playChild(mode string) {
	switch mode {
	case "dies":
		os.Exit(3)
	case "babbles":
		fmt.Println("this is not JSON")
		time.Sleep(time.Hour) // it does not end by itself; the runtime would end an empty select
	}
	_ = control.Write(os.Stdout, control.Up{Type: "ready", URL: "http://127.0.0.1:1"})
	_ = control.Write(os.Stdout, control.Up{Type: "event", Event: &control.Event{Text: "hello"}})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "shutdown") {
			return
		}
	}
}

// watched is a child and what it told.
type watched struct {
	*child
	mu    sync.Mutex
	ups   []control.Up
	lives []control.Outcome
}

func watch(t *testing.T, mode string) *watched {
	t.Helper()
	t.Setenv(childMode, mode)
	w := &watched{}
	w.child = startChild(childOptions{
		Exe: os.Args[0], Args: func() []string { return nil }, Log: io.Discard,
		Up: func(up control.Up) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.ups = append(w.ups, up)
		},
		Life: func(outcome control.Outcome, _ int, _ string) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.lives = append(w.lives, outcome)
		},
	})
	t.Cleanup(w.stop)
	return w
}

func (w *watched) heard() (ups []control.Up, lives []control.Outcome) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append(ups, w.ups...), append(lives, w.lives...)
}

// awaitHeard waits until what was told satisfies a condition.
func (w *watched) awaitHeard(t *testing.T, what string, condition func(ups []control.Up, lives []control.Outcome) bool) {
	t.Helper()
	ctx := within(t)
	for !condition(w.heard()) {
		select {
		case <-ctx.Done():
			t.Fatalf("never came: %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

func TestAKilledProcessIsStartedAgain(t *testing.T) {
	w := watch(t, "lives")
	ctx := within(t)
	if err := w.awaitReady(ctx, 0); err != nil {
		t.Fatal(err)
	}
	first := w.status()
	if err := w.kill(ctx); err != nil {
		t.Fatal(err)
	}
	second := w.status()
	if second.PID == first.PID || second.Restarts != 1 || second.State != ready || w.URL() == "" {
		t.Errorf("first %+v, second %+v", first, second)
	}
	if err := syscall.Kill(first.PID, 0); err == nil {
		t.Errorf("process %d is still there", first.PID)
	}
	_, lives := w.heard()
	if len(lives) != 3 || lives[0] != control.Ready || lives[1] != control.Killed || lives[2] != control.Ready {
		t.Errorf("lives: %v", lives)
	}
}

func TestAStoppedProcessIsNotStartedAgain(t *testing.T) {
	w := watch(t, "lives")
	if err := w.awaitReady(within(t), 0); err != nil {
		t.Fatal(err)
	}
	pid := w.status().PID
	w.stop()
	if status := w.status(); status.State != down || status.Restarts != 0 || w.URL() != "" {
		t.Errorf("after stop: %+v", status)
	}
	if err := syscall.Kill(pid, 0); err == nil {
		t.Errorf("process %d is still there", pid)
	}
	if _, lives := w.heard(); len(lives) != 1 {
		t.Errorf("an orderly end is no kill: %v", lives)
	}
	if err := w.awaitReady(within(t), 0); err == nil {
		t.Error("a stopped child became ready")
	}
}

func TestAProcessThatDiesAtOnceIsTriedAgainWithPauses(t *testing.T) {
	w := watch(t, "dies")
	w.awaitHeard(t, "a third life", func(_ []control.Up, lives []control.Outcome) bool { return len(lives) >= 3 })
	if w.URL() != "" {
		t.Error("a dead process has an address")
	}
}

func TestAProcessThatNeverStartsIsGivenUp(t *testing.T) {
	w := watch(t, "dies")
	if err := w.awaitReady(within(t), 0); !errors.Is(err, errChildGone) {
		t.Errorf("waiting for it ended with %v", err)
	}
	if _, lives := w.heard(); len(lives) != firstLives {
		t.Errorf("it lived %d times, want %d", len(lives), firstLives)
	}
}

func TestAProcessThatTalksNonsenseIsKilled(t *testing.T) {
	w := watch(t, "babbles")
	w.awaitHeard(t, "its end", func(_ []control.Up, lives []control.Outcome) bool {
		return len(lives) > 0 && lives[0] == control.Killed
	})
}

// fullPipe is the stdin of a process that does not read.
type fullPipe struct{ entered, broken chan struct{} }

func (p fullPipe) Write([]byte) (int, error) {
	close(p.entered)
	<-p.broken
	return 0, io.ErrClosedPipe
}

func (fullPipe) Close() error { return nil }

func TestAProcessThatDoesNotReadCanBeStruck(t *testing.T) {
	pipe := fullPipe{entered: make(chan struct{}), broken: make(chan struct{})}
	c := &child{state: down, stdin: pipe}
	sent := make(chan error, 1)
	go func() { sent <- c.send(control.Down{Type: "clock"}) }()
	<-pipe.entered
	struck := make(chan error, 1)
	go func() {
		_, err := c.strike()
		struck <- err
	}()
	select {
	case err := <-struck:
		if err != nil {
			t.Error(err)
		}
	case <-within(t).Done():
		t.Error("the kill waits for the process to read")
	}
	close(pipe.broken)
	if err := <-sent; !errors.Is(err, errChildDown) {
		t.Errorf("the line that was not read: %v", err)
	}
}

func TestEventsOfTheProcessArePassedOn(t *testing.T) {
	w := watch(t, "lives")
	w.awaitHeard(t, "an event", func(ups []control.Up, _ []control.Outcome) bool { return len(ups) > 0 })
	if ups, _ := w.heard(); ups[0].Type != "event" || ups[0].Event == nil || ups[0].Event.Text != "hello" {
		t.Errorf("heard %+v", ups[0])
	}
}
