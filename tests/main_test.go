// Package tests drives the whole binary from outside: as a process on a port
// of its own, by HTTP, by websocket and by a real browser. Nothing here
// reaches into a package for what the binary does.
package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// binary is chargeonce, built once for all tests.
var binary string

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "chargeonce-tests-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "tests:", err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	binary = filepath.Join(dir, "chargeonce")
	build := exec.Command("go", "build", "-o", binary, "chargeonce")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "tests: build: %v\n%s", err, out)
		return 1
	}
	code := m.Run()
	closeBrowser()
	return code
}

// needs skips a test whose tool is missing on this machine, unless everything
// is required: then it fails.
func needs(t *testing.T, what string, missing error) {
	t.Helper()
	if missing == nil {
		return
	}
	if os.Getenv("CHARGEONCE_REQUIRE_ALL") == "1" {
		t.Fatalf("%s is required here: %v", what, missing)
	}
	t.Skipf("skipped: %s is not on this machine (%v)", what, missing)
}
