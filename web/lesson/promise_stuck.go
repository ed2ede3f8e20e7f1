package lesson

import (
	"strconv"

	"chargeonce/web/control"
)

// stateOf is where the run's one order stands in the shop's journal.
func stateOf(figures Figures) string {
	if len(figures.Orders) != 1 {
		return strconv.Itoa(len(figures.Orders)) + " orders"
	}
	return figures.Orders[0].State
}

// answerOf is the status of the answer that is stored under the run's one key.
func answerOf(figures Figures) string {
	return ofRecord(figures, func(record control.KeyRecord) string { return strconv.Itoa(record.Status) })
}

// stuck promises that the order's idempotency record stands where a dead
// worker has left it: at a recovery point, under its first fence.
func (c *checks) stuck(figures Figures, point string) {
	c.equal("the key's record is", point, ofRecord(figures, func(record control.KeyRecord) string { return record.State }))
	c.equal("fence of the record", "1", ofRecord(figures, func(record control.KeyRecord) string {
		return strconv.FormatUint(record.Fence, 10)
	}))
}

// ofRecord is one figure of the run's one idempotency record.
func ofRecord(figures Figures, figure func(control.KeyRecord) string) string {
	if len(figures.Records) != 1 {
		return strconv.Itoa(len(figures.Records)) + " records"
	}
	return figure(figures.Records[0])
}
