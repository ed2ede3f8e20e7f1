package web

import (
	"fmt"
	"os"
	"testing"
)

// TestMain keeps the test binary from playing the payments API: what starts
// children starts its own binary, here this one, and tests that start
// themselves would never end.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "api" {
		fmt.Fprintln(os.Stderr, "a test must not start payments API processes here; use package tests")
		os.Exit(3)
	}
	os.Exit(m.Run())
}
