package web

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
	"testing/fstest"
)

// invoke runs the program with a command line that ends at once.
func invoke(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // nothing here may start serving
	var out, err bytes.Buffer
	code = Run(ctx, args, strings.NewReader(""), &out, &err, fstest.MapFS{})
	return code, out.String(), err.String()
}

func TestAWrongCommandLineIsRefusedWithStatus2(t *testing.T) {
	for _, args := range [][]string{
		{"nonsense"},
		{"--nonsense"},
		{"serve", "extra"},
		{"serve", "--listen", "0.0.0.0:0"},        // others could reach it: which Host is ours?
		{"serve", "--listen", ":0"},               // every interface
		{"serve", "--listen", "no port"},          // not an address
		{"api", "--nonsense"},                     // its own flags
		{"api", "--lease", "1s"},                  // contradicts the provider's patience
		{"api", "--retain", "1m"},                 // shorter than clients retry
		{"api", "--mistake", "nonsense"},          // no such mistake
		{"verify", "nonsense"},                    // no such lesson
		{"verify", "--rounds", "0", "kill-lease"}, // none
		{"verify", "--rounds", "10000", "storm"},  // too many
		{"verify", "--nonsense"},                  // no such flag
	} {
		code, _, stderr := invoke(t, args...)
		if code != exitUsage || stderr == "" {
			t.Errorf("%v: exit code %d, stderr %q", args, code, stderr)
		}
	}
}

func TestHelpIsNoFailure(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"serve", "--help"}, {"api", "--help"}, {"verify", "--help"}} {
		code, stdout, stderr := invoke(t, args...)
		if code != exitOK || stdout+stderr == "" {
			t.Errorf("%v: exit code %d, printed %q %q", args, code, stdout, stderr)
		}
	}
}

func TestHelpSaysWhatOneKeyStandsFor(t *testing.T) {
	_, stdout, _ := invoke(t, "help")
	if !strings.Contains(stdout, "One idempotency key stands for one logical action") {
		t.Errorf("help: %s", stdout)
	}
}

func TestVersionNamesTheBuild(t *testing.T) {
	code, stdout, _ := invoke(t, "version")
	if code != exitOK || !strings.HasPrefix(stdout, "chargeonce ") {
		t.Errorf("exit code %d, %q", code, stdout)
	}
}

func TestOnlyLoopbackNeedsNoHost(t *testing.T) {
	for listen, want := range map[string]bool{
		"127.0.0.1:8080": true, "127.1.2.3:0": true, "[::1]:8080": true, "localhost:8080": true,
		":8080": false, "0.0.0.0:8080": false, "[::]:0": false, "192.0.2.1:80": false, "example.org:80": false, "nonsense": false,
	} {
		if got := loopback(listen); got != want {
			t.Errorf("%s: loopback %v, want %v", listen, got, want)
		}
	}
}

func TestEveryMistakeOfTheStageIsKnownToTheAPIProcess(t *testing.T) {
	for _, m := range mistakes() {
		if _, ok := decorationOf(m.ID); !ok || m.Label == "" {
			t.Errorf("mistake %q: known %v, label %q", m.ID, ok, m.Label)
		}
	}
	if _, ok := decorationOf(""); ok {
		t.Error("the right code is a mistake")
	}
}

func TestTheVersionIsToldByCommandAndByFlag(t *testing.T) {
	_, want, _ := invoke(t, "version")
	for _, flag := range []string{"--version", "-version"} {
		if code, stdout, stderr := invoke(t, flag); code != exitOK || stdout != want || stdout == "" || stderr != "" {
			t.Errorf("%s: exit code %d, printed %q %q, want %q", flag, code, stdout, stderr, want)
		}
	}
}

func TestATakenPortSaysHowToChooseAnother(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	address := taken.Addr().String()
	for _, args := range [][]string{{"serve"}, {"api"}} {
		args = append(args, "--listen", address, "--data", t.TempDir())
		code, _, stderr := invoke(t, args...)
		if code != exitFault || !strings.Contains(stderr, "--listen") || !strings.Contains(stderr, address) {
			t.Errorf("%v: exit code %d, stderr %q", args, code, stderr)
		}
	}
}
