package ledger

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"chargeonce/idem"
)

// Bounds of webhook endpoints. Each settled object costs a row of the queue for
// each endpoint that wants it, within commit 2.
const (
	MaxEndpoints = 16 // of one owner, as at Stripe
	// MaxEndpointURL is in characters: so many that the largest endpoint still
	// fits a stored answer ([idem.MaxAnswer]) where each takes six bytes.
	MaxEndpointURL = 1024
	// secretBytes is what Standard Webhooks recommends for a secret.
	secretBytes = 24
	// AllEvents in [Endpoint.Events] stands for every type.
	AllEvents = "*"
)

// EventTypes are all types of events that there are.
var EventTypes = []string{
	ChargeSucceeded, ChargeFailed, ChargeRefunded, RefundCreated, IntentEventSucceeded, IntentEventFailed,
}

// Endpoint is a place of an owner's that is told of the owner's events: those
// that come true while it is there and is not disabled. What still waits for one
// that is deleted or disabled is dropped.
type Endpoint struct {
	ID          string            `json:"id"` // "we_…"
	Owner       string            `json:"owner"`
	URL         string            `json:"url"`
	Events      []string          `json:"events"` // some of [EventTypes], or [AllEvents]
	Description string            `json:"description,omitempty"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Disabled    bool              `json:"disabled,omitempty"` // it is told of nothing
	Secret      string            `json:"secret"`             // "whsec_" and base64; deliveries are signed under it
	Created     time.Time         `json:"created"`
	Request     string            `json:"request,omitempty"`

	// Seq orders endpoints by creation; the store sets it.
	Seq uint64 `json:"seq"`
	// Dropped is the seq up to which the queue holds nothing for it, whatever
	// stands there: it was disabled then. The store sets it.
	Dropped uint64 `json:"dropped,omitempty"`
}

// Awaits reports whether what was queued for the endpoint under a seq is still
// to be sent. An event's own seq does as well: its rows follow it in one commit.
func (e Endpoint) Awaits(seq uint64) bool { return !e.Disabled && seq > e.Dropped }

// Wants reports whether an endpoint is to be told of events of this type.
func (e Endpoint) Wants(kind string) bool {
	return !e.Disabled && (slices.Contains(e.Events, AllEvents) || slices.Contains(e.Events, kind))
}

// EndpointRequest asks for one endpoint under one idempotency key.
type EndpointRequest struct {
	Key         idem.Key
	Fingerprint idem.Fingerprint
	Operation   string // "POST /v1/webhook_endpoints"
	Request     string // id of this request

	URL         string
	Events      []string
	Description string
	Metadata    map[string]string
}

// Validate is as that of [ChargeRequest].
func (r EndpointRequest) Validate() error {
	if err := validClaim(r.Key, r.Fingerprint); err != nil {
		return err
	}
	if !ValidEndpointURL(r.URL) {
		return errEndpointURL
	}
	if !validEvents(r.Events) {
		return errEvents
	}
	if utf8.RuneCountInString(r.Description) > MaxDescription {
		return &InvalidError{"description", fmt.Sprintf("longer than %d characters", MaxDescription)}
	}
	return validMetadata(r.Metadata)
}

var (
	errEndpointURL = &InvalidError{"url", "not an http or https URL of a loopback host"}
	errEvents      = &InvalidError{"enabled_events", "not a list of types of events that there are"}
)

func validEvents(types []string) bool {
	unknown := func(kind string) bool { return kind != AllEvents && !slices.Contains(EventTypes, kind) }
	return len(types) > 0 && len(types) <= len(EventTypes)+1 && !slices.ContainsFunc(types, unknown)
}

// ValidEndpointURL reports whether events may be sent there. Owners choose
// where, so the place is http or https on localhost or a loopback address, with
// no name that somebody else's DNS could move: a server for tests must not be a
// way of reaching other people's machines. A port that no server can have, and a
// blank, which no URL has, are mistakes: nothing would ever arrive.
func ValidEndpointURL(text string) bool {
	target, err := url.Parse(text)
	if err != nil || len(text) > MaxEndpointURL || target.User != nil || target.Fragment != "" || strings.ContainsFunc(text, unicode.IsSpace) {
		return false
	}
	if port := target.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
	}
	ip := net.ParseIP(target.Hostname())
	here := target.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return here && (target.Scheme == "http" || target.Scheme == "https")
}

// CreateEndpoint makes an endpoint, once per key: one commit, as nobody is
// asked. One more than [MaxEndpoints] is a definite answer ([ErrTooManyEndpoints]
// to [Options.RenderEndpoint]), stored and replayed.
func (l *Ledger) CreateEndpoint(ctx context.Context, req EndpointRequest) (Result, error) {
	if err := req.Validate(); err != nil {
		return Result{}, err
	}
	return l.do(ctx, task{
		claim: idem.Claim{Key: req.Key, Fingerprint: req.Fingerprint, Operation: req.Operation},
		names: func(id string) Result { return Result{Endpoint: id} },
		fresh: func() (string, start) {
			fresh := Endpoint{
				ID: l.opts.NewID("we_"), Owner: req.Key.Owner, URL: req.URL, Events: slices.Clone(req.Events), Request: req.Request,
				Description: req.Description, Metadata: maps.Clone(req.Metadata), Secret: newSecret(),
			}
			return fresh.ID, func(tx Tx, now idem.Now) (started, error) {
				fresh.Created = now.Wall
				err := tx.PutEndpoint(fresh)
				if err != nil && !errors.Is(err, ErrTooManyEndpoints) {
					return started{}, err
				}
				answer := l.opts.RenderEndpoint(fresh, err)
				return started{answer: &answer}, nil
			}
		},
	})
}

// DeleteEndpoint removes an endpoint of the owner's; [ErrNotFound] if there is
// none. From then on nothing is sent there that is not under way already.
func (l *Ledger) DeleteEndpoint(ctx context.Context, owner, id string) error {
	slot, err := l.enter()
	if err != nil {
		return err
	}
	defer slot.release()
	err = l.opts.Store.Update(ctx, func(tx Tx) error {
		e, err := ownEndpoint(tx, owner, id)
		if err != nil {
			return err
		}
		return tx.DropEndpoint(e)
	})
	if err != nil {
		return fmt.Errorf("delete endpoint: %w", err)
	}
	return nil
}

func newSecret() string {
	key := make([]byte, secretBytes)
	_, _ = rand.Read(key) // never fails: the program would end first
	return "whsec_" + base64.StdEncoding.EncodeToString(key)
}
