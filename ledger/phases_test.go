package ledger

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger/badgerdb"
)

func TestADefiniteAnswerSettlesTheCharge(t *testing.T) {
	c := Charge{ID: "ch_1", Status: Pending, Amount: 5}
	if got := c.settledBy(Captured{ID: "pc_1"}); got.Status != Succeeded || got.Capture != "pc_1" || got.Transfer != "tr_ch_1" {
		t.Errorf("captured: %+v", got)
	}
	got := c.settledBy(Captured{Declined: true, DeclineCode: "lost_card"})
	if got.Status != Failed || got.Capture != "" || got.Transfer != "" || got.DeclineCode != "lost_card" {
		t.Errorf("declined: %+v", got)
	}
	if got := c.settledBy(Captured{Declined: true}); got.DeclineCode != "generic_decline" || got.FailureMessage == "" {
		t.Errorf("declined without a reason: %+v", got)
	}
	if c.Status != Pending {
		t.Error("the pending charge was changed in place")
	}
}

func TestOnlyDefiniteAnswersAreStored(t *testing.T) {
	for status, ok := range map[int]bool{0: false, 100: false, 199: false, 200: true, 201: true, 402: true, 499: true, 500: false, 503: false} {
		if _, err := storable(idem.Answer{Status: status}, ""); (err == nil) != ok {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

func TestAnAnswerIsSignedWithTheRequestThatMadeTheCharge(t *testing.T) {
	got, _ := storable(idem.Answer{Status: 201}, "req_first")
	if got.Request != "req_first" {
		t.Errorf("got %q", got.Request)
	}
	if got, _ = storable(idem.Answer{Status: 201, Request: "req_own"}, "req_first"); got.Request != "req_own" {
		t.Errorf("got %q", got.Request)
	}
}

func TestWhatNobodyClassifiedIsUnknown(t *testing.T) {
	for _, test := range []struct{ in, is, not error }{
		{errors.New("x"), ErrOutcomeUnknown, ErrProviderRefused},
		{fmt.Errorf("x: %w", ErrProviderRefused), ErrProviderRefused, ErrOutcomeUnknown},
		{fmt.Errorf("x: %w", ErrClaimLost), ErrClaimLost, ErrOutcomeUnknown},
		{&PanicError{Value: "x"}, ErrOutcomeUnknown, ErrProviderRefused},
	} {
		if got := definite(test.in); !errors.Is(got, test.is) || errors.Is(got, test.not) || !errors.Is(got, test.in) {
			t.Errorf("%v became %v", test.in, got)
		}
	}
}

func TestAConflictDoesNotNameTheOtherRequestsCharge(t *testing.T) {
	c := claimed{Decision: idem.Decision{Outcome: idem.Conflict, Record: idem.Record{Resource: "ch_other"}}}
	c.names = func(id string) Result { return Result{Charge: id, Refund: id, Intent: id} }
	if got := c.result(); got.Charge+got.Refund+got.Intent != "" {
		t.Errorf("got %q", got.Charge)
	}
}

func TestAnOpenRecordWithoutItsPendingChargeIsNotGuessedAt(t *testing.T) {
	store, err := OpenBadger(badgerdb.Options{InMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	now := idem.At(time.Unix(1, 0), 0)
	ask := func(tx Tx) error {
		asked := idem.Claim{Key: valid().Key, Fingerprint: valid().Fingerprint, Resource: "ch_new"}
		_, err := claim(tx, asked, func(Tx, idem.Now) (started, error) { return started{}, errors.New("not new") }, now, idem.Terms{})
		return err
	}
	for name, bend := range map[string]func(Tx, idem.Record) error{
		"missing": func(Tx, idem.Record) error { return nil },
		"settled": func(tx Tx, r idem.Record) error {
			return tx.PutCharge(Charge{ID: r.Resource, Owner: "shop", Status: Failed})
		},
	} {
		err := store.Update(t.Context(), func(tx Tx) error {
			record := idem.Record{Key: valid().Key, Fingerprint: valid().Fingerprint, Point: idem.Claimed, Fence: 1, Resource: "ch_old"}
			if _, _, err := tx.InsertKey(record); err != nil {
				return err
			}
			if err := bend(tx, record); err != nil {
				return err
			}
			return ask(tx)
		})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

func TestAPendingRefundForWhichNothingIsSetAsideIsNotGuessedAt(t *testing.T) {
	store := OpenMemory()
	err := store.Update(t.Context(), func(tx Tx) error {
		if err := tx.PutCharge(Charge{ID: "ch_1", Owner: "shop", Amount: 5, Status: Succeeded, RefundReserved: 4}); err != nil {
			return err
		}
		if err := tx.PutRefund(Refund{ID: "re_1", Owner: "shop", Charge: "ch_1", Amount: 5, Status: Pending}); err != nil {
			return err
		}
		_, err := pending(tx, "re_1")
		return err
	})
	if !errors.Is(err, ErrCorrupt) {
		t.Errorf("got %v", err)
	}
}

func TestWhatBelongsTogetherIsFoundTogetherOrNotAtAll(t *testing.T) {
	store := OpenMemory()
	err := store.Update(t.Context(), func(tx Tx) error {
		return errors.Join(
			tx.PutCharge(Charge{ID: "ch_1", Owner: "shop", Status: Pending}),
			tx.PutRefund(Refund{ID: "re_1", Owner: "shop", Charge: "ch_1", Status: Pending}),
			tx.PutIntent(Intent{ID: "pi_1", Owner: "shop", Charge: "ch_1"}),
			tx.PutIntent(Intent{ID: "pi_2", Owner: "shop"}),
			tx.PutRefund(Refund{ID: "re_2", Owner: "shop", Charge: "ch_none", Status: Pending}),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string][3]string{
		"ch_1": {"ch_1", "", ""}, "re_1": {"ch_1", "re_1", ""}, "pi_1": {"ch_1", "", "pi_1"}, "pi_2": {"", "", "pi_2"}, "none": {},
	} {
		err := store.View(t.Context(), func(r Reader) error {
			w, err := find(r, id)
			if got := [3]string{w.Charge.ID, w.Refund.ID, w.Intent.ID}; got != want {
				t.Errorf("%s leads to %v", id, got)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if err := store.View(t.Context(), func(r Reader) error {
		_, err := find(r, "re_2")
		return err
	}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a refund of nothing: %v", err)
	}
}

func TestTheCompleterBeginsNoNewLifeOfAKey(t *testing.T) {
	store := OpenMemory()
	offset := time.Duration(0)
	l, err := New(Options{Store: store, Provider: idle{}, Offset: func() time.Duration { return offset }})
	if err != nil {
		t.Fatal(err)
	}
	waiting := IntentRequest{ChargeRequest: valid()}
	made, err := l.Intent(t.Context(), waiting)
	if err != nil {
		t.Fatal(err)
	}
	open := made.Record // as the completer saw it before somebody finished it, long ago
	offset = idem.DefaultTombstone
	slot, err := l.enter()
	if err != nil {
		t.Fatal(err)
	}
	defer slot.release()
	if err := l.complete(slot, open); !errors.Is(err, errNothingLeft) {
		t.Errorf("got %v", err)
	}
	if err := store.View(t.Context(), func(r Reader) error {
		record, _, err := r.Record(valid().Key)
		if record.Fence != open.Fence {
			t.Errorf("the record is under fence %d", record.Fence)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
}

func TestTheEnginesErrorsAreOurs(t *testing.T) {
	for theirs, ours := range map[error]error{
		badgerdb.ErrOutcomeUnknown: ErrOutcomeUnknown, badgerdb.ErrClosed: ErrClosed, badgerdb.ErrLocked: ErrLocked,
		badgerdb.ErrDiskFull: ErrDiskFull, badgerdb.ErrTooBig: ErrTooBig, badgerdb.ErrConflict: ErrContention,
		badgerdb.ErrCorrupt: ErrCorrupt,
	} {
		if got := translate(fmt.Errorf("at work: %w", theirs)); !errors.Is(got, ours) || !errors.Is(got, theirs) {
			t.Errorf("%v became %v", theirs, got)
		}
	}
	own := errors.New("x")
	if got := translate(own); got != own || translate(nil) != nil {
		t.Errorf("%v became %v", own, got)
	}
}

func TestOptionsThatWouldChargeTwiceAreRefused(t *testing.T) {
	right := Options{Store: badgerStore{}, Provider: idle{}}
	if _, err := New(right); err != nil {
		t.Fatalf("the defaults: %v", err)
	}
	for name, change := range map[string]func(*Options){
		"lease within a call":        func(o *Options) { o.Terms.Lease, o.ProviderSpan = time.Second, time.Second },
		"lease without a beat":       func(o *Options) { o.Terms.Lease, o.ProviderSpan = time.Millisecond, 1 },
		"retention within the retry": func(o *Options) { o.Terms.Retain, o.RetryWindow = time.Hour, time.Hour },
		"negative span":              func(o *Options) { o.ProviderSpan = -1 },
		"negative wait":              func(o *Options) { o.BusyWait = -1 },
		"negative bound":             func(o *Options) { o.MaxInFlight = -1 },
		"negative hands":             func(o *Options) { o.CompleteAtOnce = -1 },
		"negative patience":          func(o *Options) { o.CompleteAfter = -1 },
		"a completer that spins":     func(o *Options) { o.CompleteAfter = time.Millisecond - 1 },
		"a reaper that spins":        func(o *Options) { o.ReapEvery = 1 },
	} {
		wrong := right
		change(&wrong)
		if _, err := New(wrong); !errors.Is(err, idem.ErrTerms) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, wrong := range map[string]Options{"no store": {Provider: idle{}}, "no provider": {Store: badgerStore{}}} {
		if _, err := New(wrong); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

// idle is a provider that is never called.
type idle struct{ Provider }

func TestFreshIDsDiffer(t *testing.T) {
	a, b := newID("ch_"), newID("ch_")
	if a == b || len(a) != len("ch_")+26 || a[:3] != "ch_" {
		t.Errorf("got %s and %s", a, b)
	}
}

func TestAPanicsWordsStayOutOfItsMessage(t *testing.T) {
	cause := errors.New("tok_secret")
	err := &PanicError{Value: cause}
	if !errors.Is(err, cause) || err.Error() != ErrOutcomeUnknown.Error()+": the attempt panicked" {
		t.Errorf("got %v", err)
	}
	if (&PanicError{Value: "text"}).Unwrap() != nil {
		t.Error("a text was unwrapped")
	}
}
