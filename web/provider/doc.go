// Package provider is the simulated card provider: the next box to the right
// of the payments API, with a book of its own that outlives every process. It
// exists so that a charge really leaves our ledger, and so that a lesson can
// compare what our ledger says with what the card was charged.
//
// # Protocol
//
//	POST /captures {amount, currency, card, reference}   with Idempotency-Key
//	POST /refunds  {capture, amount}                     with Idempotency-Key
//	GET  /operations?key=KEY
//
// Amounts are minor units; reference is OWNER/CHARGE_ID. The answers:
//
//	201 captured or refunded, 402 declined   final, and replayed for ever
//	200, 404 of the look-up                  decided as shown, or nothing was
//	409 idempotency_key_reused               the key belongs to another request
//	400, 413, any other 404                  the caller's bug; nothing is kept
//	409 idempotency_key_in_use, 429, 503     unknown to the caller: ask again
//
// A replay carries `Idempotent-Replayed: true` and the bytes of the first
// answer. Every refusal is {"code", "message"}.
//
// # What makes it safe to call twice
//
// The key's record, the operation and the answer are one transaction, synced
// before the answer leaves, so of any number of equal requests exactly one
// captures. A provider finishes what it has received: a client that hangs up
// changes nothing. It never forgets a key.
package provider
