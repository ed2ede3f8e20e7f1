// Package naive is wrong on purpose. It holds the mistakes that the naive side
// of the demonstration makes, so that a class can see what each one costs.
//
// A mistake is no second program beside the right one. It is one decorator, or
// a few, on boundaries that the right code has anyway: the store, the charger,
// the handler, the shop's wire. What lies beneath (decoding, books, leases,
// the card provider) stays the right code. So the two sides differ in the one
// thing that the lesson is about, and no right package knows that this one
// exists.
//
//	mistake.go     the registry, and how a mistake is wired in
//	nokey.go       no-key: attempts without an idempotency key
//	freshkey.go    fresh-key: a key for each attempt; sendkey.go puts it on the wire
//	lookinsert.go  look-then-insert: a check, then the act, then the record
//	restart.go     restart-forgets: claims swept away at the start
//	globalkeys.go  global-keys: one drawer for everybody's keys
//	nofingerprint.go  no-fingerprint: the key alone decides
//	freshproviderkey.go  fresh-provider-key: a key for each provider call
//	nolease.go     no-lease: in progress for ever
//	twotransactions.go   two-transactions: the charge, and later its record
//	halves.go      the store that commits the one without the other
//	nofence.go     no-fence: the last to finish wins
//	again.go       the books of the last two: what is booked is booked again
//	nodedup.go     no-dedup: each delivery of a message takes effect
//	retryeverything.go   retry-everything: whatever was no success is sent again
//	libraryretries.go    library-retries: net/http sends again by itself
//	nojitter.go    no-jitter: backoff without chance or budget
//	nobreaker.go   no-breaker: attempts at what is clearly down
//	rekey.go       key-in-memory, gives-up: another key for the same purchase
//	shortretention.go    short-retention: keys that are soon forgotten
//	storesfailures.go    stores-failures: a 503 that is kept as an answer
//	retriesdeclines.go   retries-declines: a decline under one key after another
//	gates.go       the points at which the naive side can hold a request
//	told.go        what the panel is told
//	madeup.go      keys of our own, for the right ledger beneath
//
// Each mistake names the kind of public bug that it stands for and the
// function of this repository that does it right.
package naive
