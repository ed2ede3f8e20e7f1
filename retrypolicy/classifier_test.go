package retrypolicy_test

import (
	"testing"

	"chargeonce/retrypolicy"
)

// fourTimes repeats whatever comes, as long as there is another attempt.
func fourTimes(r retrypolicy.Result, p retrypolicy.Policy) (retrypolicy.Verdict, string) {
	if r.Attempt < p.MaxAttempts {
		return retrypolicy.Retry, "again"
	}
	return retrypolicy.Stop, "enough"
}

func TestAPolicysOwnClassifierDecidesAlone(t *testing.T) {
	wire, notes := statuses(402), new(recorder)
	policy := impatient()
	policy.MaxAttempts, policy.Classify = 4, fourTimes
	client := retrypolicy.Client{Transport: wire, Policy: policy, Hooks: notes.hooks()}
	resp, err := client.Do(keyless(t, "amount=5000"))
	wantStatus(t, resp, err, 402, 4)
	for i, end := range notes.ended {
		if end.Number != i+1 || end.Reason != map[bool]string{true: "enough", false: "again"}[i == 3] {
			t.Errorf("attempt %d ended with %q", end.Number, end.Reason)
		}
	}
}

func TestWithoutAClassifierOfItsOwnAPolicyHasTheRightOne(t *testing.T) {
	wire := statuses(402)
	client := retrypolicy.Client{Transport: wire, Policy: impatient()}
	resp, err := client.Do(keyed(t, "amount=5000"))
	wantStatus(t, resp, err, 402, 1)
}
