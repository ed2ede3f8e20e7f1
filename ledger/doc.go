// Package ledger keeps double-entry books of card charges and makes each charge,
// and each refund of one, once, however often it is asked for.
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
// # Refunds, intents, and what happens by itself
//
// A refund goes through the same phases under a key ref_ID. Its commit 1 sets
// the amount aside on the charge's own row, or refuses for good where too little
// is left; its commit 2 turns what was set aside into what was given back, or
// frees it. A payment intent is a row that names its charge, and nothing more. To
// confirm it is a request with a key of its own, whose commit 1 writes the charge
// and names it on the intent: of two such keys the second finds the first's
// charge there, and a new one is made only where the last was declined.
//
//	charge's row   amount 100 │ set aside 0 │ given back 0
//	  commit 1 of 60          │          60 │            0    a second 60: refused
//	  unknown                 │          60 │            0    kept, until somebody knows
//	  commit 2, refunded      │           0 │           60
//	  commit 2, declined      │           0 │            0
//
// Every record stands on an agenda by when it is due. The completer resumes
// open records that nobody came back for; the reaper removes finished ones past
// their retention; see [Options].
//
// # Where things are
//
// phases.go has the two commits as plain functions over [Tx]; call.go what lies
// between; attempt.go and heart.go one worker's way through them, with its
// heartbeat; wait.go the queue of busy requests; ledger.go, refund.go,
// intent.go and confirm.go the entrances, and work.go what they have in common. completer.go
// and reaper.go are what happens by itself, audit.go the look at it all.
// posting.go is the arithmetic of the books; outbox.go what others are told of
// them. books.go and its neighbours lay them out in rows, under which rows.go
// puts an engine: badger.go, or memory.go; layout.go brings older rows up to date.
//
// Sources: Brandur Leach, "Implementing Stripe-like idempotency keys in
// Postgres" (atomic phases, recovery points); Martin Kleppmann, "How to do
// distributed locking" (fencing tokens).
package ledger
