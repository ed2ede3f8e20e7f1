package ledger

import (
	"math"
	"strings"
	"testing"
)

func TestCurrenciesHaveTheirOwnExponent(t *testing.T) {
	for code, exponent := range map[string]int{
		"jpy": 0, "krw": 0, "isk": 0, "clp": 0, "eur": 2, "usd": 2, "huf": 2, "mga": 2, "kwd": 3, "tnd": 3,
	} {
		if got, ok := LookupCurrency(code); !ok || got.Exponent != exponent || got.Code != code {
			t.Errorf("%s: %+v, %v", code, got, ok)
		}
	}
}

func TestOnlyActiveCodesInLowerCaseAreCurrencies(t *testing.T) {
	for _, code := range []string{
		"", "doge", "EUR", "Eur", "eur ", " eur", "u$d", "eu", "hrk", "ang", "xau", "xdr", "xxx", "xts", "chw",
	} {
		if got, ok := LookupCurrency(code); ok {
			t.Errorf("%q is taken for %+v", code, got)
		}
	}
}

func TestNoCodeIsListedTwice(t *testing.T) {
	listed := strings.Fields(exponent0 + " " + exponent2 + " " + exponent3)
	if len(listed) != len(currencies) {
		t.Errorf("%d codes are listed, %d are known", len(listed), len(currencies))
	}
	for _, code := range listed {
		if len(code) != 3 || code != strings.ToLower(code) {
			t.Errorf("%q is no code", code)
		}
	}
}

func TestAmountsAreWrittenExactly(t *testing.T) {
	for _, test := range []struct {
		code  string
		minor int64
		want  string
	}{
		{"jpy", 500, "500"},
		{"jpy", -500, "-500"},
		{"eur", 5000, "50.00"},
		{"eur", 5, "0.05"},
		{"eur", 0, "0.00"},
		{"eur", -99, "-0.99"},
		{"kwd", 12345, "12.345"},
		{"kwd", 7, "0.007"},
		{"eur", math.MaxInt64, "92233720368547758.07"}, // binary64 would round it
		{"eur", math.MinInt64, "-92233720368547758.08"},
		{"jpy", math.MinInt64, "-9223372036854775808"},
	} {
		currency, _ := LookupCurrency(test.code)
		if got := currency.Format(test.minor); got != test.want {
			t.Errorf("%d %s is written %q, want %q", test.minor, test.code, got, test.want)
		}
	}
}
