package ledger

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"chargeonce/idem"
)

// Breach is something in the books that contradicts something else in them.
type Breach struct {
	Subject string // the id of what is wrong: a charge, a transfer, an account
	Detail  string // what is wrong with it
}

// String is one line for people.
func (b Breach) String() string { return b.Subject + " " + b.Detail }

// Audit holds the books against themselves and returns everything that it finds
// wrong; none is the only right number, at any moment and whatever happened:
//
//   - postings are numbered without a gap; those of each transfer sum to 0 in
//     each currency, and each balance is the sum of its postings;
//   - what succeeded has its transfer, over its amount; nothing else has one;
//   - what a charge says was given back, and what is set aside, are the sums of
//     its refunds, and together never exceed it;
//   - a payment intent names the latest charge that carries it out, and all before
//     that one were declined;
//   - an owner's totals are the sums over the owner's charges;
//   - pending work has the open record of its key, settled work no open one, and
//     a record is on the list where it belongs;
//   - one key does not make two charges at the same time. (After its tombstone
//     a key begins a new life, and may then make another.)
//
// It reads everything, and keeps all postings in memory while it does: it is
// for tests, and for a look at a store at rest. The error is the store's, or
// ctx's; the breaches found by then come with it.
func Audit(ctx context.Context, r Reader) ([]Breach, error) {
	a := &audit{r: r, transfers: make(map[string][]Posting), listed: make(map[idem.Key]bool)}
	steps := []func() error{a.checkPostings, a.checkRecords, a.checkOwners, a.checkRest}
	var err error
	for _, step := range steps {
		if err = ctx.Err(); err == nil {
			err = step()
		}
		if err != nil {
			break
		}
	}
	slices.SortStableFunc(a.found, func(a, b Breach) int { return cmp.Compare(a.Subject, b.Subject) })
	return a.found, err
}

// audit is one run of [Audit].
type audit struct {
	r     Reader
	found []Breach

	transfers map[string][]Posting // legs by transfer; those that belong somewhere are taken out
	listed    map[idem.Key]bool    // keys whose record stands on a list
}

func (a *audit) breach(subject, format string, args ...any) {
	a.found = append(a.found, Breach{Subject: subject, Detail: fmt.Sprintf(format, args...)})
}

// sum is money of one kind in one place.
type sum struct{ of, currency string }

func (a *audit) checkPostings() error {
	postings, err := a.r.Postings(math.MaxInt32)
	if err != nil {
		return err
	}
	byTransfer, byAccount := make(map[sum]int64), make(map[sum]int64)
	for i, p := range postings {
		if want := uint64(len(postings) - i); p.Seq != want {
			a.breach(p.Transfer, "has posting %d where %d should stand", p.Seq, want)
		}
		byTransfer[sum{p.Transfer, p.Currency}] += p.Amount
		byAccount[sum{p.Account, p.Currency}] += p.Amount
		a.transfers[p.Transfer] = append(a.transfers[p.Transfer], p)
	}
	for of, amount := range byTransfer {
		if amount != 0 {
			a.breach(of.of, "is off by %d %s", amount, of.currency)
		}
	}
	return a.checkBalances(byAccount)
}

func (a *audit) checkBalances(posted map[sum]int64) error {
	balances, err := a.r.Balances()
	if err != nil {
		return err
	}
	for account, sums := range balances {
		for currency, amount := range sums {
			of := sum{account, currency}
			if posted[of] != amount {
				a.breach(account, "stands at %d %s, its postings at %d", amount, currency, posted[of])
			}
			delete(posted, of)
		}
	}
	for of := range posted {
		a.breach(of.of, "has %s postings and no balance", of.currency)
	}
	return nil
}

// booked checks that work has the transfer that its status calls for.
func (a *audit) booked(w Work) {
	legs, found := a.transfers[transferOf(w)]
	delete(a.transfers, transferOf(w))
	amount := -w.Amount() // a capture credits the owner, a refund debits
	if w.IsRefund() {
		amount = w.Amount()
	}
	switch {
	case w.Status() != Succeeded && found:
		a.breach(w.ID(), "is %s, but booked", w.Status())
	case w.Status() == Succeeded && !moves(legs, OwnerAccount(w.Charge.Owner), amount, w.Currency()):
		a.breach(w.ID(), "succeeded, but is not booked as its amount")
	}
}

func transferOf(w Work) string {
	if w.IsRefund() {
		return refundTransferID(w.Refund)
	}
	return transferID(w.Charge)
}

func moves(legs []Posting, account string, amount int64, currency string) bool {
	for _, leg := range legs {
		if leg.Account == account && leg.Amount == amount && leg.Currency == currency {
			return true
		}
	}
	return false
}

// checkRest is about what nothing else has asked for.
func (a *audit) checkRest() error {
	for id := range a.transfers {
		a.breach(id, "belongs to nothing that succeeded")
	}
	return nil
}
