package retrypolicy

import (
	"fmt"
	"net/http"
	"strings"
)

// sendable refuses what net/http would refuse to send. Its refusal has no type
// of its own, so it would pass for a connection that failed: repeated to the
// limit, and with an unknown outcome where nothing has left.
func sendable(req *http.Request) error {
	if req.URL == nil || req.URL.Host == "" || (req.URL.Scheme != "http" && req.URL.Scheme != "https") {
		return fmt.Errorf("%w: the URL is not an absolute http or https one", ErrBadRequest)
	}
	if !isPrintable(req.URL.RequestURI()) {
		return fmt.Errorf("%w: control character in the URL", ErrBadRequest)
	}
	if req.Method != "" && !isToken(req.Method) {
		return fmt.Errorf("%w: the method is not a token", ErrBadRequest)
	}
	for _, fields := range []http.Header{req.Header, req.Trailer} {
		if err := sendableFields(fields); err != nil {
			return err
		}
	}
	return nil
}

// sendableFields follows RFC 9110, section 5. No error repeats a value.
func sendableFields(fields http.Header) error {
	for name, values := range fields {
		if !isToken(name) {
			return fmt.Errorf("%w: a header's name is not a token", ErrBadRequest)
		}
		for _, value := range values {
			if !isPrintable(value) {
				return fmt.Errorf("%w: control character in header %s", ErrBadRequest, name)
			}
		}
	}
	return nil
}

// isPrintable is true without control characters but the tab. What is not ASCII
// passes, as in net/http.
func isPrintable(s string) bool {
	for _, c := range []byte(s) {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

// isToken follows RFC 9110, section 5.6.2.
func isToken(s string) bool {
	for _, c := range []byte(s) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if !letter && !('0' <= c && c <= '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}
