package network

import (
	"net/http"
	"net/url"
	"path"
	"strings"
)

// destination is where on the target a request goes, letter by letter as it
// was sent: `//x`, `/../` and `%2F` are the target's to judge, not the wire's.
type destination struct {
	path  string // escaped, begins with "/"
	query string // with its "?"; empty: none
}

// destination reads the request line. RequestURI is used since URL.Path is
// decoded; a handler in front that rewrites URL alone has no effect here.
func (n *Network) destination(r *http.Request) (destination, error) {
	raw, query := r.RequestURI, ""
	if i := strings.IndexByte(raw, '?'); i >= 0 {
		raw, query = raw[:i], raw[i:]
	}
	// The absolute form, which clients of a proxy send, names a host first.
	if !strings.HasPrefix(raw, "/") {
		raw = "/" + strings.TrimPrefix(r.URL.EscapedPath(), "/")
	}
	stripped, ok := strip(raw, n.options.StripPrefix)
	if !ok || r.Method == http.MethodConnect || private(raw) || private(stripped) {
		return destination{}, errPath
	}
	return destination{path: stripped, query: query}, nil
}

// strip cuts a prefix that ends where a path segment ends.
func strip(raw, prefix string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(raw, prefix)
	if rest == "" {
		rest = "/"
	}
	return rest, ok && strings.HasPrefix(rest, "/")
}

// private reports whether a path leads to `/-/`, the far side's control
// calls, however it is spelled: the target may decode and clean what we do not.
func private(raw string) bool {
	decoded, err := url.PathUnescape(raw)
	if err != nil {
		return true // nobody can say where it leads
	}
	cleaned := path.Clean("/" + decoded)
	return cleaned == "/-" || strings.HasPrefix(cleaned, "/-/")
}

// on gives the URL of this destination on a target.
func (d destination) on(base string) (*url.URL, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	raw := strings.TrimSuffix(u.EscapedPath(), "/") + d.path
	to := &url.URL{
		Scheme: u.Scheme, Host: u.Host,
		RawQuery: strings.TrimPrefix(d.query, "?"), ForceQuery: d.query == "?",
	}
	// Opaque is written as it stands, but two leading slashes would turn it
	// into the absolute form; such a path is kept by its own encoding.
	if !strings.HasPrefix(raw, "//") {
		to.Opaque = raw
		return to, nil
	}
	to.RawPath = raw
	to.Path, err = url.PathUnescape(raw)
	return to, err
}
