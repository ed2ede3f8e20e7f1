package stage

import "errors"

// Of the payments API processes.
var (
	// errChildGone says that the supervisor has ended: the stage is stopping.
	errChildGone = errors.New("stage: the payments API is no longer supervised")
	// errChildDown says that no process runs at the moment.
	errChildDown = errors.New("stage: the payments API is down")
)

// Of requests to the stage.
var (
	// errNoSide says that a side is neither "safe" nor "naive", or has no
	// process on this stage.
	errNoSide = errors.New("stage: no such side")
)
