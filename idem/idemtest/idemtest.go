// Package idemtest holds the tests that every store of idempotency keys must
// pass, whatever engine is beneath it.
//
//	func TestStore(t *testing.T) {
//		idemtest.Run(t, func(t testing.TB) idem.Store { return openMine(t) })
//	}
//
// It checks the contract of [idem.Tx] and [idem.Store], and then that the
// functions of package idem keep their promises over it.
package idemtest

import (
	"context"
	"errors"
	"testing"

	"chargeonce/idem"
)

// check is one promise of a store, tried on a fresh one.
type check struct {
	name string
	run  func(testing.TB, idem.Store)
}

var checks = []check{
	{"AnInsertHasOneWinner", insertHasOneWinner},
	{"AnInsertReturnsTheHolder", insertReturnsTheHolder},
	{"ATransactionSeesItsOwnWrites", transactionSeesItsOwnWrites},
	{"ASwapNeedsTheFence", swapNeedsTheFence},
	{"ASwapHasOneWinner", swapHasOneWinner},
	{"WhatNobodyHoldsIsReopenedOnlyUnderAHigherFence", reopenedOnlyUnderAHigherFence},
	{"AnErrorRollsBack", errorRollsBack},
	{"APanicRollsBackAndComesThrough", panicRollsBack},
	{"ACallerWhoIsGoneRunsNothing", goneCallerRunsNothing},
	{"ARecordSurvivesExactly", recordSurvivesExactly},
	{"ALargeAnswerSurvives", largeAnswerSurvives},
	{"RecordsShareNoMemory", recordsShareNoMemory},
	{"OwnersAreApart", ownersAreApart},
	{"KeysAreApart", keysAreApart},
	{"DistinctKeysAreIndependent", distinctKeysAreIndependent},
	{"AKeyLivesItsWholeLife", wholeLife},
	{"OneOfManyRuns", oneOfManyRuns},
	{"OneOfManyResumes", oneOfManyResumes},
}

// Run tries every promise on stores that open returns, each on one of its own;
// open closes it by t.Cleanup. Everything runs a second time on a store that
// runs each transaction function twice, as an engine does that has to try
// again.
//
// Times in the records are whole microseconds, so that an SQL engine passes.
func Run(t *testing.T, open func(t testing.TB) idem.Store) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
	for _, c := range checks {
		t.Run("RunTwice/"+c.name, func(t *testing.T) { c.run(t, Rerun(open(t))) })
	}
}

// Rerun is a store that runs each function twice: once to be rolled back, then
// for real. What does not stand this lets an effect out of its transaction.
func Rerun(store idem.Store) idem.Store { return rerun{store} }

type rerun struct{ store idem.Store }

var errAgain = errors.New("idemtest: rolled back, to be run again")

func (r rerun) Update(ctx context.Context, fn func(idem.Tx) error) error {
	err := r.store.Update(ctx, func(tx idem.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errAgain
	})
	if !errors.Is(err, errAgain) {
		return err
	}
	return r.store.Update(ctx, fn)
}
