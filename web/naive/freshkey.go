package naive

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"
)

// freshKey sends a key with every attempt, and each time another one.
//
// Wrong: the key is minted inside the retry loop, next to the call that sends,
// instead of before it. Every request then carries a key, as the server wants,
// and yet no two of them say that they are one purchase. No server can help: a
// key that it has never seen is a new intent, and it is right to charge.
//
// The public kind: a key that changes with the attempt, so that a retry after
// a timeout is a second payment to a server that does honour keys
// (square/square-mcp-server, issue 31; Adyen/adyen-commercetools, issue 1305).
//
// Right: place of web/shop stores the order with its key before the first
// attempt, and chargeRequest takes the key from there, whoever sends and when.
func freshKey() Mistake {
	return Mistake{
		ID: "fresh-key", Label: "a fresh key per attempt",
		Gates: plainGates, Gate: announce(plainPoints),
		Key: keyOfAttempt, Wire: sendKey(keyOfAttempt),
	}
}

// keyOfAttempt is the key of an attempt with the trace LOOP.NUMBER. The first
// attempt's is the journal's; every later one gets a key of its own, of the
// same form. It is a hash and not a random text, so that whoever shows the
// attempt and whoever sends it come to the same.
func keyOfAttempt(key, trace string) string {
	if _, number, found := strings.Cut(trace, "."); !found || number == "1" {
		return key
	}
	sum := sha256.Sum256([]byte(key + "/" + trace))
	text := base32.StdEncoding.EncodeToString(sum[:])
	return text[:4] + "-" + text[4:leastRun+4]
}
