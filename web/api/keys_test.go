package api

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestTheSameKeyOfTwoOwnersIsTwoKeys(t *testing.T) { // B01, I4
	b := newBench(t, benchOptions{})
	alice := b.want(http.StatusCreated, ask{owner: "alice", key: "1"})
	bob := b.want(http.StatusCreated, ask{owner: "bob", key: "1"})
	if alice.charge(t).ID == bob.charge(t).ID || bob.header.Get("Idempotent-Replayed") != "" {
		t.Error("bob got alice's answer")
	}
	if a, bb := b.bank.taken("alice", "eur"), b.bank.taken("bob", "eur"); a != 5000 || bb != 5000 {
		t.Errorf("charged %d and %d", a, bb)
	}
	b.refused(http.StatusConflict, CodeKeyReused, ask{owner: "alice", key: "1", form: with("amount", "1")})
	b.want(http.StatusCreated, ask{owner: "a_b", key: "c"})
	b.want(http.StatusCreated, ask{owner: "a", key: "b_c"})
}

// with is the good charge with one parameter changed; an empty value removes it.
func with(name, value string) url.Values {
	form := goodForm()
	form.Set(name, value)
	if value == "" {
		form.Del(name)
	}
	return form
}

func TestAKeyIsOneHeaderOf1To255VisibleCharacters(t *testing.T) { // B06, B07
	b := newBench(t, benchOptions{})
	for what, key := range map[string]string{
		"one character": "1", "255 characters": strings.Repeat("k", 255), "odd but visible": `!#{}~,;=`,
	} {
		if got := b.send(ask{key: key}); got.status != http.StatusCreated {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	for what, lines := range map[string][]string{
		"none": nil, "empty": {""}, "spaces": {"   "}, "tab": {"\t"}, "256 characters": {strings.Repeat("k", 256)},
		"8 kB": {strings.Repeat("k", 8<<10)}, "70 kB": {strings.Repeat("k", 70<<10)},
		"two lines": {"a", "a"}, "a blank inside": {"a b"}, "not ASCII": {"schlüssel"}, "open quotes": {`"abc`}, "empty quotes": {`""`},
	} {
		code := CodeKeyInvalid
		if lines == nil {
			code = CodeKeyMissing
		}
		request, _ := ask{key: "-"}.request(b.url)
		request.Header["Idempotency-Key"] = lines
		got := b.roundTrip(request)
		if got.status != http.StatusBadRequest || got.doc(t).Error.Code != code || got.header.Get("Idempotency-Key") != "" {
			t.Errorf("%s: %d %s (echoed %q)", what, got.status, got.body, got.header.Get("Idempotency-Key"))
		}
	}
	long := strings.Repeat("x", 254)
	first, second := b.want(http.StatusCreated, ask{key: long + "1"}), b.want(http.StatusCreated, ask{key: long + "2"})
	if first.charge(t).ID == second.charge(t).ID {
		t.Error("two long keys with one beginning were taken for one")
	}
}

// roundTrip sends a request that a test has built by hand.
func (b *bench) roundTrip(request *http.Request) answer {
	b.t.Helper()
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		b.t.Fatal(err)
	}
	return readAll(b.t, response)
}

func TestTheKeysHeaderIsReadInAnyCaseQuotedOrBare(t *testing.T) { // B13
	b := newBench(t, benchOptions{})
	first := b.want(http.StatusCreated, ask{key: "abc-1"})
	for _, name := range []string{"idempotency-key", "IDEMPOTENCY-KEY", "iDeMpOtEnCy-KeY"} {
		raw := "POST /v1/charges HTTP/1.1\r\nHost: x\r\nAuthorization: bearer sk_test_shop\r\n" + name + ": abc-1\r\n" +
			"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 44\r\nConnection: close\r\n\r\n" +
			"amount=5000&currency=eur&source=tok_visa&&&&"
		if got := b.raw(raw); got.status != http.StatusCreated || got.body != first.body {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	quoted := b.want(http.StatusCreated, ask{key: `"abc-1"`})
	if quoted.body != first.body || quoted.header.Get("Idempotency-Key") != `"abc-1"` {
		t.Errorf("the quoted key is another: %v", quoted.header)
	}
	if other := b.want(http.StatusCreated, ask{key: "ABC-1"}); other.body == first.body {
		t.Error("the key was case-folded")
	}
}

func TestAConflictNamesWhatDiffersAndNeverRuns(t *testing.T) {
	b := newBench(t, benchOptions{})
	b.want(http.StatusCreated, ask{})
	for param, form := range map[string]url.Values{
		"amount": with("amount", "8000"), "currency": with("currency", "usd"), "source": with("source", "tok_amex"),
		"description": with("description", "x"), "metadata": with("metadata[order]", "7"), "capture": with("capture", "true"),
	} {
		got := b.want(http.StatusConflict, ask{form: form})
		checkDocument(t, got)
		doc := got.doc(t)
		if doc.Error.Type != "idempotency_error" || doc.Error.Code != CodeKeyReused || doc.Error.Param != param || !strings.Contains(doc.Detail, param) {
			t.Errorf("%s: %s", param, got.body)
		}
		if got.header.Get("Retry-After") != "" {
			t.Errorf("%s: waiting never mends a conflict", param)
		}
		if strings.Contains(got.body, "8000") || strings.Contains(got.body, "5000") {
			t.Errorf("%s: the conflict repeats what was sent: %s", param, got.body)
		}
	}
	both := with("amount", "1")
	both.Set("currency", "usd")
	if doc := b.refused(http.StatusConflict, CodeKeyReused, ask{form: both}); !strings.Contains(doc.Detail, "amount, currency") {
		t.Errorf("not all that differs is named: %s", doc.Detail)
	}
	if taken := b.bank.taken("shop", "eur"); taken != 5000 {
		t.Errorf("charged %d", taken)
	}
}

func TestWhatIsTheSameRequestReplays(t *testing.T) { // C01, C02, C11
	b := newBench(t, benchOptions{})
	first := b.want(http.StatusCreated, ask{form: with("metadata[a]", "1")})
	for what, same := range map[string]ask{
		"JSON":            {json: `{"amount":5000,"currency":"eur","source":"tok_visa","metadata":{"a":"1"}}`},
		"another order":   {json: `{"metadata":{"a":"1"},"source":"tok_visa","currency":"eur","amount":5000}`},
		"pretty-printed":  {json: "{\n \"amount\" : 5000,\n \"currency\": \"\\u0065ur\", \"source\":\"tok_visa\", \"metadata\": {\"a\":\t\"1\"}}\n"},
		"null is absent":  {json: `{"amount":5000,"currency":"eur","source":"tok_visa","metadata":{"a":"1","b":null},"description":null}`},
		"empty is absent": {json: `{"amount":5000,"currency":"eur","source":"tok_visa","metadata":{"a":"1"},"description":"","payment_method":null}`},
		"other headers": {form: with("metadata[a]", "1"), header: map[string]string{
			"User-Agent": "other/2", "Date": "Mon, 02 Jan 2006 15:04:05 GMT", "Accept": "text/html", "Chargeonce-Trace": "t2", "Stripe-Version": "2020-01-01",
		}},
		"escaped brackets": {body: strings.NewReader("amount=5000&currency=eur&source=tok%5Fvisa&metadata%5Ba%5D=1")},
	} {
		if got := b.send(same); got.status != http.StatusCreated || got.body != first.body {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	if calls := len(b.bank.calls("POST")); calls != 1 {
		t.Errorf("charged %d times", calls)
	}
	for _, meta := range []string{`null`, `{}`, `{"x":null}`} {
		body := `{"amount":5000,"currency":"eur","source":"tok_visa","metadata":` + meta + `}`
		b.want(http.StatusCreated, ask{key: "meta", json: body})
	}
	if b.saw("conflict") != 0 {
		t.Error("null, absent and {} are not the same")
	}
}

func TestACallerWithoutACredentialLearnsNothingOfAKey(t *testing.T) { // B11, D05
	b := newBench(t, benchOptions{})
	b.want(http.StatusCreated, ask{})
	for what, authorization := range map[string][]string{
		"none": nil, "empty": {""}, "no scheme": {"sk_test_shop"}, "other scheme": {"Digest sk_test_shop"}, "no name": {"Bearer sk_test_"},
		"bad name": {"Bearer sk_test_a/b"}, "long name": {"Bearer sk_test_" + strings.Repeat("a", 65)}, "publishable": {"Bearer pk_test_shop"},
		"two": {"Bearer sk_test_shop", "Bearer sk_test_shop"}, "bad base64": {"Basic !!!"}, "live": {"Bearer sk_live_shop"},
		"live as Basic": {"Basic c2tfbGl2ZV9zaG9wOg=="},
	} {
		request, _ := ask{owner: "-"}.request(b.url)
		request.Header["Authorization"] = authorization
		got := b.roundTrip(request)
		doc := got.doc(t)
		checkDocument(t, got)
		if got.status != http.StatusUnauthorized || doc.Error.Type != "authentication_error" || got.header.Get("Www-Authenticate") == "" {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
		for _, name := range []string{"Idempotent-Replayed", "Idempotency-Expires", "Set-Cookie", "Location"} {
			if got.header.Get(name) != "" {
				t.Errorf("%s: tells %s", what, name)
			}
		}
		if wantLive := strings.HasPrefix(what, "live"); wantLive != (doc.Error.Code == CodeCredentialLive) {
			t.Errorf("%s: code %s", what, doc.Error.Code)
		}
	}
	if decisions := b.saw("started") + b.saw("replay"); decisions != 1 {
		t.Errorf("%d look-ups of the key, want the first request's alone", decisions)
	}
	basic, _ := ask{owner: "-"}.request(b.url)
	basic.SetBasicAuth("sk_test_shop", "")
	if got := b.roundTrip(basic); got.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("Basic names another owner than Bearer: %d %s", got.status, got.body)
	}
}

func TestAKeyBelongsToItsOperation(t *testing.T) { // B02: what is not a route is refused before any key
	b := newBench(t, benchOptions{})
	b.want(http.StatusCreated, ask{})
	b.refused(http.StatusNotFound, CodeRouteMissing, ask{path: "/v1/customers"})
	b.refused(http.StatusBadRequest, CodeParamUnknown, ask{path: "/v1/charges?a=1"})
	for method, allow := range map[string]string{"PUT": "GET, HEAD, POST", "DELETE": "GET, HEAD, POST", "PATCH": "GET, HEAD, POST"} {
		got := b.want(http.StatusMethodNotAllowed, ask{method: method})
		checkDocument(t, got)
		if got.header.Get("Allow") != allow {
			t.Errorf("%s: Allow %q", method, got.header.Get("Allow"))
		}
	}
	head := b.want(http.StatusOK, ask{method: "HEAD"})
	if head.body != "" {
		t.Errorf("HEAD answers a body: %s", head.body)
	}
	b.refused(http.StatusNotFound, CodeRouteMissing, ask{method: "GET", path: "/v1/charges/a/b"})
	b.refused(http.StatusNotFound, CodeRouteMissing, ask{method: "GET", path: "/"})
}

func TestHTTP2ChangesNothing(t *testing.T) { // B13, C07
	b := newBench(t, benchOptions{})
	first := b.want(http.StatusCreated, ask{})
	server := httptest.NewUnstartedServer(New(Options{Charger: b.ledger, Store: b.store}))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	send := func(a ask) answer {
		t.Helper()
		request, err := a.request(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		response, err := server.Client().Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if response.ProtoMajor != 2 {
			t.Fatalf("spoken over %s", response.Proto)
		}
		return readAll(t, response)
	}
	if got := send(ask{}); got.body != first.body || got.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%d %s", got.status, got.body)
	}
	if got := send(ask{body: &endless{left: 1 << 20}}); got.status != http.StatusRequestEntityTooLarge {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// TestAKeyWhoseValueBeginsWithAQuoteIsAKey: it was unquoted once, and is not
// read a second time.
func TestAKeyWhoseValueBeginsWithAQuoteIsAKey(t *testing.T) {
	b := newBench(t, benchOptions{})
	for _, line := range []string{`"\"abc"`, `"\"abc\""`, `"\""`, `"\\"`} {
		made := b.want(http.StatusCreated, ask{key: line})
		again := b.want(http.StatusCreated, ask{key: line})
		if again.body != made.body || again.header.Get("Idempotent-Replayed") != "true" || made.header.Get("Idempotency-Key") != line {
			t.Errorf("%s: %v", line, again.header)
		}
		if object := b.lookUp("", line); object.State != "done" {
			t.Errorf("%s: %+v", line, object)
		}
	}
}
