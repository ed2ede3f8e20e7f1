package tests

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait for a condition. It is generous, since machines
// are busy; no test takes that long unless it fails.
const patience = 60 * time.Second

// process is a running chargeonce.
type process struct {
	URL string

	t    *testing.T
	cmd  *exec.Cmd
	log  *lockedBuffer
	done chan struct{} // closed when it has ended
	err  error         // how; valid after done
}

// start runs the binary and waits until it says where it listens. It is ended
// with the test at the latest.
func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := launch(t, args...)
	select {
	case <-p.done:
		t.Fatalf("chargeonce %v ended before it listened: %v\n%s", args, p.err, p.log)
	case <-time.After(patience):
		t.Fatalf("chargeonce %v does not listen\n%s", args, p.log)
	case url := <-p.listening():
		p.URL = url
	}
	return p
}

// launch runs the binary without waiting for anything.
func launch(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{t: t, log: &lockedBuffer{}, done: make(chan struct{})}
	p.cmd = exec.Command(binary, args...)
	p.cmd.Stdout, p.cmd.Stderr = p.log, p.log
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.done)
	}()
	t.Cleanup(p.stop)
	return p
}

// listening gives the address of the one line on stdout.
func (p *process) listening() <-chan string {
	found := make(chan string, 1)
	go func() {
		for {
			lines := bufio.NewScanner(strings.NewReader(p.log.String()))
			for lines.Scan() {
				if url, ok := strings.CutPrefix(lines.Text(), "listening on "); ok {
					found <- url
					return
				}
			}
			select {
			case <-p.done:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return found
}

// stop ends the process in order, as Ctrl-C does.
func (p *process) stop() {
	if p.ended() {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
		<-p.done
		p.t.Errorf("the process did not end within %v\n%s", patience, p.log)
	}
}

// kill is kill -9.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.done
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// exitCode waits for the end.
func (p *process) exitCode() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(patience):
		p.t.Fatalf("the process does not end\n%s", p.log)
	}
	var exit *exec.ExitError
	if errors.As(p.err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// eventually waits for a condition. The last state is told if it never comes.
func eventually(t *testing.T, what string, condition func() (bool, any)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last any
	for {
		var ok bool
		if ok, last = condition(); ok {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("never came: %s; last seen: %v", what, fmt.Sprintf("%+v", last))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// lockedBuffer collects the output of a process that is still writing.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

var _ io.Writer = (*lockedBuffer)(nil)

func (b *lockedBuffer) Write(text []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(text)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
