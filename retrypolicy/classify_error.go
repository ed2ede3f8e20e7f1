package retrypolicy

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"syscall"
)

// classifyError judges by type alone. Unknown types count as a connection that
// failed with an unknown outcome, because net/http reports important cases (a
// server that closed an idle connection, a refused HTTP/2 stream) with
// errors that have no type of their own. So the list names what must stop.
func classifyError(r Result) (Verdict, string) {
	if reason := hopeless(r.Err); reason != "" {
		return Stop, reason
	}
	return Retry, trouble(r)
}

// hopeless names the errors that another attempt would only meet again.
func hopeless(err error) string {
	switch {
	case errors.Is(err, context.Canceled):
		return "cancelled by the caller"
	case isCertificate(err):
		return "certificate not accepted"
	case isUnknownHost(err):
		return "unknown host"
	case isMisaddressed(err):
		return "address or protocol is wrong"
	case errors.Is(err, ErrRedirect):
		return "redirect not followed"
	case errors.Is(err, ErrAnswerTooLarge):
		return "answer too large"
	}
	return ""
}

// trouble names the errors that may pass.
func trouble(r Result) string {
	timeout := isTimeout(r.Err)
	switch {
	case r.Unsent && timeout:
		return "timed out while connecting; nothing was sent"
	case r.Unsent:
		return "could not connect; nothing was sent"
	case timeout:
		return "timed out; outcome unknown"
	case r.Status != 0:
		return "the answer broke off; outcome unknown"
	case isReset(r.Err):
		return "connection reset; outcome unknown"
	}
	return "connection failed; outcome unknown"
}

func isTimeout(err error) bool {
	timeout, ok := errors.AsType[net.Error](err)
	return ok && timeout.Timeout()
}

func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

func isCertificate(err error) bool {
	return isType[*tls.CertificateVerificationError](err) ||
		isType[x509.UnknownAuthorityError](err) ||
		isType[x509.HostnameError](err) ||
		isType[x509.CertificateInvalidError](err) ||
		isType[x509.SystemRootsError](err)
}

// isUnknownHost is true for a name that does not exist, and not for a name
// server that failed to say.
func isUnknownHost(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsNotFound
}

func isMisaddressed(err error) bool {
	return errors.Is(err, http.ErrSchemeMismatch) ||
		isType[tls.RecordHeaderError](err) ||
		isType[*net.AddrError](err) ||
		isType[net.UnknownNetworkError](err)
}

// isDial is true when the connection was never made.
func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
