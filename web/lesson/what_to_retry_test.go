package lesson

import "testing"

func TestEachEndingIsOneCustomersAndLastsAsLongAsItsTroubleDoes(t *testing.T) {
	owners := map[string]bool{inUse: true}
	for _, e := range endings() {
		if owners[e.owner] || e.fault.Owner != e.owner {
			t.Errorf("%q is not an owner of its own: %+v", e.owner, e.fault)
		}
		owners[e.owner] = true
		definite := e.fault.Status >= 400 && e.fault.Status < 500 && e.fault.Status != 429 || e.fault.Status == 500
		want := 1
		if definite {
			want = retryAttempts
		}
		if e.stops != definite || e.fault.Attempts != want {
			t.Errorf("%s: stops %v, takes %d attempts", e.owner, e.stops, e.fault.Attempts)
		}
	}
	if len(owners) != 13 {
		t.Errorf("%d customers, want 13", len(owners))
	}
}
