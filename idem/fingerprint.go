package idem

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"net/url"
	"sort"
)

// fingerprintVersion stands in front of every fingerprint. Raise it when the
// canonical form changes: a record of the older form then conflicts with every
// request instead of matching one by accident.
const fingerprintVersion = "v1"

// Names under which [Fingerprint.Diff] reports what is not one parameter.
const (
	// OperationParam: the operation itself (method, path or query) differs.
	OperationParam = "(operation)"
	// OtherParams: the difference lies in parameters without a digest.
	OtherParams = "(other parameters)"
)

const (
	// maxDigests bounds the parameters that get a digest of their own. A
	// charge has about ten; thousands are an attack on the record's size. The
	// rest still counts in the sum.
	maxDigests = 64
	// maxDigestName bounds a name that is kept, in bytes; as maxDigests.
	maxDigestName = 64
)

// Params are the parameters of a request as a tree: strings, [json.Number],
// booleans, nested maps (map[string]any) and lists ([]any). Null and an empty
// map say nothing, like an absent parameter, at whatever depth; an empty list
// and an empty text do count, and so does each place in a list. Another Go
// type counts by its name and its Go syntax.
type Params map[string]any

// Fingerprint is a hash of everything that makes a request this request and no
// other: method, path, query and parameters. It tells a retry from a different
// request that reuses the key. Headers stay out, because a User-Agent, a date
// or a trace header may change from attempt to attempt.
//
// The digests hide no secret: who holds them can try out small values, such as
// amounts. They are for the owner of the key only.
type Fingerprint struct {
	// Sum is "v1:" and the SHA-256 in hexadecimal. It alone decides.
	Sum string `json:"sum"`
	// Operation is a short digest of method, path and query.
	Operation string `json:"operation"`
	// Params holds a short digest for each top-level parameter, so that a
	// conflict can name what differs without keeping what was sent.
	Params map[string]string `json:"params,omitempty"`
}

// NewFingerprint hashes a request. The same parameters give the same
// fingerprint in whatever order they came and however they were encoded;
// numbers count as written, so 10 and 10.0 differ and nothing passes through
// binary64.
func NewFingerprint(method, path string, query url.Values, params Params) Fingerprint {
	operation := sha256.New()
	writeText(operation, method)
	writeText(operation, path)
	writeQuery(operation, query)
	f := Fingerprint{Operation: short(operation), Params: make(map[string]string)}

	whole := sha256.New()
	writeText(whole, fingerprintVersion)
	writeText(whole, string(operation.Sum(nil)))
	kept := pruneMap(params)
	for _, name := range sortedNames(kept) {
		one := sha256.New()
		writeValue(one, kept[name])
		writeText(whole, name)
		writeText(whole, string(one.Sum(nil)))
		if len(f.Params) < maxDigests && len(name) <= maxDigestName {
			f.Params[name] = short(one)
		}
	}
	f.Sum = fingerprintVersion + ":" + hex.EncodeToString(whole.Sum(nil))
	return f
}

// Equal reports whether two requests are the same request.
func (f Fingerprint) Equal(other Fingerprint) bool { return f.Sum == other.Sum }

// Diff names what differs between two requests: [OperationParam] first, if
// they are not the same operation, then the top-level parameters in order. It
// returns nil for equal requests and at least one name for others.
func (f Fingerprint) Diff(other Fingerprint) []string {
	if f.Equal(other) {
		return nil
	}
	var names []string
	for name, digest := range f.Params {
		if other.Params[name] != digest {
			names = append(names, name)
		}
	}
	for name := range other.Params {
		if _, both := f.Params[name]; !both {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	switch {
	case f.Operation != other.Operation:
		return append([]string{OperationParam}, names...)
	case names == nil:
		return []string{OtherParams}
	}
	return names
}

// short is enough of a digest to tell two values of one parameter apart; no
// decision rests on it.
func short(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)[:8]) }
