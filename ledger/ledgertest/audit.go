package ledgertest

import (
	"errors"
	"fmt"
	"math"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// Audit checks what must hold of any books at any moment, whatever happened to
// them: the postings of each transfer sum to 0 in each currency, and so do all
// postings; each balance is the sum of its postings; each succeeded charge has
// its transfer and no other charge has one; an owner's totals are the count of
// the owner's charges; a key has one succeeded charge at most; a record that is
// done points to a charge that is settled, an open one to a pending charge. It
// returns everything that it finds wrong.
//
// It is for tests: it reads the whole books.
func Audit(r ledger.Reader) error {
	postings, err := r.Postings(math.MaxInt32)
	if err != nil {
		return err
	}
	balances, err := r.Balances()
	if err != nil {
		return err
	}
	owners, err := r.Owners(math.MaxInt32)
	if err != nil {
		return err
	}
	transfers, wrong := auditPostings(postings, balances)
	for _, owner := range owners {
		charges, err := allCharges(r, owner.Name)
		if err != nil {
			return err
		}
		records, err := r.Records(owner.Name, math.MaxInt32)
		if err != nil {
			return err
		}
		wrong = append(wrong, auditOwner(owner, charges, transfers)...)
		wrong = append(wrong, auditRecords(charges, records)...)
	}
	for id := range transfers {
		wrong = append(wrong, fmt.Errorf("transfer %s belongs to no succeeded charge", id))
	}
	return errors.Join(wrong...)
}

// auditPostings returns the legs by transfer.
func auditPostings(postings []ledger.Posting, balances ledger.Balances) (map[string][]ledger.Posting, []error) {
	var wrong []error
	type sum struct{ of, currency string }
	byTransfer, byAccount := make(map[sum]int64), make(map[sum]int64)
	transfers := make(map[string][]ledger.Posting)
	for i, p := range postings {
		if want := uint64(len(postings) - i); p.Seq != want {
			wrong = append(wrong, fmt.Errorf("posting %d stands where %d should", p.Seq, want))
		}
		byTransfer[sum{p.Transfer, p.Currency}] += p.Amount
		byAccount[sum{p.Account, p.Currency}] += p.Amount
		transfers[p.Transfer] = append(transfers[p.Transfer], p)
	}
	for of, amount := range byTransfer {
		if amount != 0 {
			wrong = append(wrong, fmt.Errorf("transfer %s is off by %d %s", of.of, amount, of.currency))
		}
	}
	for account, sums := range balances {
		for currency, amount := range sums {
			if posted := byAccount[sum{account, currency}]; posted != amount {
				wrong = append(wrong, fmt.Errorf("%s stands at %d %s, its postings at %d", account, amount, currency, posted))
			}
			delete(byAccount, sum{account, currency})
		}
	}
	for of := range byAccount {
		wrong = append(wrong, fmt.Errorf("%s has %s postings and no balance", of.of, of.currency))
	}
	return transfers, wrong
}

// auditOwner takes the transfers of the owner's charges out of the given ones.
func auditOwner(owner ledger.Owner, charges []ledger.Charge, transfers map[string][]ledger.Posting) (wrong []error) {
	counted := ledger.Owner{Name: owner.Name, Charged: make(map[string]int64)}
	succeeded := make(map[string]string)
	for _, c := range charges {
		legs, booked := transfers[c.Transfer]
		delete(transfers, c.Transfer)
		switch c.Status {
		case ledger.Pending:
			counted.Pending++
		case ledger.Failed:
			counted.Failed++
		case ledger.Succeeded:
			counted.Succeeded++
			counted.Charged[c.Currency] += c.Amount - c.AmountRefunded
			if other, twice := succeeded[c.Key]; twice {
				wrong = append(wrong, fmt.Errorf("one key made %s and %s", other, c.ID))
			}
			succeeded[c.Key] = c.ID
			if !booked || !moves(legs, ledger.OwnerAccount(c.Owner), -c.Amount, c.Currency) {
				wrong = append(wrong, fmt.Errorf("%s succeeded, but is not booked as its amount", c.ID))
			}
		}
		if booked && c.Status != ledger.Succeeded {
			wrong = append(wrong, fmt.Errorf("%s is %s, but booked", c.ID, c.Status))
		}
	}
	if fmt.Sprint(counted) != fmt.Sprint(withSums(owner)) {
		wrong = append(wrong, fmt.Errorf("the totals say %v, the charges %v", owner, counted))
	}
	return wrong
}

func auditRecords(charges []ledger.Charge, records []idem.Record) (wrong []error) {
	byID := make(map[string]ledger.Charge)
	for _, c := range charges {
		byID[c.ID] = c
	}
	for _, record := range records {
		c, found := byID[record.Resource]
		switch {
		case !found:
			wrong = append(wrong, fmt.Errorf("the record of %v has no charge", record.Key))
		case record.Open() != (c.Status == ledger.Pending):
			wrong = append(wrong, fmt.Errorf("the record of %v is at %s, its charge is %s", record.Key, record.Point, c.Status))
		}
		delete(byID, record.Resource)
	}
	for id := range byID {
		wrong = append(wrong, fmt.Errorf("%s has no record", id))
	}
	return wrong
}

func allCharges(r ledger.Reader, owner string) (all []ledger.Charge, err error) {
	for page := (ledger.Page{Limit: ledger.MaxPage}); ; {
		charges, more, err := r.Charges(owner, page)
		if err != nil {
			return nil, err
		}
		all = append(all, charges...)
		if !more {
			return all, nil
		}
		page.After = charges[len(charges)-1].ID
	}
}

func moves(legs []ledger.Posting, account string, amount int64, currency string) bool {
	for _, leg := range legs {
		if leg.Account == account && leg.Amount == amount && leg.Currency == currency {
			return true
		}
	}
	return false
}

// withSums makes an absent map and an empty one the same.
func withSums(o ledger.Owner) ledger.Owner {
	if o.Charged == nil {
		o.Charged = make(map[string]int64)
	}
	return o
}
