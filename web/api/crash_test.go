package api

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"chargeonce/web/control"
)

// childArgs, if set, makes this test binary run as `chargeonce api`.
const childArgs = "CHARGEONCE_TEST_API_ARGS"

func TestMain(m *testing.M) {
	if args, child := os.LookupEnv(childArgs); child {
		config, err := ParseFlags(strings.Fields(args))
		if err == nil {
			err = Run(context.Background(), config, os.Stdin, os.Stdout, os.Stderr)
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// child is a real process, which a test may kill.
type child struct {
	cmd *exec.Cmd
	url string
}

func spawn(t *testing.T, args ...string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childArgs+"=--listen 127.0.0.1:0 "+strings.Join(args, " "))
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	line := bufio.NewScanner(stdout)
	if !line.Scan() {
		t.Fatalf("the process said nothing: %v", line.Err())
	}
	return &child{cmd: cmd, url: strings.TrimPrefix(line.Text(), "listening on ")}
}

// killed waits for the process and checks that it died by SIGKILL.
func (c *child) killed(t *testing.T) {
	t.Helper()
	var exit *exec.ExitError
	if err := c.cmd.Wait(); !errors.As(err, &exit) {
		t.Fatalf("the process ended with %v", err)
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signal() != syscall.SIGKILL {
		t.Errorf("the process ended with %v", exit)
	}
}

// TestAKillAnywhereLeavesOneChargeAndOneCapture kills the process at each point
// of a charge, starts it again on the same data, and lets the client retry.
func TestAKillAnywhereLeavesOneChargeAndOneCapture(t *testing.T) { // A04, A05, I1, I2
	if testing.Short() {
		t.Skip("starts processes")
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			bank := newBank(t)
			args := []string{
				"--data", t.TempDir(), "--provider", bank.url, "--provider-timeout", "2s", "--provider-attempts", "1",
				"--lease", "3s", "--busy-wait", "1s",
			}
			first := spawn(t, append(args, "--crash-at", point)...)
			b := &bench{t: t, url: first.url, bank: bank}
			lost, err := b.try(ask{})
			first.killed(t)
			if answered := err == nil; answered != (point == AtAnswered) {
				t.Errorf("the client got %d %s, %v", lost.status, lost.body, err)
			}

			second := spawn(t, args...)
			b.url = second.url
			var paid answer
			eventually(t, "a retry is answered 201", func() bool {
				paid = b.send(ask{header: map[string]string{"Prefer": "wait=1"}})
				if paid.status == http.StatusConflict && paid.doc(t).Error.Code != CodeKeyInUse {
					t.Fatalf("%d %s", paid.status, paid.body)
				}
				return paid.status == http.StatusCreated
			})
			if point == AtAnswered && paid.body != lost.body {
				t.Errorf("the answer that went out is not the one that is kept:\n%s%s", lost.body, paid.body)
			}
			if taken := bank.taken("shop", "eur"); taken != 5000 {
				t.Errorf("the card was charged %d", taken)
			}
			for _, call := range bank.calls("POST") {
				if call.key != "cap_"+paid.charge(t).ID {
					t.Errorf("the provider saw the key %s for charge %s", call.key, paid.charge(t).ID)
				}
			}
			list := b.want(http.StatusOK, ask{method: "GET"})
			var got page
			if err := json.Unmarshal([]byte(list.body), &got); err != nil || len(got.Data) != 1 {
				t.Errorf("%d charges: %s", len(got.Data), list.body)
			}
			interrupt(t, second)
		})
	}
}

// interrupt ends a process as a terminal does, and checks that it ends well.
func interrupt(t *testing.T, c *child) {
	t.Helper()
	if err := c.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}

func TestABusyKeyAfterACrashIsAnsweredUntilItsLeaseEnds(t *testing.T) { // A04
	if testing.Short() {
		t.Skip("starts processes")
	}
	bank, data := newBank(t), t.TempDir()
	args := []string{"--data", data, "--provider", bank.url, "--lease", "10m"}
	first := spawn(t, append(args, "--crash-at", "claimed")...)
	b := &bench{t: t, url: first.url, bank: bank}
	if _, err := b.try(ask{}); err == nil {
		t.Error("a dead process answered")
	}
	first.killed(t)
	second := spawn(t, args...)
	b.url = second.url
	got := b.want(http.StatusConflict, ask{header: map[string]string{"Prefer": "wait=0"}})
	if got.doc(t).Error.Code != CodeKeyInUse || got.header.Get("Retry-After") == "" {
		t.Errorf("%s", got.body)
	}
	interrupt(t, second)
}

func TestAChildOfADeadStageEndsByItself(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	bank := newBank(t)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childArgs+"=--control --listen 127.0.0.1:0 --data "+t.TempDir()+" --provider "+bank.url)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := bufio.NewScanner(stdout)
	line.Scan()
	var ready control.Up
	if err := json.Unmarshal(line.Bytes(), &ready); err != nil || ready.Type != "ready" {
		t.Fatalf("%s", line.Text())
	}
	// A stage that was killed closes both pipes at once; events still come.
	_ = stdout.Close()
	b := &bench{t: t, url: ready.URL}
	if got := b.send(ask{}); got.status != http.StatusCreated {
		t.Errorf("%d %s", got.status, got.body)
	}
	_ = stdin.Close()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("the child ended with %v", err)
		}
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		t.Error("the child lives on")
	}
}
