package api

import (
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"chargeonce/idem"
)

// decodeForm reads application/x-www-form-urlencoded with nested names, as
// Stripe's SDKs write them: a=1, a[b]=1, a[b][c]=1, a[0]=1, a[]=1. Every leaf
// is a string. Names and values are percent-decoded first, so %5B is a bracket.
//
// The tree is the one that JSON gives for the same parameters: a node whose
// names are exactly 0 to n-1 becomes a list. A name that is given twice, or is
// a leaf here and a branch there, is refused, because which one counts would
// be a guess.
func decodeForm(text string) (idem.Params, *Problem) {
	root := map[string]any{}
	for text != "" {
		var pair string
		pair, text, _ = strings.Cut(text, "&")
		if pair == "" {
			continue // "a=1&&b=2" and a trailing "&" are harmless
		}
		path, value, problem := formPair(pair)
		if problem != nil {
			return nil, problem
		}
		if !plant(root, path, value) {
			return nil, &Problem{
				Code: CodeParamInvalid, Param: printable(path[0]),
				Message: "A parameter is given twice, or both as a value and as a group.",
			}
		}
	}
	for name, value := range root {
		root[name] = listed(value)
	}
	return root, nil
}

func formPair(pair string) (path []string, value string, problem *Problem) {
	rawName, rawValue, _ := strings.Cut(pair, "=")
	name, nameErr := url.QueryUnescape(rawName)
	value, valueErr := url.QueryUnescape(rawValue)
	if nameErr != nil || valueErr != nil || strings.Contains(pair, ";") {
		return nil, "", badBody("The form has a malformed percent escape or a semicolon between parameters.")
	}
	if !utf8.ValidString(name) || !utf8.ValidString(value) {
		return nil, "", badBody("The form is not UTF-8.")
	}
	path, ok := splitName(name)
	if !ok {
		return nil, "", badBody("A parameter's name is malformed, or nested deeper than allowed.")
	}
	return path, value, nil
}

// splitName turns a[b][c] into its parts. An empty part is allowed at the end
// only (a[]), where it means "the next one of a list".
func splitName(name string) ([]string, bool) {
	head, rest, nested := strings.Cut(name, "[")
	if head == "" || strings.Contains(head, "]") {
		return nil, false
	}
	path := []string{head}
	for nested {
		part, after, closed := strings.Cut(rest, "]")
		if !closed || strings.Contains(part, "[") || part == "" && after != "" || len(path) == maxDepth {
			return nil, false
		}
		path = append(path, part)
		if after == "" {
			return path, true
		}
		if after[0] != '[' {
			return nil, false
		}
		rest = after[1:]
	}
	return path, true
}

// appended gathers the values of a[]=…; it is a type of its own so that a[]
// and a[0] do not mix.
type appended struct{ values []any }

// plant puts a value into the tree and reports whether there was room for it.
func plant(node map[string]any, path []string, value string) bool {
	name := path[0]
	there, taken := node[name]
	switch {
	case len(path) == 1:
		node[name] = value
		return !taken
	case path[1] == "":
		list, isList := there.(*appended)
		if !taken {
			list, isList = &appended{}, true
			node[name] = list
		}
		if isList {
			list.values = append(list.values, value)
		}
		return isList
	}
	branch, isBranch := there.(map[string]any)
	if !taken {
		branch, isBranch = map[string]any{}, true
		node[name] = branch
	}
	return isBranch && plant(branch, path[1:], value)
}

// listed turns nodes that are lists into lists, from the leaves up.
func listed(node any) any {
	switch node := node.(type) {
	case *appended:
		return node.values
	case map[string]any:
		for name, value := range node {
			node[name] = listed(value)
		}
		list := make([]any, len(node))
		for i := range list {
			value, ok := node[strconv.Itoa(i)]
			if !ok {
				return node
			}
			list[i] = value
		}
		return list
	}
	return node
}
