package ledger

import (
	"strconv"
	"strings"
)

// Currency is an active ISO 4217 currency with its own exponent: amounts are
// whole minor units, and what a minor unit is differs (5000 is €50.00, ¥5000
// and KWD 5.000). To assume two decimals charges yen a hundredfold.
type Currency struct {
	Code     string // lower case: "eur"
	Exponent int    // decimals of the major unit: 0, 2, 3 or 4
}

// Currencies by exponent. Source: ISO 4217, list one, without the codes that
// have no minor unit (metals, special drawing rights, tests) and without the
// funds codes, which no card is charged in.
const (
	exponent0 = "bif clp djf gnf isk jpy kmf krw pyg rwf ugx vnd vuv xaf xof xpf"
	exponent2 = "aed afn all amd aoa ars aud awg azn bam bbd bdt bmd bnd bob brl bsd btn bwp byn bzd " +
		"cad cdf chf cny cop crc cup cve czk dkk dop dzd egp ern etb eur fjd fkp gbp gel ghs gip gmd gtq gyd " +
		"hkd hnl htg huf idr ils inr irr jmd kes kgs khr kpw kyd kzt lak lbp lkr lrd lsl " +
		"mad mdl mga mkd mmk mnt mop mru mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd " +
		"pab pen pgk php pkr pln qar ron rsd rub sar sbd scr sdg sek sgd shp sle sos srd ssp stn svc syp szl " +
		"thb tjs tmt top try ttd twd tzs uah usd uyu uzs ved ves wst xcd xcg yer zar zmw zwg"
	exponent3 = "bhd iqd jod kwd lyd omr tnd"
)

// currencies is built once and only read afterwards.
var currencies = func() map[string]Currency {
	table := make(map[string]Currency)
	for exponent, codes := range map[int]string{0: exponent0, 2: exponent2, 3: exponent3} {
		for _, code := range strings.Fields(codes) {
			table[code] = Currency{Code: code, Exponent: exponent}
		}
	}
	return table
}()

// LookupCurrency finds a currency by its code in lower case, and only so: the
// caller decides whether other spellings are the same request.
func LookupCurrency(code string) (Currency, bool) {
	currency, ok := currencies[code]
	return currency, ok
}

// Format writes an amount of minor units with the currency's decimals and no
// rounding: 12345 is "12.345" in KWD, "123.45" in EUR, "12345" in JPY.
func (c Currency) Format(minor int64) string {
	sign := ""
	digits := strconv.FormatInt(minor, 10)
	if minor < 0 {
		sign, digits = "-", digits[1:] // by text: the smallest int64 has no positive twin
	}
	if c.Exponent == 0 {
		return sign + digits
	}
	if missing := c.Exponent + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	point := len(digits) - c.Exponent
	return sign + digits[:point] + "." + digits[point:]
}
