package naive

import (
	"crypto/rand"
	"strings"

	"chargeonce/idem"
)

// The right ledger beneath needs a key for every charge. Where this side has
// none to give, it makes one up: random, so that it is never met again, with
// the name that people know at its end, where short forms of keys are cut
// from.

const (
	mark     = "~"                                // ends the random part
	alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" // of the random part: RFC 4648, base32
	leastRun = 26                                 // of the random part: 130 bits
)

// madeUp returns a key that nobody ever sent. A name that leaves too little
// room loses its beginning: the name is for the eye alone.
func madeUp(name string) string {
	key := rand.Text() + mark
	return key + name[max(0, len(key)+len(name)-idem.MaxKeyLength):]
}

// nameOf is the name in a key that [madeUp] made, and whether it did.
func nameOf(key string) (name string, made bool) {
	run, name, found := strings.Cut(key, mark)
	if !found || len(run) < leastRun || strings.Trim(run, alphabet) != "" {
		return "", false
	}
	return name, true
}
