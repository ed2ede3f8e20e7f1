package api

import (
	"strings"
	"testing"
)

func TestACardNumberIsHiddenAndNothingElse(t *testing.T) {
	for text, want := range map[string]string{
		"":                                        "",
		"amount=5000&currency=eur":                "amount=5000&currency=eur",
		"n=4242424242424242&cvc=1":                "n=••••••••••••••••&cvc=1",
		"4242 4242-4242 4242":                     "•••• ••••-•••• ••••",
		`{"a":"4242424242424242","b":17}`:         `{"a":"••••••••••••••••","b":17}`,
		"4242424242424242,378282246310005":        "••••••••••••••••,•••••••••••••••",
		"4242 4242 4242 4242 12/34":               "•••• •••• •••• •••• ••/••",
		"d=4242+4242%204242%C2%A04242&c=5":        "d=••••+••••%20••••%C2%A0••••&c=5",
		"d=%34242.4242_4242%2F4242":               "d=••••.••••_••••%2F••••",
		`{"d":"4242\n4242\u00a04242\u20114242"}`:  `{"d":"••••\n••••\u00a0••••\u2011••••"}`,
		"order 1764542138000 of 4242424242424241": "order 1764542138000 of 4242424242424241", // no right check digit
		"ü 4242424242424242 ü":                    "ü •••••••••••••••• ü",
	} {
		got := HideCardNumbers(text)
		if got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
		if holdsCardNumber(got) {
			t.Errorf("%q still holds one: %q", text, got)
		}
	}
}

func TestANumberThatIsCutOffIsHiddenToo(t *testing.T) {
	const whole = "card=4242 4242 4242 4242"
	for cut := len("card=") + 1; cut < len(whole); cut++ {
		got := HideCutNumber(whole[:cut])
		if strings.ContainsAny(got, "0123456789") || !strings.HasPrefix(got, "card=") {
			t.Errorf("%q: %q", whole[:cut], got)
		}
	}
	const escaped = "card=4242%C2%A04242+4242"
	for cut := len("card=") + 1; cut < len(escaped); cut++ {
		if got := HideCutNumber(escaped[:cut]); strings.Contains(got, "42") || !strings.HasPrefix(got, "card=") {
			t.Errorf("%q: %q", escaped[:cut], got)
		}
	}
	if got := HideCutNumber("a1=2&b=x"); got != "a1=2&b=x" {
		t.Errorf("hid what is not cut off: %q", got)
	}
}
