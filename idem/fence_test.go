package idem_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
)

type step = func(idem.Tx) (idem.Record, error)

// writes are all that an attempt can do with a claim.
func writes(mine idem.Record, now idem.Now) map[string]step {
	return map[string]step{
		"advance": func(tx idem.Tx) (idem.Record, error) { return idem.Advance(tx, mine, "provider_called", now) },
		"renew":   func(tx idem.Tx) (idem.Record, error) { return idem.Renew(tx, mine, now, terms) },
		"release": func(tx idem.Tx) (idem.Record, error) { return idem.Release(tx, mine, now, "stopped") },
		"finish":  func(tx idem.Tx) (idem.Record, error) { return idem.Finish(tx, mine, created, now) },
	}
}

// peek reads the record of the order: an insert of a taken key changes nothing.
func peek(t *testing.T, store idem.Store) idem.Record {
	t.Helper()
	return in(t, store, func(tx idem.Tx) (idem.Record, error) {
		holder, _, err := tx.InsertKey(idem.Record{Key: order.Key})
		return holder, err
	})
}

func TestAClaimThatNobodyTookIsStillGoodAfterItsLease(t *testing.T) {
	for name := range writes(idem.Record{}, idem.Now{}) {
		var store idem.Memory
		mine := begin(t, &store, order, after(0)).Record
		if _, err := try(t, &store, writes(mine, after(time.Hour))[name]); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After each way of losing a claim, each write of the loser is refused and
// changes nothing.
func TestALostClaimCannotWrite(t *testing.T) {
	for lost, lose := range map[string]func(*testing.T, idem.Store, idem.Record){
		"taken over": func(t *testing.T, store idem.Store, _ idem.Record) {
			want(t, begin(t, store, order, after(terms.Lease)), idem.Resumed, 2, "ch_1")
		},
		"taken over and finished": func(t *testing.T, store idem.Store, _ idem.Record) {
			finish(t, store, begin(t, store, order, after(terms.Lease)).Record, after(terms.Lease))
		},
		"finished by itself": func(t *testing.T, store idem.Store, mine idem.Record) {
			finish(t, store, mine, after(0))
		},
		"released by itself": func(t *testing.T, store idem.Store, mine idem.Record) {
			in(t, store, writes(mine, after(0))["release"])
		},
		"released and resumed": func(t *testing.T, store idem.Store, mine idem.Record) {
			in(t, store, writes(mine, after(0))["release"])
			want(t, begin(t, store, order, after(0)), idem.Resumed, 2, "ch_1")
		},
	} {
		for name := range writes(idem.Record{}, idem.Now{}) {
			t.Run(lost+"/"+name, func(t *testing.T) {
				var store idem.Memory
				mine := begin(t, &store, order, after(0)).Record
				lose(t, &store, mine)
				before := peek(t, &store)
				if _, err := try(t, &store, writes(mine, after(terms.Lease+1))[name]); !errors.Is(err, idem.ErrFenced) {
					t.Errorf("got %v, want %v", err, idem.ErrFenced)
				}
				if now := peek(t, &store); !reflect.DeepEqual(now, before) {
					t.Errorf("the record was changed from %+v to %+v", before, now)
				}
			})
		}
	}
}

// The order in which a heartbeat and the end of the work commit is chance. A
// heartbeat that comes last must not wake the key to a life without a worker.
func TestALateHeartbeatAfterAReleaseLeavesTheKeyFree(t *testing.T) {
	var store idem.Memory
	mine := begin(t, &store, order, after(0)).Record
	in(t, &store, writes(mine, after(time.Second))["release"])
	if _, err := try(t, &store, writes(mine, after(time.Second))["renew"]); !errors.Is(err, idem.ErrFenced) {
		t.Errorf("the heartbeat got %v, want %v", err, idem.ErrFenced)
	}
	want(t, begin(t, &store, order, after(time.Second)), idem.Resumed, 2, "ch_1")
}

func TestRenewKeepsTheClaimAliveOnly(t *testing.T) {
	var store idem.Memory
	mine := begin(t, &store, order, after(0)).Record
	renewed := in(t, &store, writes(mine, after(2*time.Second))["renew"])
	if !renewed.LeaseUntil.Equal(noon.Add(2*time.Second+terms.Lease)) || renewed.Point != mine.Point || len(renewed.History) != 1 {
		t.Errorf("renewed to %+v", renewed)
	}
	want(t, begin(t, &store, order, after(2*time.Second+terms.Lease-1)), idem.Busy, 1, "ch_1")
	want(t, begin(t, &store, order, after(2*time.Second+terms.Lease)), idem.Resumed, 2, "ch_1")
}

func TestSwappable(t *testing.T) {
	held := idem.Record{Point: idem.Claimed, Fence: 2, LeaseUntil: noon}
	released := idem.Record{Point: idem.Claimed, Fence: 2}
	done := idem.Record{Point: idem.Done, Fence: 2}
	for _, row := range []struct {
		name   string
		stored idem.Record
		next   uint64
		fence  uint64
		want   bool
	}{
		{"its holder", held, 2, 2, true},
		{"the next holder", held, 3, 2, true},
		{"an older fence", held, 2, 1, false},
		{"a newer fence", held, 3, 3, false},
		{"back to an older fence", held, 1, 2, false},
		{"released, its last holder", released, 2, 2, false},
		{"released, the next holder", released, 3, 2, true},
		{"released, an older fence", released, 3, 1, false},
		{"done, its last holder", done, 2, 2, false},
		{"done, the next holder", done, 3, 2, true},
		{"done, an older fence", done, 3, 1, false},
	} {
		if got := idem.Swappable(row.stored, idem.Record{Fence: row.next}, row.fence); got != row.want {
			t.Errorf("%s: got %v, want %v", row.name, got, row.want)
		}
	}
}

func TestAdvanceReachesOnlyPointsInBetween(t *testing.T) {
	for _, point := range []idem.Point{"", idem.Claimed, idem.Done} {
		var store idem.Memory
		mine := begin(t, &store, order, after(0)).Record
		_, err := try(t, &store, func(tx idem.Tx) (idem.Record, error) { return idem.Advance(tx, mine, point, after(0)) })
		if !errors.Is(err, idem.ErrPoint) {
			t.Errorf("to %q: got %v, want %v", point, err, idem.ErrPoint)
		}
		want(t, begin(t, &store, order, after(1)), idem.Busy, 1, "ch_1")
	}
}

// A 5xx is an accident: stored, it would keep the key from ever paying.
func TestOnlyADefiniteAnswerIsStored(t *testing.T) {
	for status, definite := range map[int]bool{
		0: false, 100: false, 199: false, 200: true, 201: true, 402: true, 499: true, 500: false, 503: false, 600: false,
	} {
		var store idem.Memory
		mine := begin(t, &store, order, after(0)).Record
		_, err := try(t, &store, func(tx idem.Tx) (idem.Record, error) {
			return idem.Finish(tx, mine, idem.Answer{Status: status}, after(0))
		})
		if definite != (err == nil) || !definite && !errors.Is(err, idem.ErrAnswer) {
			t.Errorf("status %d: got error %v", status, err)
		}
		if outcome := begin(t, &store, order, after(1)).Outcome; definite != (outcome == idem.Replay) {
			t.Errorf("status %d: the key is %v", status, outcome)
		}
	}
}

func TestAnAnswerBeyondTheBoundIsRefused(t *testing.T) {
	for length, fits := range map[int]bool{idem.MaxAnswer: true, idem.MaxAnswer + 1: false} {
		var store idem.Memory
		mine := begin(t, &store, order, after(0)).Record
		_, err := try(t, &store, func(tx idem.Tx) (idem.Record, error) {
			return idem.Finish(tx, mine, idem.Answer{Status: 201, Body: make([]byte, length)}, after(0))
		})
		if fits != (err == nil) || !fits && !errors.Is(err, idem.ErrAnswer) {
			t.Errorf("%d bytes: got error %v", length, err)
		}
	}
}

func TestNoCookieIsStored(t *testing.T) {
	var store idem.Memory
	mine := begin(t, &store, order, after(0)).Record
	sent := idem.Answer{Status: 201, Header: map[string]string{"content-type": "text/plain", "Set-Cookie": "session=1", "Date": "now"}}
	in(t, &store, func(tx idem.Tx) (idem.Record, error) { return idem.Finish(tx, mine, sent, after(0)) })
	stored := begin(t, &store, order, after(1)).Record.Answer.Header
	if len(stored) != 1 || stored["Content-Type"] != "text/plain" {
		t.Errorf("stored headers: %v", stored)
	}
	if sent.Header["Set-Cookie"] == "" {
		t.Error("the caller's own headers were changed")
	}
}

// A claim without a key or fingerprint would be everybody's, and give one
// caller another's answer.
func TestBeginRefusesAClaimThatIdentifiesNothing(t *testing.T) {
	for name, claim := range map[string]idem.Claim{
		"no owner":       {Key: idem.Key{Value: "k"}, Fingerprint: order.Fingerprint},
		"no value":       {Key: idem.Key{Owner: "shop"}, Fingerprint: order.Fingerprint},
		"no fingerprint": {Key: order.Key},
	} {
		var store idem.Memory
		_, err := try(t, &store, func(tx idem.Tx) (idem.Decision, error) { return idem.Begin(tx, claim, after(0), terms) })
		if !errors.Is(err, idem.ErrClaim) {
			t.Errorf("%s: got %v, want %v", name, err, idem.ErrClaim)
		}
	}
}

func TestALongOperationIsCut(t *testing.T) {
	claim := order
	claim.Operation = "POST /" + strings.Repeat("x", 1<<20)
	if got := begin(t, &idem.Memory{}, claim, after(0)).Record.Operation; len(got) > idem.MaxStep || !strings.HasPrefix(got, "POST /x") {
		t.Errorf("the operation takes %d bytes", len(got))
	}
}
