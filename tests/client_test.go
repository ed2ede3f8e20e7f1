package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"chargeonce/web/control"
)

// stageClient uses a stage as a browser without JavaScript and as a script.
type stageClient struct {
	t    *testing.T
	base string
	http *http.Client
}

// startStage runs a stage on a free port with data in dir.
func startStage(t *testing.T, dir string) (*process, *stageClient) {
	t.Helper()
	p := start(t, "--listen", "127.0.0.1:0", "--data", dir)
	return p, newStageClient(t, p.URL)
}

func newStageClient(t *testing.T, base string) *stageClient {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &stageClient{t: t, base: base, http: &http.Client{Jar: jar, Timeout: patience}}
}

// get reads JSON.
func (c *stageClient) get(path string, into any) {
	c.t.Helper()
	response, err := c.http.Get(c.base + path)
	c.decode(response, err, http.StatusOK, into)
}

// post sends a command.
func (c *stageClient) post(path string, body any, status int, into any) {
	c.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		c.t.Fatal(err)
	}
	response, err := c.http.Post(c.base+path, "application/json", strings.NewReader(string(text)))
	c.decode(response, err, status, into)
}

func (c *stageClient) decode(response *http.Response, err error, status int, into any) {
	c.t.Helper()
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	if response.StatusCode != status {
		c.t.Fatalf("%s: status %d, want %d: %s", response.Request.URL.Path, response.StatusCode, status, text)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			c.t.Fatalf("%s: %v: %s", response.Request.URL.Path, err, text)
		}
	}
}

// shown is what the checkout's form holds.
type shown struct{ order, key, amount string }

var field = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]*)"`)

// checkout reads the form as it is shown now.
func (c *stageClient) checkout() (form shown, page string) {
	c.t.Helper()
	response, err := c.http.Get(c.base + "/")
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		c.t.Fatalf("first screen: status %d, %v", response.StatusCode, err)
	}
	values := map[string]string{}
	for _, match := range field.FindAllStringSubmatch(string(text), -1) {
		values[match[1]] = match[2]
	}
	return shown{values["order"], values["key"], values["amount"]}, string(text)
}

// pay presses a button of the form, as a browser without JavaScript does.
func (c *stageClient) pay(form shown, how, card string) int {
	c.t.Helper()
	values := url.Values{"order": {form.order}, "key": {form.key}, "amount": {form.amount}, "card": {card}, "how": {how}}
	response, err := c.http.PostForm(c.base+"/pay", values)
	if err != nil {
		c.t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

// newOrder presses New order and reads the new form.
func (c *stageClient) newOrder() shown {
	c.t.Helper()
	response, err := c.http.PostForm(c.base+"/new", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	_ = response.Body.Close()
	form, _ := c.checkout()
	return form
}

// charge is a client from outside: one POST /v1/charges.
func (c *stageClient) charge(owner, key string, amount int, header ...string) (*http.Response, []byte) {
	c.t.Helper()
	response, body, err := postCharge(c.base, owner, key, amount, header...)
	if err != nil {
		c.t.Fatal(err)
	}
	return response, body
}

func postCharge(base, owner, key string, amount int, header ...string) (*http.Response, []byte, error) {
	form := url.Values{"amount": {fmt.Sprint(amount)}, "currency": {"eur"}, "source": {"tok_visa"}}
	request, err := http.NewRequest(http.MethodPost, base+"/v1/charges", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "Bearer sk_test_"+owner)
	request.Header.Set("Idempotency-Key", key)
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	client := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return response, body, err
}

func (c *stageClient) state() (state control.State) {
	c.t.Helper()
	c.get("/stage/state", &state)
	return state
}

func (c *stageClient) books(owner string) control.OwnerBooks {
	c.t.Helper()
	var books control.Books
	c.get("/stage/books", &books)
	return books.Sides[control.Safe].Owners[owner]
}

func (c *stageClient) captures(owner string) []control.Capture {
	c.t.Helper()
	var book struct {
		Data []control.Capture `json:"data"`
	}
	c.get("/stage/captures?side=safe&owner="+owner, &book)
	return book.Data
}

// awaitCount waits until a counter of the safe side has reached n.
func (c *stageClient) awaitCount(outcome control.Outcome, n int) {
	c.t.Helper()
	eventually(c.t, fmt.Sprintf("%d × %s", n, outcome), func() (bool, any) {
		counters := c.state().Counters[control.Safe]
		return counters[outcome] >= n, counters
	})
}

// awaitPaid waits until the checkout tells the customer that it is paid.
func (c *stageClient) awaitPaid() {
	c.t.Helper()
	eventually(c.t, "the page says Paid", func() (bool, any) {
		_, page := c.checkout()
		told := notice.FindString(page)
		return safePaid(told), told
	})
}

// notice is what the customer is told, on the page.
var notice = regexp.MustCompile(`<p class="notice[^>]*>.*?</p>`)

// safePaid reads what the customer is told: one sentence if both shops agree,
// else one of each.
func safePaid(told string) bool {
	_, safe, apart := strings.Cut(told, "SAFE: ")
	if !apart {
		safe = told
	}
	return strings.Contains(safe, "Paid, €50.00.")
}

// chargedOnce is the promise of the whole thing.
func (c *stageClient) chargedOnce(owner string) {
	c.t.Helper()
	books := c.books(owner)
	captures := c.captures(owner)
	if books.Charges != 1 || books.Captures != 1 || books.Ledger["eur"] != 5000 || books.Captured["eur"] != 5000 || len(captures) != 1 {
		c.t.Errorf("%s: want one charge and one capture of 5000, got %+v, captures %+v", owner, books, captures)
	}
}

// follow opens the live panel's websocket on free play.
func (c *stageClient) follow(after uint64) *websocket.Conn {
	c.t.Helper()
	return c.followRun("", after)
}

// followRun opens the live panel's websocket on a run.
func (c *stageClient) followRun(run string, after uint64) *websocket.Conn {
	c.t.Helper()
	address := fmt.Sprintf("ws%s/stage/live?run=%s&after=%d", strings.TrimPrefix(c.base, "http"), run, after)
	conn, _, err := websocket.DefaultDialer.Dial(address, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// eventsUpTo reads the events of a websocket up to a number.
func eventsUpTo(t *testing.T, conn *websocket.Conn, seq uint64) (events []control.Event) {
	t.Helper()
	for len(events) == 0 || events[len(events)-1].Seq < seq {
		var event control.Event
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		if err := conn.ReadJSON(&event); err != nil {
			t.Fatalf("after %d events: %v", len(events), err)
		}
		events = append(events, event)
	}
	return events
}
