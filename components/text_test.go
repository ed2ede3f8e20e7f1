package components

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
)

// The tables below testdata are read by the script's tests too, so that the
// two languages cannot drift apart.
func table(t *testing.T, name string) [][]any {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]any
	if err := json.Unmarshal(raw, &rows); err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		t.Fatal("the table is empty")
	}
	return rows
}

func TestMoneyUsesTheCurrencysOwnExponent(t *testing.T) {
	for _, row := range table(t, "money.json") {
		amount, currency, want := int64(row[0].(float64)), row[1].(string), row[2].(string)
		if got := Money(amount, currency); got != want {
			t.Errorf("Money(%d, %q) = %q, want %q", amount, currency, got, want)
		}
	}
}

func TestMoneyTableNamesEveryOddExponent(t *testing.T) {
	named := map[string]bool{}
	for _, row := range table(t, "money.json") {
		named[row[1].(string)] = true
	}
	for code := range exponents {
		if !named[code] {
			t.Errorf("no row for %s, so the script's twin is not held to it", code)
		}
	}
}

func TestMoneyOfTheSmallestNumberKeepsAllDigits(t *testing.T) {
	if got, want := Money(-1<<63, "eur"), "−€92,233,720,368,547,758.08"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestShortKeyKeepsTheEnd(t *testing.T) {
	for _, row := range table(t, "keys.json") {
		if got := ShortKey(row[0].(string)); got != row[1] {
			t.Errorf("ShortKey(%q) = %q, want %q", row[0], got, row[1])
		}
	}
}

func TestSegmentsKnowPairsOfAsterisksAndNothingElse(t *testing.T) {
	for _, row := range table(t, "texts.json") {
		got := [][]any{}
		for _, s := range Segments(row[0].(string)) {
			got = append(got, []any{s.Text, s.Bold})
		}
		want := [][]any{}
		for _, pair := range row[1].([]any) {
			want = append(want, pair.([]any))
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Segments(%q) = %v, want %v", row[0], got, want)
		}
	}
}

func TestZeroValuesPrintDefaults(t *testing.T) {
	if got := (Page{}).asset("css/stage.css"); got != "/static/css/stage.css" {
		t.Errorf("asset: %q", got)
	}
	if got := (Panel{}).live(); got != "/stage/live" {
		t.Errorf("live: %q", got)
	}
	if got := (Panel{LivePath: "/x"}).live(); got != "/x" {
		t.Errorf("live: %q", got)
	}
	if got := (Checkout{Key: "order-2026-0001"}).short(); got != "…0001" {
		t.Errorf("short: %q", got)
	}
	if got := (Checkout{Key: "order-2026-0001", KeyShort: "0001"}).short(); got != "0001" {
		t.Errorf("short: %q", got)
	}
	if dash("") != "—" || dash("€1.00") != "€1.00" {
		t.Error("dash")
	}
}
