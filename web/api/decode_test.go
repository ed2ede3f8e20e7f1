package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"chargeonce/idem"
)

func TestAFormAndJSONGiveTheSameTree(t *testing.T) {
	for _, c := range []struct{ form, json string }{
		{"a=1", `{"a":"1"}`},
		{"", `{}`},
		{"a[b]=1&a[c][d]=2", `{"a":{"b":"1","c":{"d":"2"}}}`},
		{"a%5Bb%5D=1", `{"a":{"b":"1"}}`},
		{"a[0]=x&a[1]=y", `{"a":["x","y"]}`},
		{"a[1]=y&a[0]=x", `{"a":["x","y"]}`},
		{"a[]=x&a[]=y", `{"a":["x","y"]}`},
		{"a[0][b]=1&a[1][b]=2", `{"a":[{"b":"1"},{"b":"2"}]}`},
		{"a[1]=x", `{"a":{"1":"x"}}`},
		{"a[0]=x&a[b]=y", `{"a":{"0":"x","b":"y"}}`},
		{"a[00]=x", `{"a":{"00":"x"}}`},
		{"0=x", `{"0":"x"}`},
		{"a=b+c%20d%2Be", `{"a":"b c d+e"}`},
		{"a=&b", `{"a":"","b":""}`},
		{"&&a=1&&", `{"a":"1"}`},
		{"a=1=2", `{"a":"1=2"}`},
		{"a=%F0%9F%92%B6%00", `{"a":"\ud83d\udcb6\u0000"}`},
	} {
		form, problem := decodeForm(c.form)
		if problem != nil {
			t.Errorf("%s: %v", c.form, problem)
			continue
		}
		tree, problem := decodeJSON([]byte(c.json))
		if problem != nil || !reflect.DeepEqual(form, tree) {
			t.Errorf("%s: form %v, JSON %v (%v)", c.form, form, tree, problem)
		}
	}
}

func TestAFormThatCanBeReadTwoWaysIsRefused(t *testing.T) {
	for _, text := range []string{
		"a=1&a=2", "a=1&a[b]=2", "a[b]=2&a=1", "a[]=1&a[0]=2", "a[b]=1&a[b]=2", "a[]=1&a[b]=2", "a[b]=1&a[]=2",
		"a[=1", "a]=1", "a[b=1", "a[b]c=1", "[a]=1", "=1", "[]=1", "a[][b]=1", "a[[b]]=1", "a[b]]=1",
		"a=%zz", "a%=1", "a=%ff", "%c3=1", "a=1;b=2", "a[b][c][d][e][f][g][h][i]=1",
	} {
		if tree, problem := decodeForm(text); problem == nil {
			t.Errorf("%s was read as %v", text, tree)
		} else if problem.Status() != http.StatusBadRequest {
			t.Errorf("%s: %d", text, problem.Status())
		}
	}
}

func TestJSONMustBeOneObjectWithoutRepairs(t *testing.T) { // C10
	for what, text := range map[string]string{
		"empty": "", "null": "null", "list": "[]", "number": "42", "string": `"x"`, "blank": "  ", "half": `{"a":1`,
		"trailing data": `{"a":1} {"a":1}`, "trailing brace": `{"a":1}}`, "trailing comma": `{"a":1,}`, "BOM": "\ufeff{}",
		"name twice": `{"a":1,"a":1}`, "name twice, escaped": `{"a":1,"\u0061":2}`, "name twice inside": `{"a":{"b":1,"b":2}}`,
		"invalid UTF-8": "{\"a\":\"\xff\"}", "half a surrogate": `{"a":"\ud800"}`, "surrogates in the wrong order": `{"a":"\udc00\ud800"}`,
		"half a surrogate before an escape": `{"a":"\ud800\n"}`, "comment": `{/**/}`, "single quotes": `{'a':1}`, "NaN": `{"a":NaN}`,
		"deep": strings.Repeat(`{"a":`, 9) + "1" + strings.Repeat("}", 9), "very deep": strings.Repeat("[", 30_000),
	} {
		tree, problem := decodeJSON([]byte(text))
		if problem == nil {
			t.Errorf("%s was read as %v", what, tree)
		} else if problem.Status() != http.StatusBadRequest {
			t.Errorf("%s: %d", what, problem.Status())
		}
	}
	for _, text := range []string{`{"a":"\\ud800"}`, `{"a":"\ud83d\udcb6"}`, `{"a":"\\\ud83d\udcb6"}`, `{"a":"\u00e9\/"}`} {
		if _, problem := decodeJSON([]byte(text)); problem != nil {
			t.Errorf("%s: %v", text, problem)
		}
	}
}

