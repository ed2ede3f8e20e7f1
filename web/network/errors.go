package network

import (
	"errors"
	"fmt"
)

var (
	// ErrFault is what every *FaultError is: a fault that cannot be armed.
	ErrFault = errors.New("network: fault refused")

	// ErrTooManyFaults refuses a fault while maxArmed of them are armed.
	ErrTooManyFaults = errors.New("network: too many faults are armed")

	// ErrFaultExists refuses a fault whose ID is armed already.
	ErrFaultExists = errors.New("network: a fault with this id is armed")

	// ErrClosed refuses a fault after Close.
	ErrClosed = errors.New("network: closed")
)

// Ends of a forwarded request. The sender sees none of them, only a reset.
var (
	errNoTarget = errors.New("network: nobody listens on the far side")
	errDetached = errors.New("network: the sender's connection was given up")
	errPath     = errors.New("network: no such path on this wire")
)

// maxShown bounds how much of somebody's input an error repeats, in bytes.
const maxShown = 40

// FaultError says which part of a fault is wrong. It Is ErrFault.
type FaultError struct {
	Field string // as in the header: kind, how, attempts, ms, status, retry-after; or id, owner, key, header
	Want  string // what it may be
	Got   string // what it was, cut to a few dozen bytes
}

// Error gives the field, what it may be, and what it was.
func (e *FaultError) Error() string {
	return fmt.Sprintf("network: fault: %s: want %s, got %q", e.Field, e.Want, e.Got)
}

// Is makes errors.Is(err, ErrFault) true.
func (e *FaultError) Is(target error) bool { return target == ErrFault }

// wrong builds the error for one field. What was given is cut, because it came
// from outside and ends up in logs.
func wrong(field, want string, got any) error {
	text := fmt.Sprint(got)
	if len(text) > maxShown {
		text = text[:maxShown] + "…"
	}
	return &FaultError{Field: field, Want: want, Got: text}
}
