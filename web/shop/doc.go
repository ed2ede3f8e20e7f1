// Package shop is the merchant's side of the demo: orders, the journal that
// fixes an order's idempotency key before the first attempt, and the loop that
// asks the payments API until the outcome is known.
//
//	draft ──Pay──▶ open ──201──▶ paid
//	                │  └──402──▶ declined
//	                │  └──other definite refusal──▶ refused
//	                └── no definite answer: stays open, is asked again with
//	                    the same key, also after a restart
//
// The journal is written and synced before anything is sent, so the key
// outlives the process. A timeout never makes an order fail: it is an unknown
// outcome, and an open order is asked about until it is settled.
package shop
