package idem

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"net/url"
	"sort"
	"strconv"
)

// prune returns the value without what says nothing, and nil if nothing is
// left. It goes through the tree once, before the hashing: to ask each branch
// whether it is empty on the way down would cost the square of the depth, and
// the depth is the client's choice.
func prune(value any) any {
	switch value := value.(type) {
	case Params:
		return prune(map[string]any(value))
	case map[string]any:
		if kept := pruneMap(value); len(kept) > 0 {
			return kept
		}
		return nil
	case []any:
		kept := make([]any, len(value))
		for i, item := range value {
			kept[i] = prune(item) // a list keeps its places, also empty ones
		}
		return kept
	}
	return value
}

func pruneMap(tree map[string]any) map[string]any {
	kept := make(map[string]any, len(tree))
	for name, value := range tree {
		if value = prune(value); value != nil {
			kept[name] = value
		}
	}
	return kept
}

// writeValue writes one node of a pruned tree: a tag for its shape, so that
// the list ["a"] and the text "a" differ, and the count of what follows, so
// that no text can pass for the end of a branch. Leaves count by their text
// alone: a form cannot say whether 5000 was a number.
func writeValue(h hash.Hash, value any) {
	switch value := value.(type) {
	case map[string]any:
		writeText(h, "{"+strconv.Itoa(len(value)))
		for _, name := range sortedNames(value) {
			writeText(h, name)
			writeValue(h, value[name])
		}
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
	case bool, int, int64, uint64:
		writeText(h, "="+fmt.Sprint(value))
	default:
		writeText(h, fmt.Sprintf("?%T %#v", value, value))
	}
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
		writeText(h, strconv.Itoa(len(query[name])))
		for _, value := range query[name] {
			writeText(h, value)
		}
	}
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
