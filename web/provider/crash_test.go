package provider

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

// childDir, in the environment, turns the test binary into a provider with its
// book in that directory: a process that can be killed.
const childDir = "PROVIDER_TEST_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir))
	}
	os.Exit(m.Run())
}

// child serves until its standard input ends, so that it never outlives the
// test.
func child(dir string) int {
	p, err := Open(dir, Options{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	server := httptest.NewServer(p.Handler())
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	server.Close()
	if err := p.Close(); err != nil {
		return 1
	}
	return 0
}

// spawn starts a child and returns its address, what kills it at once (-9), and
// what ends it in order.
func spawn(t *testing.T, dir string) (url string, kill, end func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
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
	t.Cleanup(func() { _ = stdin.Close() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http://") {
		t.Fatalf("the child said %q (%v)", line, err)
	}
	kill = func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // "signal: killed" is what was asked for
	}
	end = func() {
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the child ended with %v", err)
		}
	}
	return strings.TrimSpace(line), kill, end
}

// Invariant I2 at the provider: what was answered survives kill -9.
func TestBookSurvivesKillAndReopen(t *testing.T) {
	dir := t.TempDir()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var first []reply
	for round := range 3 {
		url, kill, _ := spawn(t, dir)
		for i := range round + 1 {
			answer, err := send(client, url+"/captures", fmt.Sprint(i), orderOf(5000, "eur", "tok_visa", fmt.Sprintf("shop/%d", i)))
			if err != nil || answer.status != 201 {
				t.Fatalf("round %d, key %d: %v, %d %s", round, i, err, answer.status, answer.body)
			}
			if i == round {
				first = append(first, answer)
			} else if answer.body != first[i].body || !answer.replayed() {
				t.Errorf("round %d, key %d: %s, want the replay of %s", round, i, answer.body, first[i].body)
			}
		}
		kill()
	}
	p, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkBook(t, p)
	lines := book(t, p, "shop")
	if len(lines) != 3 || lines[0].Seen != 1 || lines[2].Seen != 3 {
		t.Errorf("book %+v, want three captures, the oldest seen 3 times", lines)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

func TestBookSurvivesAnOrderlyEnd(t *testing.T) {
	dir := t.TempDir()
	url, _, end := spawn(t, dir)
	if answer, err := send(http.DefaultClient, url+"/captures", "k", order50("tok_chargeDeclined")); err != nil || answer.status != 402 {
		t.Fatalf("%v, %d", err, answer.status)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, badgerdb.ErrLocked) {
		t.Errorf("a second provider on the same book: %v, want ErrLocked", err)
	}
	end()
	p, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if lines := book(t, p, "shop"); len(lines) != 1 || lines[0].DeclineCode != "generic_decline" {
		t.Errorf("book %+v, want the decline", lines)
	}
	select {
	case <-p.Failed():
		t.Error("a healthy book has failed")
	default:
	}
	if err := errors.Join(p.Close(), p.Close()); err != nil {
		t.Errorf("closed twice: %v", err)
	}
}

func TestContradictoryOptionsAreRefused(t *testing.T) {
	db := memory(t)
	if _, err := New(Options{}); !errors.Is(err, ErrNoDB) {
		t.Errorf("no database: %v", err)
	}
	if _, err := Open(t.TempDir(), Options{DB: db}); !errors.Is(err, ErrTwoDBs) {
		t.Errorf("two databases: %v", err)
	}
	dir := t.TempDir()
	if _, err := Open(dir, Options{Account: "a/b"}); !errors.Is(err, idem.ErrOwnerInvalid) {
		t.Errorf("an account that breaks the layout: %v", err)
	}
	p, err := Open(dir, Options{})
	if err != nil {
		t.Fatalf("the refused options left the directory locked: %v", err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
