package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"chargeonce/web/control"
)

const (
	inspectWithin = 2 * time.Second // the API's own figures, from memory and disk on this machine
	inspectLimit  = 4 << 20         // bytes of one answer
)

// inspector asks the API processes. It keeps no connection: the process at the
// other end is killed for show.
var inspector = &http.Client{Timeout: inspectWithin, Transport: &http.Transport{DisableKeepAlives: true}}

// ledgerCache holds the last figures of an API process, which stand while it
// is down. It is safe for concurrent use.
type ledgerCache struct {
	mu   sync.Mutex // guards last
	last control.LedgerBooks
}

// ledgerBooks asks the API process for its ledger; stale says that it did not
// answer and these are its last figures.
func (s *system) ledgerBooks(ctx context.Context) (books control.LedgerBooks, stale bool) {
	err := s.inspect(ctx, "/-/books", &books)
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	if err != nil {
		return s.ledger.last, true
	}
	s.ledger.last = books
	return books, false
}

// keyRecords asks the API process for idempotency records; an empty key asks
// for all of an owner, an empty owner for everybody's.
func (s *system) keyRecords(ctx context.Context, owner, key string) (records []control.KeyRecord, err error) {
	query := url.Values{"owner": {owner}, "key": {key}}
	return records, s.inspect(ctx, "/-/keys?"+query.Encode(), &records)
}

// inspect reads one of the paths that an API process has for the stage alone.
func (s *system) inspect(ctx context.Context, path string, into any) error {
	base := s.child.URL()
	if base == "" {
		return errChildDown
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+path, nil)
	if err != nil {
		return fmt.Errorf("inspect the payments API: %w", err)
	}
	response, err := inspector.Do(request)
	if err != nil {
		return fmt.Errorf("inspect the payments API: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("inspect the payments API: status %d", response.StatusCode)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, inspectLimit)).Decode(into); err != nil {
		return fmt.Errorf("inspect the payments API: %w", err)
	}
	return nil
}
