package stage

import "errors"

// errStopping says that the stage is shutting down: nothing begins any more.
// Panels are closed with 1012.
var errStopping = errors.New("the stage is shutting down")

// errDataTaken says that another stage is at work on the same books.
var errDataTaken = errors.New("another chargeonce is using this data folder; end it, or choose another with --data")

// errNoPort says that the stage cannot have its address.
var errNoPort = errors.New("this address cannot be had; choose another with --listen HOST:PORT (port 0 takes a free one)")

// Of the payments API processes.
var (
	// errChildGone says that the supervisor has ended: the stage is stopping,
	// or the process never came as far as to listen.
	errChildGone = errors.New("the payments API does not start; it has said why above")
	// errChildDown says that no process runs at the moment.
	errChildDown = errors.New("stage: the payments API is down")
)

// Of gates and holds.
var (
	// errBadGate says that a gate cannot be armed like this.
	errBadGate = errors.New("stage: no such gate")
	// errBadClock says that the retention clock cannot be moved like this.
	errBadClock = errors.New("stage: the clock cannot be moved like this")
	// errNoHold says that no request stands there (any more).
	errNoHold = errors.New("stage: no request is held under that name")
	// errBadFate says that a held request cannot be dealt with like this.
	errBadFate = errors.New("stage: no such fate")
)

// errNothingToUndo says that no reset can be taken back, or not any more.
var errNothingToUndo = errors.New("stage: there is no reset to undo")

// Of panels, which are closed with 1013.
var (
	// errBehind says that the ring has overwritten a panel's place.
	errBehind = errors.New("the client fell behind")
	// errCrowded says that as many panels are open as are allowed.
	errCrowded = errors.New("too many panels are open")
)

// Of lesson runs.
var (
	// errNoMistake says that a lesson's mistake was not handed in.
	errNoMistake = errors.New("stage: no such mistake")
	// errRunTooLong says that a run made more events than its log holds.
	errRunTooLong = errors.New("stage: the run made more events than are kept")
	// errRunBusy says that a run is under way: one at a time on a stage.
	errRunBusy = errors.New("stage: a lesson is running")
	// errNoFunc says that a lesson shows a function that the source does not have.
	errNoFunc = errors.New("stage: no such function")
)
