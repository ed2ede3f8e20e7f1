package retrypolicy

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http"
)

// NewKey returns a random Idempotency-Key: 26 letters and digits, of at least
// 128 bits. Make one for each intent ("pay order 7F3A"), never one for each
// attempt, and store it before the first attempt, as [FixKey] does: a process
// that comes back with a new key pays twice. It is safe for concurrent use.
func NewKey() string { return rand.Text() }

// KeyFor derives the Idempotency-Key of an order: the same arguments always
// give the same 64 hexadecimal digits, so there is nothing to store and
// nothing to lose in a crash. It is SHA-256 over both arguments, each preceded
// by its length in 8 bytes, so that ("a", "bc") and ("ab", "c") differ.
//
// The namespace says whose order it is and what is done with it
// ("shop/charge", "shop/refund"), since the two need different keys. An order
// that changes is another intent: an id that stays the same needs a version
// ("7F3A/2"), or the server will answer 409 conflict.
//
// Without an orderID the key is empty, which [Client.Do] refuses to send:
// otherwise all orders that lack an id would be one and the same.
func KeyFor(namespace, orderID string) string {
	if orderID == "" {
		return ""
	}
	hash := sha256.New()
	for _, part := range []string{namespace, orderID} {
		// A hash never fails to write.
		_, _ = hash.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		_, _ = hash.Write([]byte(part))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// KeyStore remembers which key belongs to which intent, so that the key
// outlives the process that retries. See [KeyFile] for the smallest one; a
// shop would use a column of its orders.
type KeyStore interface {
	// KeepKey stores fresh as the key of the intent, unless it has one, and
	// returns the one that it has: of two callers the first one wins, and both
	// get the same key. It returns only when that would survive a crash of the
	// machine. It may be called concurrently.
	KeepKey(ctx context.Context, intent, fresh string) (kept string, err error)
}

// FixKey gives a request the key of an intent: the one that the store has from
// an earlier run, or else a new one, which is stored first. Call it before
// [Client.Do]. A request that has a key already is an [ErrKeyFixed]; the
// store's own error is returned as it is. On an error the request is unchanged
// and must not be sent.
func FixKey(req *http.Request, store KeyStore, intent string) error {
	if len(req.Header.Values(headerKey)) > 0 {
		return ErrKeyFixed
	}
	key, err := store.KeepKey(req.Context(), intent, NewKey())
	if err != nil {
		return fmt.Errorf("store the key before the first attempt: %w", err)
	}
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.Header.Set(headerKey, key)
	return nil
}
