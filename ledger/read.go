package ledger

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

// bookReader answers [Reader] inside a view, and the reads of [bookTx].
type bookReader struct{ inner rows }

var _ Reader = bookReader{}

// Charge implements [Reader] and [Tx].
func (r bookReader) Charge(id string) (Charge, bool, error) {
	return badgerdb.GetJSON[Charge](r.inner, rowCharge+id)
}

// Charges implements [Reader].
func (r bookReader) Charges(owner string, page Page) ([]Charge, bool, error) {
	ids, more, err := r.page(rowList+owner+"/", page, func(edge string) (uint64, bool, error) {
		c, found, err := r.Charge(edge)
		return c.Seq, found && c.Owner == owner, err
	})
	if err != nil {
		return nil, false, err
	}
	charges, err := follow(ids, r.Charge)
	return charges, more, err
}

// page reads the ids of an owner's list, newest first. seq finds the place of
// a page's edge, if it is the owner's.
func (r bookReader) page(list string, page Page, seq func(edge string) (uint64, bool, error)) (ids []string, more bool, err error) {
	limit := page.Limit
	if limit == 0 {
		limit = DefaultPage
	}
	limit = min(max(limit, 1), MaxPage)
	scan := badgerdb.ScanOptions{Reverse: page.Before == "", Limit: limit + 1} // one more: is there more?
	if from := cmp.Or(page.After, page.Before); from != "" {
		at, found, err := seq(from)
		if err != nil {
			return nil, false, err
		}
		if !found {
			return nil, false, fmt.Errorf("%w: the page's edge", ErrNotFound)
		}
		scan.After = []byte(list + ordinal(at))
	}
	if ids, err = collect[string](r.inner, list, scan); err != nil {
		return nil, false, err
	}
	more = len(ids) > limit
	ids = ids[:min(len(ids), limit)]
	if !scan.Reverse { // the nearest newer ones were found from the old end
		slices.Reverse(ids)
	}
	return ids, more, nil
}

// follow goes from the rows of a list to what they name.
func follow[T any](ids []string, get func(id string) (T, bool, error)) ([]T, error) {
	all := make([]T, 0, len(ids))
	for _, id := range ids {
		one, found, err := get(id)
		if err != nil {
			return nil, err
		}
		if !found {
			return nil, fmt.Errorf("%w: the listed %s is missing", ErrCorrupt, id)
		}
		all = append(all, one)
	}
	return all, nil
}

// Postings implements [Reader].
func (r bookReader) Postings(limit int) ([]Posting, error) {
	scan := badgerdb.ScanOptions{Reverse: true, Limit: max(limit, 1)}
	return collect[Posting](r.inner, rowPosting, scan)
}

// Balances implements [Reader].
func (r bookReader) Balances() (Balances, error) {
	balances := make(Balances)
	err := r.inner.Scan([]byte(rowBalance), badgerdb.ScanOptions{}, func(key, value []byte) error {
		account, currency, _ := strings.Cut(strings.TrimPrefix(string(key), rowBalance), "/")
		amount, err := decode[int64](value)
		if err != nil {
			return err
		}
		if balances[account] == nil {
			balances[account] = make(map[string]int64)
		}
		balances[account][currency] = amount
		return nil
	})
	return balances, err
}

// Balance implements [Reader].
func (r bookReader) Balance(account string) (map[string]int64, error) {
	sums := make(map[string]int64)
	err := r.inner.Scan([]byte(rowBalance+account+"/"), badgerdb.ScanOptions{}, func(key, value []byte) error {
		amount, err := decode[int64](value)
		sums[strings.TrimPrefix(string(key), rowBalance+account+"/")] = amount
		return err
	})
	return sums, err
}

// Record implements [Reader].
func (r bookReader) Record(key idem.Key) (idem.Record, bool, error) { return r.inner.Record(key) }

// Records implements [Reader]. It sorts at most [badgerdb.MaxRecords] of them:
// records lie under hashes, so the store has no order to offer.
func (r bookReader) Records(owner string, limit int) ([]idem.Record, error) {
	records, err := r.inner.Records(owner, badgerdb.MaxRecords)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(records, func(a, b idem.Record) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(a.Key.Value, b.Key.Value))
	})
	return records[:min(len(records), max(limit, 1))], nil
}

// Owners implements [Reader].
func (r bookReader) Owners(limit int) ([]Owner, error) {
	return collect[Owner](r.inner, rowOwner, badgerdb.ScanOptions{Limit: max(limit, 1)})
}

// Owner implements [Reader].
func (r bookReader) Owner(name string) (Owner, error) {
	owner, found, err := badgerdb.GetJSON[Owner](r.inner, rowOwner+name)
	if err == nil && !found {
		owner = Owner{Name: name}
	}
	return owner, err
}

func collect[T any](tx rows, prefix string, scan badgerdb.ScanOptions) ([]T, error) {
	var all []T
	err := tx.Scan([]byte(prefix), scan, func(_, value []byte) error {
		one, err := decode[T](value)
		all = append(all, one)
		return err
	})
	return all, err
}

func decode[T any](data []byte) (value T, err error) {
	if err := json.Unmarshal(data, &value); err != nil {
		return value, fmt.Errorf("%w: %T: %w", ErrCorrupt, value, err)
	}
	return value, nil
}

// ordinal writes a number so that it sorts.
func ordinal(n uint64) string { return string(binary.BigEndian.AppendUint64(nil, n)) }
