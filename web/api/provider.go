package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"chargeonce/ledger"
	"chargeonce/retrypolicy"
)

// Defaults of [ProviderOptions]. With them one call takes at most 17.2 s,
// which the default lease of 30 s exceeds.
const (
	DefaultProviderTimeout  = 5 * time.Second
	DefaultProviderAttempts = 3
)

// ProviderOptions say how to reach the card provider.
type ProviderOptions struct {
	URL      string        // where its protocol is served: http://HOST:PORT
	Timeout  time.Duration // of one attempt; 0: [DefaultProviderTimeout]
	Attempts int           // of one call, the first included; 0: [DefaultProviderAttempts]

	Trace     Tracer            // told of waits and silences; nil: nobody looks
	Transport http.RoundTripper // nil: a connection pool of its own
	// Wire is laid between the retry client and Transport; nil: nothing is.
	Wire func(next http.RoundTripper) http.RoundTripper
}

// Policy is the retry policy of one call. A provider may ask for a pause of at
// most one attempt's length, so that its span stays far below the lease.
func (o ProviderOptions) Policy() retrypolicy.Policy {
	policy := retrypolicy.Policy{
		MaxAttempts: o.Attempts, AttemptTimeout: o.Timeout,
		Base: 100 * time.Millisecond, Cap: 400 * time.Millisecond,
	}
	if policy.MaxAttempts <= 0 {
		policy.MaxAttempts = DefaultProviderAttempts
	}
	if policy.AttemptTimeout <= 0 {
		policy.AttemptTimeout = DefaultProviderTimeout
	}
	policy.MaxRetryAfter = min(time.Second, policy.AttemptTimeout)
	longestWait := max(policy.Cap, policy.MaxRetryAfter+policy.Base)
	policy.MaxElapsed = time.Duration(policy.MaxAttempts) * (policy.AttemptTimeout + longestWait)
	return policy
}

// provider speaks the provider protocol: POST /captures and POST /refunds with
// an idempotency key, GET /operations?key=KEY. It is safe for concurrent use.
type provider struct {
	base      string
	policy    retrypolicy.Policy
	trace     Tracer
	transport http.RoundTripper
}

// NewProvider returns a card provider that is reached over HTTP. The key and
// the bytes of a capture are the same on every attempt. The error says that
// the URL is not an absolute http or https URL.
func NewProvider(options ProviderOptions) (ledger.Provider, error) {
	base, err := url.Parse(options.URL)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.RawQuery != "" {
		return nil, fmt.Errorf("%w: the card provider's URL must look like http://HOST:PORT", ErrUsage)
	}
	p := &provider{
		base: base.String(), policy: options.Policy(), trace: options.Trace, transport: options.Transport,
	}
	if p.transport == nil {
		p.transport = &http.Transport{MaxIdleConnsPerHost: 16, IdleConnTimeout: time.Minute}
	}
	p.transport = decorated(p.transport, options.Wire)
	return p, nil
}

// captureBody is POST /captures.
type captureBody struct {
	Amount    int64  `json:"amount"` // minor units
	Currency  string `json:"currency"`
	Card      string `json:"card"`
	Reference string `json:"reference"` // OWNER/CHARGE_ID
}

// Capture implements [ledger.Provider].
func (p *provider) Capture(ctx context.Context, key string, order ledger.Capture) (ledger.Captured, error) {
	answer, err := p.post(ctx, "/captures", key, mustJSON(captureBody(order)))
	if err != nil {
		return ledger.Captured{}, err
	}
	operation, ok := readOperation(answer.Body)
	if !ok || !operation.isOf(operationCaptured, answer.Status) || operation.differs(order) {
		return ledger.Captured{}, unknown("its answer makes no sense", nil)
	}
	return operation.definite(), nil
}

// Lookup implements [ledger.Provider].
func (p *provider) Lookup(ctx context.Context, key string) (ledger.Captured, bool, error) {
	target := p.base + "/operations?" + url.Values{"key": {key}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return ledger.Captured{}, false, unknown("the request could not be built", err)
	}
	answer, err := p.do(request)
	switch {
	case err != nil:
		return ledger.Captured{}, false, err
	case answer.Status == http.StatusNotFound:
		return ledger.Captured{}, false, nil
	case answer.Status != http.StatusOK:
		return ledger.Captured{}, false, refusedOrUnknown(answer)
	}
	operation, ok := readOperation(answer.Body)
	if !ok {
		return ledger.Captured{}, false, unknown("its answer makes no sense", nil)
	}
	return operation.definite(), true, nil
}

// do sends one call under the policy, on behalf of the request in its context.
func (p *provider) do(request *http.Request) (*retrypolicy.Response, error) {
	ctx, cancel := context.WithCancelCause(request.Context())
	defer cancel(nil)
	if trace := callFrom(ctx).trace; trace != "" {
		request.Header.Set(headerTrace, trace)
	}
	client := retrypolicy.Client{
		Policy: p.policy, Hooks: p.hooks(),
		Transport: &permitted{next: p.transport, cancel: cancel},
	}
	answer, err := client.Do(request.WithContext(ctx))
	switch {
	case errors.Is(err, ledger.ErrClaimLost):
		return nil, err
	case err != nil:
		return nil, unknown(whyNoAnswer(err), err)
	}
	return answer, nil
}

// permitted lets each attempt pass only while the claim is alive, and numbers
// it on the wire.
type permitted struct {
	next   http.RoundTripper
	cancel context.CancelCauseFunc // ends the call: no attempt may follow
}

// RoundTrip implements [http.RoundTripper].
func (p *permitted) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := ledger.MayCall(request.Context()); err != nil {
		p.cancel(err)
		return nil, err
	}
	if attempt, ok := retrypolicy.AttemptFrom(request.Context()); ok {
		request = request.Clone(request.Context())
		request.Header.Set(headerAttempt, fmt.Sprintf("%d/%d", attempt.Number, attempt.Of))
	}
	return staying(p.next.RoundTrip(request))
}

// staying refuses redirects: the card provider is whom the process was started
// with, and another host may not be shown an order or believed an outcome. It
// may be a provider that has moved, so the outcome is unknown and not refused.
func staying(answer *http.Response, err error) (*http.Response, error) {
	if err != nil || answer.StatusCode/100 != 3 {
		return answer, err
	}
	_ = answer.Body.Close()
	return nil, errMoved
}
