package network

import (
	"net/http"
	"net/textproto"
	"strings"
)

// hopByHop are the headers that belong to one connection and not to the
// message: RFC 9110 section 7.6.1, with those that RFC 2616 named.
var hopByHop = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// endToEnd copies a header without what belongs to its connection, including
// what Connection itself lists.
func endToEnd(header http.Header) http.Header {
	kept := header.Clone()
	for _, line := range header.Values("Connection") {
		for name := range strings.SplitSeq(line, ",") {
			kept.Del(textproto.TrimString(name))
		}
	}
	for _, name := range hopByHop {
		kept.Del(name)
	}
	return kept
}
