package api

import "testing"

func TestEveryRefusalIsListedOnceInOrder(t *testing.T) {
	all := Refusals()
	if len(all) != len(rules) {
		t.Errorf("%d of %d codes are listed", len(all), len(rules))
	}
	for i, r := range all {
		if rules[r.Code].status != r.Status || r.Title == "" {
			t.Errorf("%+v", r)
		}
		if i > 0 && (r.Status < all[i-1].Status || r.Status == all[i-1].Status && r.Code <= all[i-1].Code) {
			t.Errorf("%s comes behind %s", r.Code, all[i-1].Code)
		}
	}
}

func TestARefusalSaysWhetherToRetryAsTheAnswerDoes(t *testing.T) {
	want := map[Code]bool{CodeKeyInUse: true, CodeOutcomeUnknown: true, CodeRateLimited: true, CodeKeyReused: false, CodeCardDeclined: false, CodeInternal: false}
	for _, r := range Refusals() {
		if retry, asked := want[r.Code]; asked && retry != r.Retry {
			t.Errorf("%s: retry %v", r.Code, r.Retry)
		}
	}
}
