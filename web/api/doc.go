// Package api serves the payments API over HTTP: it decodes a request, makes
// one call to the ledger and renders what came back. It knows no rule about
// money or keys; those live in packages ledger and idem.
//
// [New] is the handler, [Run] the whole process `chargeonce api`. A request
// for a charge passes through these rooms:
//
//	server.go      routes, request ids, limits, one error document for everybody
//	credential.go  who asks: the owner
//	headers.go     idempotency key, attempt, trace, Prefer
//	decode*.go     form or JSON body → one tree of parameters
//	params.go      tree → typed values and their canonical form
//	charge*.go     what a charge needs, the one domain call
//	render.go      charge → JSON as Stripe's SDKs expect it
//	errors.go      the one table from refusals and domain errors to answers
//	events.go      what the panel is told, after the fact
//	webhook*.go    the outbox's way to the consumer: schedule, signature, attempt
//	provider.go    client of the card provider's protocol
//	gates*.go      where the stage holds requests; link.go a request's tie to its client
//	decorate.go    the boundaries at which somebody else may wrap the process
//	process.go     flags → build → run → close
//
// Names, fields and JSON types follow Stripe's API where Stripe has them
// (https://docs.stripe.com/api), so that its SDKs work unchanged; the error
// document is RFC 9457 with Stripe's error object as an extension member.
package api
