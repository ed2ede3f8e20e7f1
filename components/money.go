package components

import (
	"strconv"
	"strings"
)

// exponents lists the currencies whose minor unit is not a hundredth, after
// ISO 4217, list one. Everything else has two digits.
var exponents = map[string]int{
	"bif": 0, "clp": 0, "djf": 0, "gnf": 0, "isk": 0, "jpy": 0, "kmf": 0, "krw": 0,
	"pyg": 0, "rwf": 0, "ugx": 0, "uyi": 0, "vnd": 0, "vuv": 0, "xaf": 0, "xof": 0, "xpf": 0,
	"bhd": 3, "iqd": 3, "jod": 3, "kwd": 3, "lyd": 3, "omr": 3, "tnd": 3,
	"clf": 4, "uyw": 4,
}

// symbols holds the signs that a room reads without thinking. A sign that
// several currencies share would hide which one moved, so the rest print
// their code.
var symbols = map[string]string{"eur": "€", "usd": "$", "gbp": "£", "jpy": "¥"}

// minus is the mathematical sign: as wide as a digit, and never a line break.
const minus = "\u2212"

// Money formats an amount in minor units of an ISO 4217 currency in either
// case: 5000 eur is "€50.00", 500 jpy is "¥500", 12345 kwd is "KWD 12.345".
// Digits are never rounded, so what is shown is what is stored. The page's
// script has a twin (money.js), held to the same table by the tests.
func Money(amount int64, currency string) string {
	code := strings.ToLower(strings.TrimSpace(currency))
	digits, sign := strconv.FormatInt(amount, 10), ""
	if strings.HasPrefix(digits, "-") {
		digits, sign = digits[1:], minus
	}
	return sign + prefix(code) + decimal(digits, exponent(code))
}

// exponent says how many digits of a currency stand behind the point.
func exponent(code string) int {
	if n, ok := exponents[code]; ok {
		return n
	}
	return 2
}

// prefix is the sign, or the code and a space; no currency has no prefix.
func prefix(code string) string {
	if sign, ok := symbols[code]; ok {
		return sign
	}
	if code == "" {
		return ""
	}
	return strings.ToUpper(code) + " "
}

// decimal sets the point into a string of digits and groups the whole part
// by threes.
func decimal(digits string, places int) string {
	if pad := places + 1 - len(digits); pad > 0 {
		digits = strings.Repeat("0", pad) + digits
	}
	whole, part := digits[:len(digits)-places], digits[len(digits)-places:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if part == "" {
		return whole
	}
	return whole + "." + part
}
