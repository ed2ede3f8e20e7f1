package shop

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far a delivery's timestamp may be from our clock, either
// way. Each delivery is signed anew, so an honest one is seconds old; a
// recorded one that is played back later is refused. (Stripe's libraries and
// the Standard Webhooks specification use the same five minutes.)
const Tolerance = 5 * time.Minute

// secretPrefix marks a webhook secret; what follows is base64.
const secretPrefix = "whsec_"

// VerifySignature checks that a delivery was signed with secret, over the body
// exactly as it arrived: decoding and encoding it again would change bytes
// that mean nothing and break the signature. Either scheme will do: Stripe's
// (Stripe-Signature) or Standard Webhooks (webhook-id, webhook-timestamp,
// webhook-signature). The error is [ErrSignature] with the reason.
func VerifySignature(secret string, header http.Header, body []byte, now time.Time) error {
	if line := header.Get("Stripe-Signature"); line != "" {
		return verifyStripe(secret, line, body, now)
	}
	if header.Get("Webhook-Signature") != "" {
		return verifyStandard(secret, header, body, now)
	}
	return fmt.Errorf("%w: there is none", ErrSignature)
}

// verifyStripe reads "t=…,v1=…": hexadecimal HMAC-SHA256 over "t.body", keyed
// with the whole secret string. Several v1 are possible while a secret changes.
func verifyStripe(secret, line string, body []byte, now time.Time) error {
	var stamp string
	var sums []string
	for _, part := range strings.Split(line, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			stamp = value
		case "v1":
			sums = append(sums, value)
		}
	}
	if err := fresh(stamp, now); err != nil {
		return err
	}
	want := sign([]byte(secret), stamp+".", body)
	for _, sum := range sums {
		if got, err := hex.DecodeString(sum); err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return fmt.Errorf("%w: no v1 fits", ErrSignature)
}

// verifyStandard reads "v1,BASE64 …": HMAC-SHA256 over "id.timestamp.body",
// keyed with the secret's decoded bytes.
func verifyStandard(secret string, header http.Header, body []byte, now time.Time) error {
	stamp := header.Get("Webhook-Timestamp")
	if err := fresh(stamp, now); err != nil {
		return err
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
	if err != nil {
		return fmt.Errorf("%w: the secret is not base64", ErrSignature)
	}
	want := sign(key, header.Get("Webhook-Id")+"."+stamp+".", body)
	for _, one := range strings.Fields(header.Get("Webhook-Signature")) {
		text, isV1 := strings.CutPrefix(one, "v1,")
		if got, err := base64.StdEncoding.DecodeString(text); isV1 && err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return fmt.Errorf("%w: no v1 fits", ErrSignature)
}

// fresh checks a timestamp in Unix seconds.
func fresh(stamp string, now time.Time) error {
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: the timestamp is malformed", ErrSignature)
	}
	if age := now.Sub(time.Unix(seconds, 0)).Abs(); age > Tolerance {
		return fmt.Errorf("%w: the timestamp is %v away", ErrSignature, age.Round(time.Second))
	}
	return nil
}

func sign(key []byte, head string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(head)) // a hash never fails
	_, _ = mac.Write(body)
	return mac.Sum(nil)
}
