package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"chargeonce/idem"
)

// decodeJSON reads one JSON object and nothing after it. Numbers stay as
// written. It refuses what encoding/json would quietly repair, because a
// repaired request is another request than the client's: a name given twice,
// invalid UTF-8, half a surrogate pair.
func decodeJSON(raw []byte) (idem.Params, *Problem) {
	if !utf8.Valid(raw) || loneSurrogate(raw) {
		return nil, badBody("The JSON is not valid Unicode.")
	}
	if !json.Valid(raw) { // trailing data included; below, only our own refusals are left
		return nil, badBody("The body is not one well-formed JSON object.")
	}
	reader := jsonReader{json.NewDecoder(bytes.NewReader(raw))}
	reader.UseNumber()
	value, err := reader.value(0)
	var fault *Problem
	if errors.As(err, &fault) {
		return nil, fault
	}
	tree, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return nil, badBody("The JSON must be one object.")
	}
	return tree, nil
}

type jsonReader struct{ *json.Decoder }

// value reads the next value; depth counts the groups around it.
func (r jsonReader) value(depth int) (any, error) {
	token, err := r.Token()
	if err != nil {
		return nil, err
	}
	opening, isGroup := token.(json.Delim)
	if !isGroup {
		return token, nil
	}
	if depth == maxDepth {
		return nil, badBody("The JSON is nested deeper than allowed.")
	}
	if opening == '[' {
		return r.list(depth + 1)
	}
	return r.object(depth + 1)
}

func (r jsonReader) list(depth int) (any, error) {
	list := []any{}
	for r.More() {
		value, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		list = append(list, value)
	}
	_, err := r.Token() // the closing bracket
	return list, err
}

func (r jsonReader) object(depth int) (any, error) {
	object := map[string]any{}
	for r.More() {
		token, err := r.Token()
		if err != nil {
			return nil, err
		}
		name, _ := token.(string) // the decoder lets nothing else through here
		if _, twice := object[name]; twice {
			return nil, &Problem{
				Code: CodeParamInvalid, Param: printable(name),
				Message: "A name appears twice in one JSON object.",
			}
		}
		if object[name], err = r.value(depth); err != nil {
			return nil, err
		}
	}
	_, err := r.Token() // the closing brace
	return object, err
}

// loneSurrogate finds an escape \ud800 to \udfff that has no partner. It needs
// no parser: in JSON a backslash stands inside strings only.
func loneSurrogate(raw []byte) bool {
	for i := 0; i+1 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		unit, ok := escapedUnit(raw[i:])
		switch {
		case !ok:
			i++ // another escape: skip what it escapes
		case !utf16.IsSurrogate(unit):
			i += 5
		default:
			next, paired := escapedUnit(raw[i+6:])
			if !paired || utf16.DecodeRune(unit, next) == utf8.RuneError {
				return true
			}
			i += 11
		}
	}
	return false
}

// escapedUnit reads \uXXXX at the start of raw.
func escapedUnit(raw []byte) (rune, bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return rune(unit), err == nil
}
