package idem_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
)

func TestTermsRefuseWhatWouldChargeTwiceOrBlock(t *testing.T) {
	const span, window = 10 * time.Second, time.Hour
	for _, row := range []struct {
		name  string
		terms idem.Terms
		says  string // "": valid
	}{
		{"the defaults", idem.Terms{}, ""},
		{"a lease just above the span", idem.Terms{Lease: span + 1}, ""},
		{"a lease of the span", idem.Terms{Lease: span}, "lease"},
		{"a lease below the span", idem.Terms{Lease: span - 1}, "lease"},
		{"retention just above the window", idem.Terms{Retain: window + 1}, ""},
		{"retention of the window", idem.Terms{Retain: window}, "late retry"},
		{"retention below the window", idem.Terms{Retain: window - 1}, "late retry"},
		{"a tombstone that ends with the answer", idem.Terms{Retain: 2 * window, Tombstone: 2 * window}, ""},
		{"a tombstone that ends before the answer", idem.Terms{Retain: 2 * window, Tombstone: 2*window - 1}, "tombstone"},
		{"retention beyond the default tombstone", idem.Terms{Retain: idem.DefaultTombstone + 1}, "tombstone"},
		{"a negative lease", idem.Terms{Lease: -1}, "negative"},
		{"a negative retention", idem.Terms{Retain: -1}, "negative"},
		{"a negative tombstone", idem.Terms{Tombstone: -1}, "negative"},
	} {
		t.Run(row.name, func(t *testing.T) {
			err := row.terms.Validate(span, window)
			switch {
			case row.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case row.says != "" && !errors.Is(err, idem.ErrTerms):
				t.Errorf("got %v, want %v", err, idem.ErrTerms)
			case row.says != "" && !strings.Contains(err.Error(), row.says):
				t.Errorf("%q does not say %q", err, row.says)
			}
		})
	}
}

func TestDefaultsAreTheDocumentedOnes(t *testing.T) {
	if err := (idem.Terms{}).Validate(idem.DefaultLease, time.Hour); !errors.Is(err, idem.ErrTerms) {
		t.Errorf("a span of the default lease passes: %v", err)
	}
	if err := (idem.Terms{}).Validate(time.Second, idem.DefaultRetain); !errors.Is(err, idem.ErrTerms) {
		t.Errorf("a window of the default retention passes: %v", err)
	}
}

func TestAtForgetsTheMonotonicReadingAndTheZone(t *testing.T) {
	wall := time.Now().In(time.FixedZone("somewhere", 3600))
	now := idem.At(wall, 25*time.Hour)
	if now.Wall.String() != wall.Round(0).UTC().String() {
		t.Errorf("the wall clock reads %s, want %s", now.Wall, wall.Round(0).UTC())
	}
	if got := now.Retention.Sub(now.Wall); got != 25*time.Hour {
		t.Errorf("the retention clock is %v ahead, want 25h", got)
	}
}
