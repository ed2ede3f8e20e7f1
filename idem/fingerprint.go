package idem

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/url"
	"slices"
	"sort"
	"strconv"
)

// fingerprintVersion stands in front of every fingerprint. Raise it when the
// canonical form changes: a record of an older version then still compares
// equal to requests that are hashed the same old way, or conflicts loudly, but
// never matches by accident.
const fingerprintVersion = "v1"

// OperationParam is the name under which [Fingerprint.Diff] reports that not a
// parameter but the operation itself (method, path or query) differs.
const OperationParam = "(operation)"

// Params are the parameters of a request as a tree: strings, [json.Number],
// booleans, nested maps of type map[string]any and lists of type []any. A nil
// leaf and an empty map say nothing, like an absent parameter.
type Params map[string]any

// Fingerprint is a hash of everything that makes a request this request and no
// other: method, path, query and parameters. It tells a retry from a different
// request that reuses the key. Headers stay out, because a User-Agent, a date
// or a trace header may change from attempt to attempt.
type Fingerprint struct {
	// Sum is "v1:" and the SHA-256 in hexadecimal.
	Sum string `json:"sum"`
	// Params holds a short digest for each top-level parameter, so that a
	// conflict can name what differs without keeping what was sent.
	Params map[string]string `json:"params,omitempty"`
}

// NewFingerprint hashes a request. The same parameters give the same
// fingerprint in whatever order they came and however they were encoded;
// numbers count as written, so 10 and 10.0 differ and nothing passes through
// binary64.
func NewFingerprint(method, path string, query url.Values, params Params) Fingerprint {
	whole := sha256.New()
	writeText(whole, fingerprintVersion)
	writeText(whole, method)
	writeText(whole, path)
	writeQuery(whole, query)

	print := Fingerprint{Params: make(map[string]string, len(params))}
	for _, name := range sortedNames(params) {
		if empty(params[name]) {
			continue
		}
		one := sha256.New()
		writeValue(one, params[name])
		digest := one.Sum(nil)
		writeText(whole, name)
		writeText(whole, string(digest))
		print.Params[name] = hex.EncodeToString(digest[:8])
	}
	print.Sum = fingerprintVersion + ":" + hex.EncodeToString(whole.Sum(nil))
	return print
}

// Equal reports whether two requests are the same request.
func (f Fingerprint) Equal(other Fingerprint) bool { return f.Sum == other.Sum }

// Diff names the top-level parameters in which two requests differ, sorted. If
// no parameter differs but the sums do, the operation does: it then returns
// [OperationParam] alone.
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
	if names == nil {
		return []string{OperationParam}
	}
	sort.Strings(names)
	return names
}

func writeQuery(h hash.Hash, query url.Values) {
	names := make([]string, 0, len(query))
	for name := range query {
		names = append(names, name)
	}
	sort.Strings(names)
	writeText(h, strconv.Itoa(len(names)))
	for _, name := range names {
		writeText(h, name)
		values := slices.Clone(query[name])
		writeText(h, strconv.Itoa(len(values)))
		for _, value := range values {
			writeText(h, value)
		}
	}
}

// writeValue writes one node with a tag for its shape, so that the list ["a"]
// and the text "a" differ. Leaves count by their text alone: a form cannot say
// whether 5000 was a number.
func writeValue(h hash.Hash, value any) {
	switch value := value.(type) {
	case map[string]any:
		writeText(h, "{")
		for _, name := range sortedNames(value) {
			if !empty(value[name]) {
				writeText(h, name)
				writeValue(h, value[name])
			}
		}
		writeText(h, "}")
	case []any:
		writeText(h, "["+strconv.Itoa(len(value)))
		for _, item := range value {
			writeValue(h, item)
		}
	case nil:
		writeText(h, "-")
	case string:
		writeText(h, "="+value)
	case json.Number:
		writeText(h, "="+value.String())
	default:
		writeText(h, "="+fmt.Sprint(value))
	}
}

// empty reports whether a parameter says nothing: null, or a map of nothing.
func empty(value any) bool {
	branch, isMap := value.(map[string]any)
	if !isMap {
		return value == nil
	}
	for _, inner := range branch {
		if !empty(inner) {
			return false
		}
	}
	return true
}

func sortedNames(tree map[string]any) []string {
	names := make([]string, 0, len(tree))
	for name := range tree {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// writeText length-prefixes every part, so that no two different lists of
// parts can run together into the same bytes. A hash never returns an error.
func writeText(h hash.Hash, text string) {
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(text)))
	_, _ = h.Write(length[:])
	_, _ = io.WriteString(h, text)
}
