package tests

import (
	"strings"
	"testing"
)

// What the lesson expired-key cannot show, since nothing runs: a process that
// would forget keys too early does not even start.
func TestTheAPIRefusesToForgetKeysBeforeTheLastRetry(t *testing.T) {
	for _, of := range []struct {
		flags []string
		why   string
	}{
		{[]string{"--retain", "10m", "--retry-window", "1h"}, "a late retry would charge again"},
		{[]string{"--retain", "1h", "--retry-window", "1h"}, "a late retry would charge again"},
		{[]string{"--retain", "24h", "--tombstone", "23h"}, "the tombstone"},
	} {
		flags := append([]string{"api", "--listen", "127.0.0.1:0", "--memory"}, of.flags...)
		p := launch(t, flags...)
		if code := p.exitCode(); code == 0 || !strings.Contains(p.log.String(), of.why) {
			t.Errorf("%v: exit code %d, said %q", of.flags, code, p.log)
		}
	}
	right := launch(t, "api", "--listen", "127.0.0.1:0", "--memory", "--retain", "61m", "--retry-window", "1h")
	select {
	case <-right.listening():
	case <-right.done:
		t.Errorf("a retention above the retry window is refused: %s", right.log)
	}
}
