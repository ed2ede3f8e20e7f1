package api

import (
	"encoding/base64"
	"net/http"
	"strings"

	"chargeonce/idem"
)

// Prefixes of Stripe's secret keys. The part behind the test prefix is the
// owner's name: there are no accounts to look up, and no secret to keep.
const (
	prefixTest = "sk_test_"
	prefixLive = "sk_live_"
)

// ownerOf says who asks: the NAME of `Bearer sk_test_NAME`, or of Basic with
// that key as the user name (and, as curl's -u sends it, an empty password).
// It reads nothing but the header, so a caller without a credential learns
// nothing about any key.
func ownerOf(header http.Header) (string, *Problem) {
	lines := header.Values("Authorization")
	if len(lines) == 0 {
		return "", &Problem{
			Code:    CodeCredentialMissing,
			Message: "Send your test key as Authorization: Bearer sk_test_NAME, or as the user name of Basic authentication.",
		}
	}
	key, ok := secretKey(lines)
	if strings.HasPrefix(key, prefixLive) {
		return "", &Problem{
			Code:    CodeCredentialLive,
			Message: "This server takes test keys only. Treat a live key that was sent here as leaked.",
		}
	}
	owner, isTest := strings.CutPrefix(key, prefixTest)
	if !ok || !isTest || !idem.ValidOwner(owner) || isCardNumberAlone(owner) {
		return "", &Problem{
			Code:    CodeCredentialInvalid,
			Message: "The credential must be sk_test_NAME, where NAME is 1 to 64 letters, digits, underscores or hyphens, and no card number.",
		}
	}
	return owner, nil
}

// secretKey takes the key out of the header. Scheme names compare without
// case (RFC 9110, section 11.1); two header lines are two identities and are
// refused.
func secretKey(lines []string) (string, bool) {
	if len(lines) != 1 {
		return "", false
	}
	scheme, rest, _ := strings.Cut(lines[0], " ")
	rest = strings.TrimLeft(rest, " ")
	switch {
	case strings.EqualFold(scheme, "Bearer"):
		return rest, true
	case strings.EqualFold(scheme, "Basic"):
		plain, err := base64.StdEncoding.DecodeString(rest)
		if err != nil {
			return "", false
		}
		user, _, _ := strings.Cut(string(plain), ":")
		return user, true
	}
	return "", false
}

// OwnerName is the owner that a request's credential names, or "" where the
// API would refuse it. It serves those who look on, such as the network; it
// authenticates nobody.
func OwnerName(header http.Header) string {
	owner, _ := ownerOf(header)
	return owner
}
