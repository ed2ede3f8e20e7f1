package idem_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
)

type (
	object = map[string]any
	list   = []any
	number = json.Number
)

func fingerprint(params idem.Params) idem.Fingerprint {
	return idem.NewFingerprint("POST", "/v1/charges", nil, params)
}

func TestFingerprintIsTheSameForTheSameRequest(t *testing.T) {
	for _, row := range []struct {
		name string
		a, b idem.Params
	}{
		{"nothing at all", nil, idem.Params{}},
		{"null is absent", idem.Params{"a": nil}, nil},
		{"an empty map is absent", idem.Params{"metadata": object{}}, nil},
		{"maps of nothing are absent", idem.Params{"metadata": object{"a": object{"b": nil}}}, nil},
		{"null inside a map is absent", idem.Params{"m": object{"a": "1", "b": nil}}, idem.Params{"m": object{"a": "1"}}},
		{"an empty map in a list is null", idem.Params{"l": list{object{}}}, idem.Params{"l": list{nil}}},
		{"a form's text and JSON's number", idem.Params{"amount": "5000"}, idem.Params{"amount": number("5000")}},
		{"a form's text and JSON's boolean", idem.Params{"capture": "true"}, idem.Params{"capture": true}},
		{"a Go integer and JSON's number", idem.Params{"amount": int64(5000)}, idem.Params{"amount": number("5000")}},
		{"the named and the plain map", idem.Params{"m": idem.Params{"a": "1"}}, idem.Params{"m": object{"a": "1"}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := fingerprint(row.a), fingerprint(row.b)
			if !a.Equal(b) {
				t.Errorf("%v and %v differ in %v", row.a, row.b, a.Diff(b))
			}
			if names := a.Diff(b); names != nil {
				t.Errorf("equal requests are said to differ in %v", names)
			}
		})
	}
}

func TestFingerprintDoesNotDependOnTheOrderOfMembers(t *testing.T) {
	decode := func(text string) idem.Params {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var params idem.Params
		if err := decoder.Decode(&params); err != nil {
			t.Fatalf("decode: %v", err)
		}
		return params
	}
	a := decode(`{"amount":5000,"metadata":{"x":"1","y":{"p":1,"q":2}},"tags":["a","b"]}`)
	b := decode("{ \"tags\": [\"a\",\"b\"],\n \"metadata\": {\"y\":{\"q\":2,\"p\":1},\"x\":\"1\"}, \"amount\": 5000 }")
	if !fingerprint(a).Equal(fingerprint(b)) {
		t.Error("the order of members changed the fingerprint")
	}
}

func TestFingerprintDiffersForEveryOtherTree(t *testing.T) {
	seen := make(map[string]string)
	for _, params := range []idem.Params{
		nil,
		{"a": ""},
		{"a": "1"},
		{"a": "01"},
		{"b": "1"},
		{"a": number("10")},
		{"a": number("10.0")},
		{"a": number("1e1")},
		{"a": number("9007199254740992")},
		{"a": number("9007199254740993")},
		{"a": list{}},
		{"a": list{""}},
		{"a": list{nil}},
		{"a": list{"1"}},
		{"a": list{"1", "2"}},
		{"a": list{"2", "1"}},
		{"a": list{list{"1"}, "2"}},
		{"a": list{list{"1", "2"}}},
		{"a": object{"1": "2"}},
		{"a": object{"1": object{"2": "3"}}},
		{"a": object{"1": "2", "3": "4"}},
		{"a": list{object{"x": "1"}, object{"y": "2"}}},
		{"a": list{object{"x": "1", "y": "2"}}},
		{"a": object{"b": object{"c": "1", "d": "2"}}},
		{"a": object{"b": object{"c": "1"}, "d": "2"}},
		{"ab": "c"},
		{"a": "bc"},
		{"a": "b", "c": ""},
		{"a": "b", "": "c"},
		// Text that looks like the tags of the canonical form.
		{"a": "="},
		{"a": "{"},
		{"a": "-"},
		{"a": "[1"},
		{"a": object{"}": "x"}},
		{"a": object{"b": "1", "}": "x"}},
		{"a": object{"b": "1"}, "}": "x"},
		{"a": "map[b:1]"},
		{"a": idem.Params{"b": "1"}},
		{"a": "[b]"},
		{"a": []string{"b"}},
		{"a": []string{"b c"}},
		{"a": []string{"b", "c"}},
		{"a": time.Second},
		{"a": "1s"},
	} {
		sum := fingerprint(params).Sum
		text := fmt.Sprintf("%#v", params)
		if other, taken := seen[sum]; taken {
			t.Errorf("%s and %s have one fingerprint", text, other)
		}
		seen[sum] = text
	}
}

