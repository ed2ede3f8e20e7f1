package api

import (
	"context"
	"slices"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
	"chargeonce/web/control"
)

// Bounds of what the stage is shown in one look.
const (
	maxInspectOwners   = 1000 // more than a workshop has, runs included
	maxInspectCharges  = 50   // an owner
	maxInspectPostings = 200
	maxInspectRecords  = 200 // in all
	// maxInspectRefunds an owner are counted: more than anybody clicks.
	maxInspectRefunds = 1000
)

// books is GET /-/books: the ledger's own figures.
func (s *server) books(ctx context.Context, c *call) reply {
	var look control.LedgerBooks
	err := s.Store.View(ctx, func(books ledger.Reader) (err error) {
		look, err = ledgerBooks(books)
		return err
	})
	if err != nil {
		return s.unreadable(c, err)
	}
	return jsonReply(look)
}

// ledgerBooks reads all figures from one snapshot, so that they agree.
func ledgerBooks(books ledger.Reader) (control.LedgerBooks, error) {
	look := control.LedgerBooks{Owners: map[string]control.LedgerOwner{}, Postings: []control.Posting{}, Balances: map[string]control.Sums{}}
	owners, err := books.Owners(maxInspectOwners)
	if err != nil {
		return look, err
	}
	for _, owner := range owners {
		charges, _, err := books.Charges(owner.Name, ledger.Page{Limit: maxInspectCharges})
		if err != nil {
			return look, err
		}
		shown := inspectOwner(owner, charges)
		if len(owner.Refunded) > 0 { // else there is nothing to count
			if shown.Refunds, err = countRefunds(books, owner.Name); err != nil {
				return look, err
			}
		}
		look.Owners[owner.Name] = shown
	}
	postings, err := books.Postings(maxInspectPostings)
	if err != nil {
		return look, err
	}
	for _, posting := range postings {
		look.Postings = append(look.Postings, control.Posting{
			Transfer: posting.Transfer, Account: posting.Account, Amount: posting.Amount,
			Currency: posting.Currency, AtMS: posting.At.UnixMilli(),
		})
	}
	balances, err := books.Balances()
	for account, sums := range balances {
		look.Balances[account] = sums
	}
	return look, err
}

// countRefunds counts an owner's refunds that gave money back.
func countRefunds(books ledger.Reader, owner string) (n int, err error) {
	page := ledger.Page{Limit: ledger.MaxPage}
	for range maxInspectRefunds / ledger.MaxPage {
		refunds, more, err := books.Refunds(owner, page)
		if err != nil {
			return 0, err
		}
		for _, refund := range refunds {
			if refund.Status == ledger.Succeeded {
				n++
			}
			page.After = refund.ID
		}
		if !more {
			break
		}
	}
	return n, nil
}

func inspectOwner(owner ledger.Owner, charges []ledger.Charge) control.LedgerOwner {
	look := control.LedgerOwner{Charged: owner.Charged, Charges: owner.Succeeded, List: make([]control.Charge, 0, len(charges))}
	if look.Charged == nil {
		look.Charged = control.Sums{}
	}
	for _, charge := range charges {
		look.List = append(look.List, control.Charge{
			ID: charge.ID, Owner: charge.Owner, Key: charge.Key, Amount: charge.Amount, Currency: charge.Currency,
			Status: string(charge.Status), ProviderKey: charge.ProviderKey(), Capture: charge.Capture,
			CreatedMS: charge.Created.UnixMilli(),
		})
	}
	return look
}

// keys is GET /-/keys?owner=&key=: one record, an owner's, or everybody's.
func (s *server) keys(ctx context.Context, c *call) reply {
	query := c.r.URL.Query()
	var records []idem.Record
	err := s.Store.View(ctx, func(books ledger.Reader) (err error) {
		records, err = recordsOf(books, query.Get("owner"), query.Get("key"))
		return err
	})
	if err != nil {
		return s.unreadable(c, err)
	}
	look := make([]control.KeyRecord, 0, len(records))
	for _, record := range records {
		look = append(look, s.inspectRecord(record, time.Now()))
	}
	return jsonReply(look)
}

func recordsOf(books ledger.Reader, name, key string) ([]idem.Record, error) {
	if key != "" {
		record, found, err := books.Record(idem.Key{Owner: name, Value: key})
		if !found || err != nil {
			return nil, err
		}
		return []idem.Record{record}, nil
	}
	if name != "" {
		return books.Records(name, maxInspectRecords)
	}
	owners, err := books.Owners(maxInspectOwners)
	if err != nil {
		return nil, err
	}
	var all []idem.Record
	for _, owner := range owners {
		records, err := books.Records(owner.Name, maxInspectRecords)
		if err != nil {
			return nil, err
		}
		all = newest(append(all, records...))
	}
	return all, nil
}

// newest keeps as many records as are shown: those of the last requests,
// whoever sent them.
func newest(records []idem.Record) []idem.Record {
	slices.SortStableFunc(records, func(a, b idem.Record) int { return b.Created.Compare(a.Created) })
	return records[:min(len(records), maxInspectRecords)]
}

// inspectRecord is a record for the eye. Its times are the wall clock's:
// retention runs on a clock that may be ahead, by offset.
func (s *server) inspectRecord(record idem.Record, wall time.Time) control.KeyRecord {
	offset := s.Offset()
	look := control.KeyRecord{
		Owner: record.Key.Owner, Key: record.Key.Value, Fingerprint: record.Fingerprint.Sum,
		Operation: record.Operation, Resource: record.Resource, State: string(record.Point), Fence: record.Fence,
		LeaseMS:   record.LeaseLeft(idem.At(wall, offset)).Milliseconds(),
		CreatedMS: record.Created.UnixMilli(), Replays: s.replays.of(record.Key),
		Status: record.Answer.Status, Body: string(record.Answer.Body),
	}
	if !record.Open() {
		look.FinishedMS = record.Finished.Add(-offset).UnixMilli()
		look.ExpiresMS = record.Expires(s.Terms).Add(-offset).UnixMilli()
	}
	for _, step := range record.History {
		look.History = append(look.History, control.KeyHistory{AtMS: step.At.UnixMilli(), What: step.What})
	}
	return look
}
