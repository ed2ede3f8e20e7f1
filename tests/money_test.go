package tests

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestMoneyKeepsItsExponentInTheAPIOnThePageAndInTheBooks pays in currencies
// of no, two and three decimals: what the client sent, what the provider
// captured, what the ledger says and what a person reads are one amount.
func TestMoneyKeepsItsExponentInTheAPIOnThePageAndInTheBooks(t *testing.T) { // G01, G02, G12
	_, c := startStage(t, t.TempDir())
	for _, paid := range []struct {
		currency string
		amount   int64
		shown    string
	}{{"jpy", 500, "¥500"}, {"eur", 5000, "€50.00"}, {"kwd", 12345, "KWD 12.345"}} {
		owner := "pays-" + paid.currency
		s := &sender{c, owner}
		charge := s.post("/v1/charges", url.Values{"amount": {fmt.Sprint(paid.amount)}, "currency": {paid.currency}, "source": {"tok_visa"}})
		if charge.Amount != paid.amount || charge.Captured != paid.amount || charge.Currency != paid.currency {
			t.Errorf("%s: the API says %+v", paid.currency, charge)
		}
		books, captures := c.books(owner), c.captures(owner)
		if books.Ledger[paid.currency] != paid.amount || books.Captured[paid.currency] != paid.amount || len(captures) != 1 || captures[0].Amount != paid.amount {
			t.Errorf("%s: books %+v, captures %+v", paid.currency, books, captures)
		}
		if got, want := s.balance(), fmt.Sprint(paid.amount, " ", paid.currency); got != want {
			t.Errorf("the account stands at %s, want %s", got, want)
		}
		c.showsMoney(owner, paid.shown)
	}
}

// TestARefundLeavesAllBooksInAgreement gives a part back through the stage, in
// a currency without decimals.
func TestARefundLeavesAllBooksInAgreement(t *testing.T) { // G08
	_, c := startStage(t, t.TempDir())
	s := &sender{c, "refunds"}
	charge := s.post("/v1/charges", url.Values{"amount": {"500"}, "currency": {"jpy"}, "source": {"tok_visa"}})
	s.post("/v1/refunds", url.Values{"charge": {charge.ID}, "amount": {"200"}})
	books := c.books("refunds")
	if books.Ledger["jpy"] != 300 || books.Captured["jpy"] != 300 || books.Charges != 1 || books.Refunds != 1 {
		t.Errorf("%+v", books)
	}
	if got := s.balance(); got != "300 jpy" {
		t.Errorf("the account stands at %s", got)
	}
	c.showsMoney("refunds", "¥300")
}

// sender posts for one owner, each time with a key of its own.
type sender struct {
	*stageClient
	owner string
}

// posted is what the tests read of a charge or a refund.
type posted struct {
	ID       string
	Amount   int64
	Captured int64 `json:"amount_captured"`
	Currency string
}

func (s *sender) post(path string, form url.Values) (made posted) {
	s.t.Helper()
	s.ask(http.MethodPost, path, form, http.StatusCreated, &made)
	return made
}

// balance is the owner's account in the books, in minor units.
func (s *sender) balance() string {
	s.t.Helper()
	var got struct {
		Available []struct {
			Amount   int64
			Currency string
		}
	}
	s.ask(http.MethodGet, "/v1/balance", nil, http.StatusOK, &got)
	var sums []string
	for _, sum := range got.Available {
		sums = append(sums, fmt.Sprint(sum.Amount, " ", sum.Currency))
	}
	return strings.Join(sums, ", ")
}

func (s *sender) ask(method, path string, form url.Values, status int, into any) {
	s.t.Helper()
	request, err := http.NewRequest(method, s.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer sk_test_"+s.owner)
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Idempotency-Key", path)
	}
	response, err := s.http.Do(request)
	s.decode(response, err, status, into)
}

// showsMoney looks for the owner's row on the page of the books: all that is
// shown there of the owner's money is this amount.
func (c *stageClient) showsMoney(owner, amount string) {
	c.t.Helper()
	response, err := c.http.Get(c.base + "/books")
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	_, row, found := strings.Cut(string(page), `<th scope="row">`+owner+`</th>`)
	row, _, _ = strings.Cut(row, "</tr>")
	if !found || strings.Count(row, amount+"<") != 2 { // our ledger says, the card was charged
		c.t.Errorf("%s: want %s twice in the row of the books: %s", owner, amount, row)
	}
}
