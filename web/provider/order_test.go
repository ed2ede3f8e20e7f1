package provider

import (
	"net/http"
	"strings"
	"testing"
)

func TestBadInputIsRefusedAndKeepsNothing(t *testing.T) {
	p := start(t, Options{})
	capture := post(p, "/captures", "real", order50("tok_visa")).document(t)
	number := "4242424242424242"
	for name, bad := range map[string]struct {
		path, body string
		status     int
	}{
		"empty":               {"/captures", "", 400},
		"null":                {"/captures", "null", 400},
		"list":                {"/captures", "[]", 400},
		"cut off":             {"/captures", order50("tok_visa")[:40], 400},
		"two objects":         {"/captures", order50("tok_visa") + order50("tok_visa"), 400},
		"unknown field":       {"/captures", strings.Replace(order50("tok_visa"), "{", `{"tip":1,`, 1), 400},
		"zero":                {"/captures", orderOf(0, "eur", "tok_visa", "shop/ch_1"), 400},
		"negative":            {"/captures", orderOf(-1, "eur", "tok_visa", "shop/ch_1"), 400},
		"too much":            {"/captures", orderOf(MaxAmount+1, "eur", "tok_visa", "shop/ch_1"), 400},
		"fraction":            {"/captures", strings.Replace(order50("tok_visa"), "5000", "50.0", 1), 400},
		"text":                {"/captures", strings.Replace(order50("tok_visa"), "5000", `"5000"`, 1), 400},
		"overflow":            {"/captures", strings.Replace(order50("tok_visa"), "5000", "9223372036854775808", 1), 400},
		"upper case":          {"/captures", orderOf(1, "EUR", "tok_visa", "shop/ch_1"), 400},
		"no currency":         {"/captures", orderOf(1, "", "tok_visa", "shop/ch_1"), 400},
		"card number":         {"/captures", orderOf(1, "eur", number, "shop/ch_1"), 400},
		"no owner":            {"/captures", orderOf(1, "eur", "tok_visa", "/ch_1"), 400},
		"no charge":           {"/captures", orderOf(1, "eur", "tok_visa", "shop/"), 400},
		"no slash":            {"/captures", orderOf(1, "eur", "tok_visa", "shop"), 400},
		"two slashes":         {"/captures", orderOf(1, "eur", "tok_visa", "shop/a/b"), 400},
		"strange owner":       {"/captures", orderOf(1, "eur", "tok_visa", "sh.op/ch_1"), 400},
		"long charge":         {"/captures", orderOf(1, "eur", "tok_visa", "shop/"+strings.Repeat("x", maxChargeID+1)), 400},
		"large body":          {"/captures", order50("tok_visa") + strings.Repeat(" ", maxBody), 413},
		"refund of nothing":   {"/refunds", refundOf("", 1), 400},
		"refund of zero":      {"/refunds", refundOf(capture.ID, 0), 400},
		"refund below zero":   {"/refunds", refundOf(capture.ID, -1), 400},
		"refund out of place": {"/refunds", refundOf(capture.ID+"/../x", 1), 400},
	} {
		got := post(p, bad.path, "k", bad.body)
		why := got.problem(t)
		if got.status != bad.status || why.Code == "" || why.Message == "" {
			t.Errorf("%s: %d %s, want %d with a code and a message", name, got.status, got.body, bad.status)
		}
		if strings.Contains(got.body, number) {
			t.Errorf("%s: the answer repeats the card number", name)
		}
	}
	if got := post(p, "/captures", "k", order50("tok_visa")); got.status != 201 || got.replayed() {
		t.Errorf("the key that only bad requests used: %d %s, want a fresh 201", got.status, got.body)
	}
}

func TestAnOperationNeedsExactlyOneValidKey(t *testing.T) {
	p := start(t, Options{})
	for name, lines := range map[string][]string{
		"none": nil, "empty": {""}, "two": {"a", "b"}, "a space": {"a b"}, "too long": {strings.Repeat("k", 256)},
	} {
		for _, path := range []string{"/captures", "/refunds"} {
			r := request(path, "", order50("tok_visa"))
			r.Header["Idempotency-Key"] = lines
			if got := serve(p, r); got.status != 400 {
				t.Errorf("%s %s: %d %s, want 400", path, name, got.status, got.body)
			}
		}
	}
	if lines := book(t, p, ""); len(lines) != 0 {
		t.Errorf("book %+v, want nothing", lines)
	}
	longest := strings.Repeat("k", 255)
	if got := post(p, "/captures", longest, order50("tok_visa")); got.status != http.StatusCreated {
		t.Errorf("the longest key: %d %s, want 201", got.status, got.body)
	}
}

func TestLargestAmountIsCaptured(t *testing.T) {
	p := start(t, Options{})
	for _, key := range []string{"a", "b"} {
		if got := post(p, "/captures", key, orderOf(MaxAmount, "jpy", "tok_jcb", "shop/"+key)); got.status != 201 {
			t.Errorf("%d %s, want 201", got.status, got.body)
		}
	}
	if captured, _, err := p.Totals(); err != nil || captured["shop"]["jpy"] != 2*MaxAmount {
		t.Errorf("totals %v (%v), want %d", captured, err, 2*MaxAmount)
	}
}

// No input may end in a panic or in a 5xx, and none but a checked order may
// reach the book.
func FuzzCapture(f *testing.F) {
	f.Add("k", order50("tok_visa"))
	f.Add("k", `{"amount":1e2}`)
	f.Add(`"quoted"`, `{"amount":null,"currency":"eur"}`)
	p := start(f, Options{})
	f.Fuzz(func(t *testing.T, key, body string) {
		got := post(p, "/captures", key, body)
		if got.aborted || got.status >= 500 {
			t.Errorf("%q %q: %+v", key, body, got)
		}
	})
}