func TestFingerprintCoversMethodPathAndQuery(t *testing.T) {
	params := idem.Params{"amount": "5000"}
	base := idem.NewFingerprint("POST", "/v1/charges", url.Values{"a": {"1", "2"}, "b": {"3"}}, params)
	same := idem.NewFingerprint("POST", "/v1/charges", url.Values{"b": {"3"}, "a": {"1", "2"}}, params)
	if !base.Equal(same) {
		t.Error("the order of query names changed the fingerprint")
	}
	for name, other := range map[string]idem.Fingerprint{
		"method":         idem.NewFingerprint("PUT", "/v1/charges", url.Values{"a": {"1", "2"}, "b": {"3"}}, params),
		"path":           idem.NewFingerprint("POST", "/v1/refunds", url.Values{"a": {"1", "2"}, "b": {"3"}}, params),
		"query value":    idem.NewFingerprint("POST", "/v1/charges", url.Values{"a": {"1", "2"}, "b": {"4"}}, params),
		"order of one":   idem.NewFingerprint("POST", "/v1/charges", url.Values{"a": {"2", "1"}, "b": {"3"}}, params),
		"value moved":    idem.NewFingerprint("POST", "/v1/charges", url.Values{"a": {"1"}, "b": {"2", "3"}}, params),
		"no query":       idem.NewFingerprint("POST", "/v1/charges", nil, params),
		"parts shifted":  idem.NewFingerprint("POST/v1", "/charges", url.Values{"a": {"1", "2"}, "b": {"3"}}, params),
		"query as param": idem.NewFingerprint("POST", "/v1/charges", url.Values{"a": {"1", "2"}}, idem.Params{"amount": "5000", "b": "3"}),
	} {
		if base.Equal(other) {
			t.Errorf("%s: another request has the same fingerprint", name)
			continue
		}
		if names := base.Diff(other); names[0] != idem.OperationParam {
			t.Errorf("%s: the difference is called %v, not the operation's first", name, names)
		}
	}
}

func TestAQueryNameCannotPassForAValue(t *testing.T) {
	a := idem.NewFingerprint("POST", "/", url.Values{"a": {"1", "b"}, "c": {"2"}}, nil)
	b := idem.NewFingerprint("POST", "/", url.Values{"a": {"1"}, "b": {"c", "2"}}, nil)
	if a.Equal(b) {
		t.Error("two queries have one fingerprint")
	}
}

func TestDiffNamesWhatDiffers(t *testing.T) {
	base := idem.Params{"amount": "5000", "currency": "eur", "metadata": object{"a": "1"}}
	for _, row := range []struct {
		name  string
		other idem.Params
		want  []string
	}{
		{"one value", idem.Params{"amount": "8000", "currency": "eur", "metadata": object{"a": "1"}}, []string{"amount"}},
		{"one missing", idem.Params{"currency": "eur", "metadata": object{"a": "1"}}, []string{"amount"}},
		{"one more", idem.Params{"amount": "5000", "currency": "eur", "metadata": object{"a": "1"}, "zip": "1"}, []string{"zip"}},
		{"deep inside", idem.Params{"amount": "5000", "currency": "eur", "metadata": object{"a": "2"}}, []string{"metadata"}},
		{"several, sorted", idem.Params{"zip": "1", "currency": "usd", "metadata": object{"a": "1"}}, []string{"amount", "currency", "zip"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := fingerprint(base), fingerprint(row.other)
			if got := a.Diff(b); !reflect.DeepEqual(got, row.want) {
				t.Errorf("got %v, want %v", got, row.want)
			}
			if got := b.Diff(a); !reflect.DeepEqual(got, row.want) {
				t.Errorf("the other way round: got %v, want %v", got, row.want)
			}
		})
	}
}

func TestFingerprintNeverHoldsWhatWasSent(t *testing.T) {
	printed := fmt.Sprint(fingerprint(idem.Params{"amount": "5000", "source": "tok_visa", "metadata": object{"a": "ada@example.org"}}))
	for _, sent := range []string{"tok_visa", "example.org", "5000"} {
		if strings.Contains(printed, sent) {
			t.Errorf("%q shows in %s", sent, printed)
		}
	}
}

func TestFingerprintOfManyParametersStaysSmall(t *testing.T) {
	many := make(idem.Params)
	for i := range 5000 {
		many[fmt.Sprintf("p%04d", i)] = "x"
	}
	many[strings.Repeat("n", 5000)] = "x"
	whole := fingerprint(many)
	if stored, err := json.Marshal(whole); err != nil || len(stored) > 8<<10 {
		t.Errorf("a fingerprint takes %d bytes (%v)", len(stored), err)
	}
	many["p4999"] = "y"
	if names := whole.Diff(fingerprint(many)); !reflect.DeepEqual(names, []string{idem.OtherParams}) {
		t.Errorf("a difference beyond the named parameters is called %v", names)
	}
}

// A body may nest as deep as the decoder lets it. If each level looked through
// all levels below it, this would take minutes; it takes a moment.
func TestFingerprintOfADeepTreeCostsWhatItsSizeCosts(t *testing.T) {
	var deep any = "leaf"
	for range 100_000 {
		deep = object{"a": deep}
	}
	done := make(chan idem.Fingerprint)
	go func() { done <- fingerprint(idem.Params{"a": deep}) }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("still hashing")
	}
}
