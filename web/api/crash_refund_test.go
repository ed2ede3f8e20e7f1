package api

import (
	"net/http"
	"testing"
)

// restarted is a payments API that dies at a point when it is passed the second
// time, and then lives on the same data: the first passing is a good charge's.
type restarted struct {
	*bench
	t    *testing.T
	args []string
	dead *child
	paid chargeObject
}

func dieAtTheSecond(t *testing.T, point string) *restarted {
	t.Helper()
	bank := newBank(t)
	args := []string{
		"--data", t.TempDir(), "--provider", bank.url, "--provider-timeout", "2s", "--provider-attempts", "1",
		"--lease", "3s", "--busy-wait", "1s",
	}
	dead := spawn(t, append(args, "--crash-at", point+":2")...)
	r := &restarted{&bench{t: t, url: dead.url, bank: bank}, t, args, dead, chargeObject{}}
	r.paid = r.want(http.StatusCreated, ask{}).charge(t)
	return r
}

// settle sends a request into its death, and again until it is answered.
func (r *restarted) settle(a ask) (made answer) {
	r.t.Helper()
	_, _ = r.try(a) // whether an answer got out before the end, decides nothing
	r.dead.killed(r.t)
	alive := spawn(r.t, r.args...)
	r.url = alive.url
	a.header = map[string]string{"Prefer": "wait=1"}
	eventually(r.t, "a retry is answered 201", func() bool {
		made = r.send(a)
		if made.status == http.StatusConflict && made.doc(r.t).Error.Code != CodeKeyInUse {
			r.t.Fatalf("%d %s", made.status, made.body)
		}
		return made.status == http.StatusCreated
	})
	r.t.Cleanup(func() { interrupt(r.t, alive) })
	return made
}

func TestAKillAnywhereInARefundGivesBackOnce(t *testing.T) { // A04, G08, I1, I6
	if testing.Short() {
		t.Skip("starts processes")
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			r := dieAtTheSecond(t, point)
			made := r.settle(refund(r.paid.ID, "r", 3000)).refund(t)
			if back := r.bank.givenBack("op_cap_" + r.paid.ID); back != 3000 || made.Amount != 3000 {
				t.Errorf("%d went back, %d were told", back, made.Amount)
			}
			if charge := r.readCharge(r.paid.ID); charge.AmountRefunded != 3000 {
				t.Errorf("the charge says %d", charge.AmountRefunded)
			}
			r.refused(http.StatusBadRequest, CodeRefundTooLarge, refund(r.paid.ID, "r2", 2001)) // nothing is set aside twice
			if rest := r.want(http.StatusCreated, refund(r.paid.ID, "r3", 0)).refund(t); rest.Amount != 2000 {
				t.Errorf("%d were left", rest.Amount)
			}
		})
	}
}

func TestAKillAnywhereInAnIntentChargesOnce(t *testing.T) { // A04, I1
	if testing.Short() {
		t.Skip("starts processes")
	}
	for _, point := range points {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			r := dieAtTheSecond(t, point)
			made := r.settle(intend("pi", "confirm", "true", "payment_method", "pm_card_visa")).intent(t)
			if made.Status != "succeeded" || r.readIntent(made.ID).Status != "succeeded" {
				t.Errorf("%+v", made)
			}
			if taken := r.bank.taken("shop", "eur"); taken != 2*5000 {
				t.Errorf("the cards were charged %d", taken)
			}
		})
	}
}
