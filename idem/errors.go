package idem

import "errors"

// Of parsing a key.
var (
	// ErrKeyMissing says that the request carries no Idempotency-Key at all.
	ErrKeyMissing = errors.New("idem: the Idempotency-Key header is missing")
	// ErrKeyInvalid says that the header is there but is not one key of 1 to
	// 255 visible ASCII characters.
	ErrKeyInvalid = errors.New("idem: the Idempotency-Key header is invalid")
	// ErrOwnerInvalid says that the caller's name is not a valid owner.
	ErrOwnerInvalid = errors.New("idem: the owner is invalid")
)

// Of writing a record.
var (
	// ErrClaim says that a claim identifies nothing: its key or its fingerprint
	// is empty. It is a bug of the caller.
	ErrClaim = errors.New("idem: the claim lacks a key or a fingerprint")
	// ErrPoint says that [Advance] was given a point that is not between
	// [Claimed] and [Done]. It is a bug of the caller.
	ErrPoint = errors.New("idem: not a recovery point to advance to")
	// ErrAnswer says that an answer may not be stored: it is not definite or
	// too large (see [Answer]).
	ErrAnswer = errors.New("idem: the answer may not be stored")
	// ErrFenced says that the claim was lost: another attempt holds the record
	// under a higher fence, or has finished it. The loser must roll back
	// everything that it wrote in this transaction, discard its outcome and
	// ask [Begin] again.
	ErrFenced = errors.New("idem: the claim was lost to another attempt")
)

// Of waiting and of configuration.
var (
	// ErrTooManyWaiters says that as many requests as allowed already wait for
	// this key.
	ErrTooManyWaiters = errors.New("idem: too many requests wait for this key")
	// ErrTerms says that durations contradict each other (see [Terms.Validate]).
	ErrTerms = errors.New("idem: contradictory durations")
)