func TestNumbersStayAsWritten(t *testing.T) {
	tree, problem := decodeJSON([]byte(`{"a":10000000000000000001,"b":1.10,"c":1e2}`))
	want := idem.Params{"a": json.Number("10000000000000000001"), "b": json.Number("1.10"), "c": json.Number("1e2")}
	if problem != nil || !reflect.DeepEqual(tree, want) {
		t.Errorf("got %v (%v)", tree, problem)
	}
}

// depthOf is how deeply a tree is nested.
func depthOf(node any) (depth int) {
	switch node := node.(type) {
	case idem.Params:
		return depthOf(map[string]any(node))
	case map[string]any:
		for _, inner := range node {
			depth = max(depth, depthOf(inner))
		}
		return depth + 1
	case []any:
		for _, inner := range node {
			depth = max(depth, depthOf(inner))
		}
		return depth + 1
	}
	return 0
}

// FuzzDecoders feeds any bytes to both decoders: no panic, the same tree each
// time, no deeper than allowed, and a refusal that is a 400 and repeats
// nothing that does not look like a name.
func FuzzDecoders(f *testing.F) {
	for _, seed := range []string{"a[0][b]=%20&c=1", `{"a":[{"b":null}],"c":1e5}`, "a[]=1", `{"\ud800":1}`, "metadata[4242424242424242]=x"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		for name, decode := range map[string]func() (idem.Params, *Problem){
			"form": func() (idem.Params, *Problem) { return decodeForm(string(raw)) },
			"json": func() (idem.Params, *Problem) { return decodeJSON(raw) },
		} {
			tree, problem := decode()
			again, _ := decode()
			if !reflect.DeepEqual(tree, again) {
				t.Errorf("%s: two trees", name)
			}
			if depthOf(tree) > maxDepth+1 {
				t.Errorf("%s: %d deep", name, depthOf(tree))
			}
			if problem != nil && (problem.Status() != http.StatusBadRequest || !plainName.MatchString(problem.Param) && problem.Param != "") {
				t.Errorf("%s: %d, param %q", name, problem.Status(), problem.Param)
			}
		}
	})
}

// FuzzSameRequest says the same charge as a form and as JSON: both are
// refused, or both are the same request.
func FuzzSameRequest(f *testing.F) {
	f.Add("order", "7", "a gift", "5000")
	f.Add("0", "x", "", "1")
	f.Add("é", "\x00 &=%", "4242 4242 4242 4242", "01")
	f.Fuzz(func(t *testing.T, name, value, description, amount string) {
		if !utf8.ValidString(strings.Join([]string{name, value, description, amount}, "|")) || name == "" || strings.ContainsAny(name, "[]") {
			t.Skip("not sayable in both")
		}
		form := url.Values{
			"amount": {amount}, "currency": {"eur"}, "source": {"tok_visa"},
			"description": {description}, "metadata[" + name + "]": {value},
		}
		if !json.Valid([]byte(amount)) || strings.Trim(amount, "+-.0123456789eE") != "" { // blanks around a number are JSON's own
			amount = `"no number"`
			form.Set("amount", "no number")
		}
		text := fmt.Sprintf(`{"amount":%s,"currency":"eur","source":"tok_visa","description":%s,"metadata":{%s:%s}}`,
			amount, mustJSON(description), mustJSON(name), mustJSON(value))
		c := &call{r: newRequestF(), key: idem.Key{Owner: "o", Value: "k"}}
		fromForm, formProblem := decodeForm(form.Encode())
		fromJSON, jsonProblem := decodeJSON([]byte(text))
		if formProblem != nil || jsonProblem != nil {
			t.Fatalf("not decoded: %v, %v", formProblem, jsonProblem)
		}
		a, problemA := chargeRequest(c, body{tree: fromForm})
		b, problemB := chargeRequest(c, body{tree: fromJSON, typed: true})
		if (problemA == nil) != (problemB == nil) {
			t.Fatalf("form: %v, JSON: %v", problemA, problemB)
		}
		if problemA == nil && (!a.Fingerprint.Equal(b.Fingerprint) || !reflect.DeepEqual(a.Metadata, b.Metadata)) {
			t.Fatalf("two requests: %v and %v", a, b)
		}
	})
}

func newRequestF() *http.Request {
	request, err := http.NewRequest(http.MethodPost, pathCharges, nil)
	if err != nil {
		panic(err)
	}
	return request
}
