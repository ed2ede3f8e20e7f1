package stage

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestAPatientClockStandsWhileARequestIsHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPatience()
		begin := p.Now()
		var fired atomic.Bool
		p.AfterFunc(2*time.Second, func() { fired.Store(true) })
		time.Sleep(time.Second)
		p.hold()
		time.Sleep(2 * time.Minute)
		if fired.Load() || p.Now().Sub(begin) != time.Second {
			t.Errorf("after two minutes of talk: fired %v, the clock says %v", fired.Load(), p.Now().Sub(begin))
		}
		p.resume()
		time.Sleep(time.Second - time.Millisecond)
		synctest.Wait()
		if fired.Load() {
			t.Error("fired early")
		}
		time.Sleep(time.Millisecond)
		synctest.Wait()
		if !fired.Load() || p.Now().Sub(begin) != 2*time.Second {
			t.Errorf("fired %v at %v", fired.Load(), p.Now().Sub(begin))
		}
	})
}

func TestTwoHoldsNeedTwoReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPatience()
		p.hold()
		p.hold()
		var fired atomic.Bool
		p.AfterFunc(time.Second, func() { fired.Store(true) })
		p.resume()
		time.Sleep(time.Hour)
		if fired.Load() {
			t.Error("fired under the second hold")
		}
		p.resume()
		p.resume() // one too many changes nothing
		time.Sleep(time.Second)
		synctest.Wait()
		if !fired.Load() {
			t.Error("never fired")
		}
	})
}

func TestAStoppedTimerNeverFires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPatience()
		var fired atomic.Bool
		stop := p.AfterFunc(time.Second, func() { fired.Store(true) })
		if !stop() || stop() {
			t.Error("the first stop stops it, the second finds nothing")
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if fired.Load() || len(p.timers) != 0 {
			t.Errorf("fired %v, %d timers left", fired.Load(), len(p.timers))
		}
	})
}
