// Package ledger keeps double-entry books of card charges and makes each charge
// once, however often it is asked for.
//
// # The phases of a charge
//
// A charge is two transactions of ours with somebody else's call between them.
// Never inside one: a transaction cannot be held open for another system's
// seconds, nor can it be rolled back once a card is charged.
//
//	request ──▶ ┌── commit 1 ───────┐      ┌─ provider ──┐      ┌── commit 2 ─────────┐
//	            │ key     claimed   │ ───▶ │ key cap_ID, │ ───▶ │ key     done+answer │ ──▶ answer
//	            │ charge  pending   │      │ outside any │      │ charge  succeeded   │
//	            └───────────────────┘      │ transaction │      │         or failed   │
//	                │          ▲           └─────────────┘      │ postings, event     │
//	     replay,    │          │                 │              └─────────────────────┘
//	     conflict,  │          │ next request    │ nobody knows            │
//	     busy ◀─────┘          │ RESUMES         ▼                         │ fence lost:
//	                           └────── key released at                     │ roll back,
//	                                   provider_called ◀── (or lease ends) │ begin again
//	                           ▲                                           │
//	                           └───────────────────────────────────────────┘
//
// Each commit is all or nothing and is made under the fence of the claim. What
// falls between them is told by the record: whoever comes next with the same
// key resumes under a higher fence, asks the provider by its key what became
// of it, and only then sends again, with that same key. An outcome that nobody
// knows is never written down as a failure.
//
// # Where things are
//
// phases.go has the two commits as plain functions over [Tx]; call.go what lies
// between; attempt.go and heart.go one worker's way through them, with its
// heartbeat; wait.go the queue of busy requests; ledger.go the entrance.
// posting.go is the arithmetic of the books; outbox.go what others are told of
// them; books.go and read.go are the engine on Badger.
//
// Sources: Brandur Leach, "Implementing Stripe-like idempotency keys in
// Postgres" (atomic phases, recovery points); Martin Kleppmann, "How to do
// distributed locking" (fencing tokens).
package ledger
