package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

// signer signs deliveries in both of the schemes that consumers know, under
// one secret.
type signer struct {
	secret string // whole, as Stripe keys its signature
	key    []byte // decoded, as Standard Webhooks does
}

func newSigner(secret string) (signer, error) {
	key, err := decodeSecret(secret)
	return signer{secret: secret, key: key}, err
}

// sign sets the headers of one attempt. Each attempt is signed anew, since
// consumers refuse a stale timestamp; the id stays, since they tell by it that
// they have seen the event.
//
// Stripe-Signature is t=SECONDS,v1=HEX of HMAC-SHA256 over "t.body"
// (https://docs.stripe.com/webhooks#verify-manually); webhook-signature is
// v1,BASE64 of HMAC-SHA256 over "id.t.body" (Standard Webhooks 1.0, "Signature
// scheme").
func (s signer) sign(header http.Header, id string, now time.Time, body []byte) {
	stamp := strconv.FormatInt(now.Unix(), 10)
	header.Set("Stripe-Signature", "t="+stamp+",v1="+hex.EncodeToString(mac([]byte(s.secret), stamp+".", body)))
	header.Set("Webhook-Id", id)
	header.Set("Webhook-Timestamp", stamp)
	header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(mac(s.key, id+"."+stamp+".", body)))
}

func mac(key []byte, head string, body []byte) []byte {
	sum := hmac.New(sha256.New, key)
	_, _ = sum.Write([]byte(head)) // a hash never fails
	_, _ = sum.Write(body)
	return sum.Sum(nil)
}
