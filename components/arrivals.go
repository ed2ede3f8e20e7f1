package components

import (
	_ "embed" // the example run
	"fmt"
	"slices"
	"strings"
)

// ghost are the events of the run that stands on the panel before anything has
// happened: what losing the answer looks like, in the panel's own language.
//
//go:embed ghost.json
var ghost string

// Size of the histogram of arrivals, in its own units.
const (
	barsWidth  = 900
	barsHeight = 60
)

// bars is the outline of one side's histogram. Its height is a share of the
// highest slice of all sides, so that the sides can be compared by eye.
func (r *Recording) bars(side string) string {
	peak := 1
	for _, counts := range r.Arrivals {
		peak = max(peak, slices.Max(append([]int{0}, counts...)))
	}
	step := barsWidth / float64(len(r.Arrivals[side]))
	var d strings.Builder
	for i, n := range r.Arrivals[side] {
		if n > 0 {
			_, _ = fmt.Fprintf(&d, "M%.1f %dv-%.1fh%.1fV%d", float64(i)*step, barsHeight, float64(n)/float64(peak)*barsHeight, max(step, 3.0), barsHeight)
		}
	}
	return d.String()
}

// atMost says how high one side's histogram is.
func (r *Recording) atMost(side string) string {
	return fmt.Sprintf("requests after the outage: at most %d in 20 ms", slices.Max(r.Arrivals[side]))
}
