package lesson

import "errors"

// ErrUnknown: there is no lesson of that id.
var ErrUnknown = errors.New("lesson: no such lesson")

// errNoArrivals: the lesson has a storm, and the rig cannot compute one.
var errNoArrivals = errors.New("lesson: this rig computes no storms")

// What a script can find to be otherwise than it must be. The promises would
// break as well; these say earlier, and more plainly, why.
var (
	// errUnpaid: a click came to another end than a payment.
	errUnpaid = errors.New("lesson: a click did not come to a payment")
	// errTooSoon: a click has an answer that nobody can have given.
	errTooSoon = errors.New("lesson: a click was answered too soon")
	// errAnswer: an answer is not the one that the experiment is about.
	errAnswer = errors.New("lesson: another answer than the experiment needs")
	// errStranger: a request is held that belongs to none of the script's
	// clicks, so the script cannot know what releasing it would do.
	errStranger = errors.New("lesson: a request that no click sent is held")
	// errTooFar: a request has passed the gate before its first step, so what
	// would be executed is another order than the one that was meant.
	errTooFar = errors.New("lesson: a request has passed an armed gate")
	// errOrders: the shop's journal holds other orders than the script placed.
	errOrders = errors.New("lesson: not the one order that was placed")
	// errNoAnswer: a request that nothing was done to has no usable answer.
	errNoAnswer = errors.New("lesson: a request has no usable answer")
)
