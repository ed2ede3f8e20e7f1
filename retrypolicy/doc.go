// Package retrypolicy is an HTTP client that may repeat a request, and says
// why each time.
//
// Each part is usable alone, and reads in this order:
//
//   - [Classify] decides: one attempt's [Result] in, a [Verdict] and its reason
//     out. It is pure and looks at types and numbers, never at error text.
//   - [Backoff], four kinds of [Jitter] and [RetryAfter] say how long to wait.
//     They are pure as well: the random number and the clock are arguments.
//   - [Client] sends, by its Do or as the [http.RoundTripper] of any
//     http.Client. It alone has effects, but for the file of a [KeyFile].
//   - [KeyFor] derives a key from an order, [FixKey] takes one from a
//     [KeyStore]; both give the same key again after a crash.
//   - [Budget] bounds the repeats of all calls together, [Breaker] stops
//     attempts to a server that is down. Both are optional.
//   - [Storm] computes what a server sees of all this in an outage.
//
// # What makes a repeat safe
//
// A timeout does not say that nothing happened; it says that the outcome is
// unknown. So a request is repeated only if repeating cannot do harm: its
// method is idempotent (RFC 9110, section 9.2.2), or it carries an
// Idempotency-Key that the server honours, or certainly no byte of it left.
// The key belongs to the intent, not to the attempt: the caller sets it before
// [Client.Do], and all attempts carry the same key, bytes and length.
//
// # Honest attempts
//
// net/http sends a request again by itself when a reused connection dies
// before the answer begins and the request looks replayable: GET and its like,
// and anything with an Idempotency-Key. Such a repeat is in no loop, no limit
// and no log. The client gives every request a body that cannot be rewound, so
// that an attempt is one request on the wire (and one more for each redirect
// that it follows). The price: a POST without content goes out as an
// empty chunked body over HTTP/1.1, since net/http writes "Content-Length: 0"
// only for bodies that it can replay.
//
// # Limits
//
// Attempts, time for each, time in all, waits, redirects, and the sizes of
// request and answer are all bounded: see [Policy], [MaxRequestBody] and
// [MaxAnswerBody].
package retrypolicy
