// Package idem makes a repeated request harmless: it remembers, per caller,
// the idempotency key, a fingerprint of the request and the answer, and says
// what a request with that key may do now.
//
// # The one idea
//
// The record of a key and the effect that it protects are written by the same
// transaction. Whoever inserts the record first runs; everybody else reads
// what the winner left. Looking first and inserting later loses as soon as two
// requests arrive together, so this package offers no look-up to base a
// decision on: [Begin] inserts, and the unique key decides.
//
// # The life of a record
//
//	            Begin: STARTED                 Finish
//	(absent) ───────────────────▶ claimed ─▶ … ─────────▶ done
//	    ▲                          │    ▲                   │
//	    │            lease ended,  │    │ Begin: RESUMED    │ retention over:
//	    │            or Release    ▼    │ (fence + 1)       │ RESULT EXPIRED,
//	    │                        (open, nobody's)           │ until the tombstone
//	    └───────────────────────────────────────────────────┘ is over too
//
// An open record belongs to one attempt for the time of its lease. If that
// attempt dies, the lease ends and the next request resumes the work at the
// record's recovery point, under a higher fence, so that a late write of the
// dead attempt is refused. An open record never expires: forgetting it would
// allow a second charge.
//
// # Where the effects are
//
// The rule opens no database and reads no clock. The store hands in a
// transaction that answers two questions ([Tx]); the caller hands in the
// instant ([Now]). The rule itself is one pure function, decide, with its
// truth table. [Handler] puts it in front of a handler of net/http, and is
// where waiting, clocks and headers are; package idemtest checks a store.
//
// Sources: IETF draft-ietf-httpapi-idempotency-key-header; Stripe's
// documentation of idempotent requests; Brandur Leach, "Implementing
// Stripe-like idempotency keys in Postgres" (recovery points); Martin
// Kleppmann, "How to do distributed locking" (fencing tokens).
package idem
