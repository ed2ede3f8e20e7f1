package api

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"chargeonce/ledger"
)

// points are where a request can be held, and where a process can be told to
// die; in the order in which a charge passes them. Each of its two commits lies
// between two of them.
var points = []string{
	AtReceived, ledger.AtBegin, ledger.AtClaimed, ledger.AtProviderCalled, ledger.AtCommitted, AtAnswered,
}

// deliveryPoints are those of a delivery; nobody is held there.
var deliveryPoints = []string{atDelivering, atAcknowledged, atDelivered}

// crashAt kills the process when a point has been passed a number of times. It
// is how tests put a crash exactly where they want it. The zero value never
// does; it is safe for concurrent use.
type crashAt struct {
	point string
	times int64
	kill  func() // does not return

	passed atomic.Int64
}

// parseCrashAt reads POINT[:N]; N is 1 where it is missing.
func parseCrashAt(text string) (*crashAt, error) {
	if text == "" {
		return &crashAt{}, nil
	}
	point, count, counted := strings.Cut(text, ":")
	times := int64(1)
	if counted {
		var err error
		if times, err = strconv.ParseInt(count, 10, 32); err != nil || times < 1 {
			return nil, fmt.Errorf("%w: --crash-at wants POINT or POINT:N with N from 1", ErrUsage)
		}
	}
	if known := slices.Concat(points, deliveryPoints); !slices.Contains(known, point) {
		return nil, fmt.Errorf("%w: --crash-at knows the points %s", ErrUsage, strings.Join(known, ", "))
	}
	return &crashAt{point: point, times: times, kill: killOurselves}, nil
}

// pass counts. Exactly one request makes the count full.
func (c *crashAt) pass(point string) {
	if c.point != "" && c.point == point && c.passed.Add(1) == c.times {
		c.kill()
	}
}

// killOurselves is kill -9: no deferred call runs, nothing is flushed.
func killOurselves() {
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Kill()
	}
	if err != nil {
		panic("api: cannot kill this process: " + err.Error())
	}
	select {} // the signal is on its way; nothing more may happen here
}
