package static

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// oldest is the first Node release that knows all that the modules use
// (Array.prototype.toReversed).
const oldest = 20

// TestModules runs the script's own tests, which hold money, words, reducer,
// axis and drawing. They need Node and nothing else.
func TestModules(t *testing.T) {
	node := findNode(t)
	files, err := filepath.Glob("testdata/*.test.mjs")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d test files: %v", len(files), err)
	}
	command := exec.CommandContext(t.Context(), node, append([]string{"--test"}, files...)...)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, failures(out.String()))
	}
	if !strings.Contains(out.String(), "# fail 0") || strings.Contains(out.String(), "# pass 0") {
		t.Errorf("no test ran:\n%s", out.String())
	}
}

// findNode skips the test where there is no Node, unless everything is
// required.
func findNode(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err == nil {
		version, _ := exec.CommandContext(t.Context(), node, "--version").Output()
		major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
		if n, err := strconv.Atoi(major); err == nil && n >= oldest {
			return node
		}
	}
	if os.Getenv("CHARGEONCE_REQUIRE_ALL") == "1" {
		t.Fatalf("the modules' tests need Node %d or later", oldest)
	}
	t.Skipf("the modules' tests need Node %d or later, which is not on the PATH", oldest)
	return ""
}

// failures leaves out the tests that passed.
func failures(report string) string {
	var kept []string
	for part := range strings.SplitSeq(report, "# Subtest: ") {
		if strings.Contains(part, "not ok ") {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "\n")
}
