package retrypolicy

import (
	"net/http"
	"net/url"
)

// maxRedirects bounds the redirects of one attempt. An API that moved needs
// one; more than a handful is a circle.
const maxRedirects = 5

// redirected returns the request that follows a redirect, or nil if the answer
// is none. The method, the body and the key stay what they are, or it is an
// error: net/http's own client would turn a POST into a GET without a word,
// and the caller would take that GET's answer for a payment.
func (c *call) redirected(req *http.Request, answer *http.Response, hops int) (*http.Request, error) {
	location := answer.Header.Get("Location")
	if !isRedirect(answer.StatusCode) || location == "" {
		return nil, nil
	}
	refuse := func(reason string) error {
		return &RedirectError{Status: answer.StatusCode, Location: location, Reason: reason}
	}
	if !keepsMethod(answer.StatusCode) && !isSafe(req.Method) {
		return nil, refuse("it would turn " + req.Method + " into GET, without body and key")
	}
	if c.handOver {
		return nil, nil
	}
	if hops >= maxRedirects {
		return nil, refuse("too many of them")
	}
	target, err := req.URL.Parse(location)
	if err != nil || target.Host == "" || (target.Scheme != "http" && target.Scheme != "https") {
		return nil, refuse("its location is not an http or https URL")
	}
	if req.URL.Scheme == "https" && target.Scheme == "http" {
		return nil, refuse("it leaves TLS")
	}
	next := c.out.request(req.Context(), target)
	carryCredentials(next, req, target)
	return next, nil
}

// carryCredentials keeps the credentials for as long as redirects stay within one
// origin. Once they have left it, no later hop gets them back.
func carryCredentials(next, from *http.Request, target *url.URL) {
	if target.Scheme == from.URL.Scheme && target.Host == from.URL.Host {
		next.Host = from.Host
		for _, name := range credentials {
			copyHeader(next.Header, from.Header, name)
		}
		return
	}
	// The Host header of the old origin would mislead the new one.
	next.Host = ""
	for _, name := range credentials {
		next.Header.Del(name)
	}
}

var credentials = []string{"Authorization", "Cookie", "Proxy-Authorization"}

func copyHeader(to, from http.Header, name string) {
	if values := from.Values(name); len(values) > 0 {
		to[name] = values
		return
	}
	to.Del(name)
}

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		return true
	}
	return keepsMethod(status)
}

// keepsMethod follows RFC 9110, sections 15.4.8 and 15.4.9.
func keepsMethod(status int) bool {
	return status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
}

func isSafe(method string) bool {
	return method == "" || method == http.MethodGet || method == http.MethodHead
}
