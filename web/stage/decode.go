package stage

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// maxCommand bounds the body of a command, in bytes.
const maxCommand = 16 << 10

// command decodes the JSON body of a command, and answers itself where it
// cannot. An empty body is an empty command; unknown members are refused by
// name, and so are members that are given twice and trailing data: whoever
// says two things must not be taken to have said one of them.
func command(w http.ResponseWriter, r *http.Request, into any) bool {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxCommand))
	if err == nil && len(bytes.TrimSpace(body)) == 0 {
		return true
	}
	if err == nil {
		err = decodeObject(body, into)
	}
	if err == nil {
		return true
	}
	status := http.StatusBadRequest
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		status = http.StatusRequestEntityTooLarge
	}
	refuse(w, status, "body_invalid", "The command's body is not the JSON object that is expected here: "+err.Error(), "")
	return false
}

func decodeObject(body []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	return oneObject(body)
}

// oneObject refuses what the decoder would let pass: another value than an
// object, a member that is given twice (the last would win), and data behind
// the object. Spellings are compared as the decoder does, without case. Nested
// objects are not looked into: commands have none.
func oneObject(body []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return errors.Join(errors.New("it is not an object"), err)
	}
	var seen []string
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string) // JSON has no other names
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			return err
		}
		if slices.ContainsFunc(seen, func(other string) bool { return strings.EqualFold(name, other) }) {
			return fmt.Errorf("%q is given twice", name)
		}
		seen = append(seen, name)
	}
	if _, err := decoder.Token(); err != nil { // the closing brace
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is data behind the command")
	}
	return nil
}

// parseAmount reads an amount in minor units from a form.
func parseAmount(text string) (int64, bool) {
	amount, err := strconv.ParseInt(text, 10, 64)
	return amount, err == nil
}
