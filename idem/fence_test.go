package idem_test

import (
	"errors"
	"reflect"
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

// A store that forgets keys past their tombstone counts fences from 1 again.
func TestAnAttemptOfAKeysEarlierLifeCannotWrite(t *testing.T) {
	var store idem.Memory
	zombie := begin(t, &store, order, after(0)).Record
	var reborn idem.Memory // the key was forgotten in between
	second := order
	second.Resource = "ch_2"
	want(t, begin(t, &reborn, second, after(0)), idem.Started, zombie.Fence, "ch_2")
	for name, write := range writes(zombie, after(0)) {
		if _, err := try(t, &reborn, write); !errors.Is(err, idem.ErrFenced) {
			t.Errorf("%s: got %v, want %v", name, err, idem.ErrFenced)
		}
	}
}
