// Package network is the wire between two boxes: a reverse proxy that does to
// a request what real networks do, scripted by count and never by chance.
//
// One Network stands on one boundary of one side (shop → API, API → card
// provider, outbox → receipts). A request comes onto the wire, is identified
// (owner, idempotency key), meets at most one fault, and has exactly one fate:
//
//	sender ──▶ Passed ──┬─▶ LostRequest   nothing was delivered
//	                    ├─▶ Refused       a proxy's own 429, 502, 503 or 504
//	                    └─▶ target ──┬─▶ LostResponse   the work was done
//	                                 ├─▶ Truncated      half of it came back
//	                                 ├─▶ Dead           nobody there, or died
//	                                 ├─▶ Gone           the sender had left
//	                                 └─▶ Answered
//
// A wire does not recall what it delivered: a sender that hangs up cancels
// nothing on the far side. It does not send anything twice on its own either,
// so that the figures of Wire and of the target can be compared.
package network
