package api

import (
	"net/http"
	"path"
	"strings"
)

// asWritten lets a request through if its path is one as it stands, and answers
// nowhere otherwise. A mux would clean the path and redirect. But who sees only
// the end of a path cannot say where it leads: behind a wire that cuts a prefix
// off, a redirect of POST /naive/v1//charges to /v1/charges would take the
// payment to another system, body, key and all. CONNECT, and "*" for a path,
// name nothing here either; the mux would answer them in text.
//
// What net/http refuses by itself never comes this far, and can have no error
// document and no Stripe-Should-Retry: a malformed request line, header or
// Content-Length and a control character in a header's value (400), an Expect
// that is not 100-continue (417), headers above [maxHeaderBytes] (431), and a
// Transfer-Encoding other than chunked (501). It reads none of them as a
// request, so nothing has been claimed; it closes the connection.
func asWritten(next, nowhere http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodConnect || r.RequestURI == "*" || !clean(r.URL.Path) {
			nowhere.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// clean reports whether a decoded path has no empty segment, "." or "..". One
// slash may end it.
func clean(decoded string) bool {
	trimmed := strings.TrimSuffix(decoded, "/")
	return strings.HasPrefix(decoded, "/") && (trimmed == "" || path.Clean(trimmed) == trimmed)
}
