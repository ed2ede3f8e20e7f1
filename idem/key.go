package idem

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
)

const (
	// MaxKeyLength bounds a key's value in bytes, as Stripe does. A longer key
	// is refused, never cut: two keys that share a beginning are two keys.
	MaxKeyLength = 255
	// MaxOwnerLength bounds an owner's name in bytes.
	MaxOwnerLength = 64
)

// Key is the identity of one logical action: who asks, and the idempotency
// key that the caller minted for it. Two owners may use the same value and
// never meet.
type Key struct {
	Owner string // who asks: [A-Za-z0-9_-]{1,64}, taken from the credential
	Value string // 1 to 255 visible ASCII characters, as sent
}

// ParseKey builds a key from an owner and the lines of the Idempotency-Key
// header. The value is taken as sent, neither trimmed nor case-folded, but for
// the draft's quoted form: `"abc"` is the same key as `abc`.
//
// It returns [ErrKeyMissing] where there is no line at all and [ErrKeyInvalid]
// (wrapped with the reason, never with the key) for more than one line, an
// empty value, a character outside visible ASCII or more than [MaxKeyLength]
// bytes.
func ParseKey(owner string, lines []string) (Key, error) {
	if !ValidOwner(owner) {
		return Key{}, ErrOwnerInvalid
	}
	switch len(lines) {
	case 0:
		return Key{}, ErrKeyMissing
	case 1:
	default:
		return Key{}, fmt.Errorf("%w: sent more than once", ErrKeyInvalid)
	}
	value, err := unquote(lines[0])
	if err != nil {
		return Key{}, err
	}
	if err := checkValue(value); err != nil {
		return Key{}, err
	}
	return Key{Owner: owner, Value: value}, nil
}

// ValidOwner reports whether name may be an owner: 1 to 64 of A-Z, a-z, 0-9,
// '_' and '-'.
func ValidOwner(name string) bool {
	if name == "" || len(name) > MaxOwnerLength {
		return false
	}
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}

// Valid reports whether the key is one that [ParseKey] gives. A value is what
// stands inside the quotes: to parse it again would take a quote of its own for
// the draft's form.
func (k Key) Valid() bool { return ValidOwner(k.Owner) && checkValue(k.Value) == nil }

// ID is the fixed-width identity of a key for stores: a SHA-256 over its
// length-prefixed parts, so that ("a:b", "c") and ("a", "b:c") differ.
func (k Key) ID() [sha256.Size]byte {
	h := sha256.New()
	writeText(h, k.Owner)
	writeText(h, k.Value)
	return [sha256.Size]byte(h.Sum(nil))
}

// String names the key in logs without giving it away: callers do put e-mail
// addresses into keys.
func (k Key) String() string {
	id := k.ID()
	return k.Owner + "/#" + hex.EncodeToString(id[:4])
}

// LogValue is [Key.String] for slog, whose JSON handler would otherwise write
// the fields.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

func checkValue(value string) error {
	if value == "" {
		return fmt.Errorf("%w: empty", ErrKeyInvalid)
	}
	if len(value) > MaxKeyLength {
		return fmt.Errorf("%w: longer than %d characters", ErrKeyInvalid, MaxKeyLength)
	}
	for _, c := range []byte(value) {
		if c < '!' || c > '~' {
			return fmt.Errorf("%w: a character is not visible ASCII", ErrKeyInvalid)
		}
	}
	return nil
}

// unquote undoes the draft's structured-field string (RFC 9651, section
// 3.3.3), in which only a quote and a backslash are escaped.
func unquote(line string) (string, error) {
	if !strings.HasPrefix(line, `"`) {
		return line, nil
	}
	malformed := fmt.Errorf("%w: malformed quoted form", ErrKeyInvalid)
	if len(line) < 2 || !strings.HasSuffix(line, `"`) {
		return "", malformed
	}
	var value strings.Builder
	inner := line[1 : len(line)-1]
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case '"':
			return "", malformed
		case '\\':
			i++
			if i == len(inner) || inner[i] != '"' && inner[i] != '\\' {
				return "", malformed
			}
		}
		value.WriteByte(inner[i])
	}
	return value.String(), nil
}
