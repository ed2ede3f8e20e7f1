package stage

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"chargeonce/web/control"
)

const (
	restartBase = 50 * time.Millisecond // before the first restart: a kill must look like a kill
	restartCap  = 2 * time.Second       // a process that dies at once is not started in a tight loop
	healthyFor  = 5 * time.Second       // a life this long makes the next restart quick again
	stopWithin  = 10 * time.Second      // an orderly end takes this long at most, then SIGKILL
	// firstLives bounds the tries to start at all, some three seconds of them:
	// as long as a process of an earlier stage may still hold the data. One
	// that was ready once is started again without bound.
	firstLives = 7
)

// The states of a child.
const (
	starting = "starting" // its process runs but has not said that it is ready
	ready    = "ready"    // it listens
	down     = "down"     // no process runs; it is started again unless the stage stops
)

// childOptions describe one payments API process.
type childOptions struct {
	Exe  string          // the binary: our own
	Args func() []string // read at every start, since the clock offset may have moved
	Log  io.Writer       // its stderr

	// Up is told everything that the process says and what becomes of it. It is
	// called from one goroutine, outside any lock.
	Up func(control.Up)
	// Life is told ready, with the pid, and killed, with how it ended.
	Life func(outcome control.Outcome, pid int, how string)
}

// child keeps one payments API process alive: it starts it, follows its
// control channel, and starts it again on the same data when it dies. It is
// safe for concurrent use.
type child struct {
	options childOptions
	done    chan struct{} // closed when the supervisor has ended
	writing sync.Mutex    // one line at a time to stdin

	mu       sync.Mutex // guards what follows
	state    string
	url      string
	process  *os.Process
	stdin    io.WriteCloser
	restarts int
	lived    bool // some life was ready
	stopping bool
	changed  chan struct{} // closed and replaced at each change of state
}

func startChild(o childOptions) *child {
	c := &child{options: o, done: make(chan struct{}), state: down, changed: make(chan struct{})}
	go c.supervise()
	return c
}

// URL is where the process listens; "" while it does not.
func (c *child) URL() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != ready {
		return ""
	}
	return c.url
}

func (c *child) status() control.Child {
	c.mu.Lock()
	defer c.mu.Unlock()
	status := control.Child{State: c.state, Restarts: c.restarts}
	if c.state != down && c.process != nil {
		status.PID = c.process.Pid
	}
	if c.state == ready {
		status.URL = c.url
	}
	return status
}

// awaitReady returns once the process listens and has been started at least
// restarts times again.
func (c *child) awaitReady(ctx context.Context, restarts int) error {
	for {
		c.mu.Lock()
		ok, changed := c.state == ready && c.restarts >= restarts, c.changed
		c.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-c.done:
			return errChildGone
		case <-ctx.Done():
			return fmt.Errorf("wait for the payments API: %w", ctx.Err())
		}
	}
}

// strike sends SIGKILL and does not wait. The kill is real: the process gets no
// chance to finish, flush or say good-bye. restarts is how often the process
// will have been started again once the next one lives.
func (c *child) strike() (restarts int, err error) {
	c.mu.Lock()
	process, restarts, dead := c.process, c.restarts, c.state == down
	c.mu.Unlock()
	if dead || process == nil {
		return restarts, nil
	}
	if err := process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return restarts, fmt.Errorf("kill the payments API: %w", err)
	}
	return restarts + 1, nil
}

// kill strikes and returns when the next process is ready.
func (c *child) kill(ctx context.Context) error {
	restarts, err := c.strike()
	if err != nil {
		return err
	}
	return c.awaitReady(ctx, restarts)
}

// send writes a line to the process. While it is down the line is lost, and
// that is an [errChildDown].
func (c *child) send(message control.Down) error {
	c.mu.Lock()
	stdin := c.stdin
	c.mu.Unlock()
	if stdin == nil {
		return errChildDown
	}
	// Without c.mu: a process that does not read could block the write, and
	// must still be killable.
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := control.Write(stdin, message); err != nil {
		return fmt.Errorf("%w: %w", errChildDown, err)
	}
	return nil
}

// stop asks the process to end in order and waits for it; after stopWithin it
// is killed.
func (c *child) stop() {
	c.mu.Lock()
	c.stopping = true
	process, stdin := c.process, c.stdin
	c.signal()
	c.mu.Unlock()
	// Before the line is written: a process that does not read would block it.
	last := time.AfterFunc(stopWithin, func() {
		if process != nil {
			_ = process.Kill()
		}
	})
	defer last.Stop()
	if stdin != nil {
		_ = c.send(control.Down{Type: "shutdown"})
		_ = stdin.Close() // the end of its input ends it too
	}
	<-c.done
}

// signal needs c.mu.
func (c *child) signal() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// supervise runs one life after the other until the stage stops.
func (c *child) supervise() {
	defer close(c.done)
	delay := restartBase
	for lives := 1; ; lives++ {
		if lives > 1 && !c.pause(delay) {
			return
		}
		born := time.Now()
		if err := c.live(lives > 1); err != nil {
			_, _ = fmt.Fprintf(c.options.Log, "payments API: %v\n", err)
		}
		if lives >= firstLives && !c.wasReady() {
			return
		}
		if delay = min(2*delay, restartCap); time.Since(born) > healthyFor {
			delay = restartBase
		}
	}
}

// wasReady reports whether any life came as far as to listen.
func (c *child) wasReady() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lived
}

// pause waits before a restart; false means that there will be none.
func (c *child) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		c.mu.Lock()
		stopping, changed := c.stopping, c.changed
		c.mu.Unlock()
		if stopping {
			return false
		}
		select {
		case <-timer.C:
			return true
		case <-changed:
		}
	}
}

// live is one life of the process, from its start to its end.
func (c *child) live(again bool) error {
	cmd := exec.Command(c.options.Exe, c.options.Args()...)
	cmd.Stderr = c.options.Log
	ownGroup(cmd) // Ctrl-C reaches the stage alone, which ends its children in order
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	if !c.born(cmd, stdin, again) {
		return nil
	}
	heard := control.Read(bufio.NewReader(stdout), c.hear)
	if heard != nil { // it talks nonsense: nothing that it does can be trusted
		_ = cmd.Process.Kill()
		_, _ = io.Copy(io.Discard, stdout)
	}
	ended := cmd.Wait()
	if c.died() {
		return nil
	}
	how := "ended by itself"
	if ended != nil {
		how = ended.Error() // "signal: killed", "exit status 3"
	}
	c.options.Life(control.Killed, cmd.Process.Pid, how)
	return heard
}

// born starts the process under the lock, so that a stop either sees it or
// prevents it.
func (c *child) born(cmd *exec.Cmd, stdin io.WriteCloser, again bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopping {
		return false
	}
	if err := cmd.Start(); err != nil {
		_, _ = fmt.Fprintf(c.options.Log, "payments API: start: %v\n", err)
		return false
	}
	c.state, c.process, c.stdin = starting, cmd.Process, stdin
	if again {
		c.restarts++
	}
	c.signal()
	return true
}

// hear takes one line of the process.
func (c *child) hear(up control.Up) {
	if up.Type == "ready" {
		// Told first, so that whoever waits for it finds the event in the log.
		c.options.Life(control.Ready, c.status().PID, "")
		c.mu.Lock()
		c.state, c.url, c.lived = ready, up.URL, true
		c.signal()
		c.mu.Unlock()
		return
	}
	c.options.Up(up)
}

// died reports whether this end was asked for.
func (c *child) died() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state, c.url, c.stdin = down, "", nil
	c.signal()
	return c.stopping
}
