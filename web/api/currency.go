package api

import (
	"strings"

	"chargeonce/ledger"
)

// currency reads an ISO 4217 code in lower case, the one form that is stored
// and fingerprinted. Another spelling of a known code is refused with the
// right one named: quietly folding it would make two requests out of one key.
func (p *params) currency(name string) string {
	code := p.text(name, 16)
	if code == "" {
		p.missing(name)
		return ""
	}
	if _, known := ledger.LookupCurrency(code); known {
		return code
	}
	normal := strings.ToLower(strings.TrimSpace(code))
	if _, known := ledger.LookupCurrency(normal); known {
		p.fail(CodeCurrencyInvalid, name, "Write the currency as %q: ISO 4217 in lower case.", normal)
	}
	p.fail(CodeCurrencyInvalid, name, "The parameter %q must be an ISO 4217 code in lower case, such as \"eur\".", name)
	return ""
}

// money writes an amount of minor units for people: 5000 eur is "50.00 EUR",
// 500 jpy is "500 JPY", 12345 kwd is "12.345 KWD".
func money(amount int64, code string) string {
	currency, _ := ledger.LookupCurrency(code)
	return currency.Format(amount) + " " + strings.ToUpper(code)
}
