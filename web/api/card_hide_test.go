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
		"4242 4242 4242 4242 12/34":               "•••• •••• •••• •••• ••/34",
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
	if got := HideCutNumber("a1=2&b=x"); got != "a1=2&b=x" {
		t.Errorf("hid what is not cut off: %q", got)
	}
}
