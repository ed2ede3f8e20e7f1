package lesson

import "chargeonce/web/control"

// takeArrivals adds the arrivals of the lesson's storm to the books of a side.
// They are the one figure that is computed and not stored; without them the
// promise about them breaks.
func (s *sideRun) takeArrivals(l Lesson, arrivals Arrivals) {
	if l.Storm == nil || s.unread != nil {
		return
	}
	if arrivals == nil {
		s.unread = errNoArrivals
		return
	}
	s.figures.Arrivals, s.unread = arrivals(s.side, *l.Storm)
}

// arrivalsOf are the arrivals of both sides, for the picture: on one time axis,
// so the side that is done first ends with nothing. nil without a storm.
func arrivalsOf(l Lesson, both []*sideRun) map[control.Side][]int {
	if l.Storm == nil {
		return nil
	}
	length := 0
	for _, s := range both {
		length = max(length, len(s.figures.Arrivals))
	}
	all := make(map[control.Side][]int, len(both))
	for _, s := range both {
		all[s.side] = make([]int, length)
		copy(all[s.side], s.figures.Arrivals)
	}
	return all
}

// load is the peak of a storm and its sum: the most requests that one 20 ms
// brings, and all of them.
func load(arrivals []int) (peak, total int) {
	for _, n := range arrivals {
		peak, total = max(peak, n), total+n
	}
	return peak, total
}
