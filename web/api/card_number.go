package api

// holdsCardNumber reports whether a text contains what looks like a card
// number: 13 to 19 digits, in groups with separators between them, of a length
// and prefix that a card network issues and with a right check digit. A random
// number of 16 digits passes about once in fifty; better to refuse such an order
// number by its name than to store a card.
func holdsCardNumber(text string) bool { return holdsNumber(text, false) }

// holdsNumber is holdsCardNumber; wire says that the text may be in the escapes
// of a form, a URL or JSON.
func holdsNumber(text string, wire bool) bool {
	inGroup := false
	for start := 0; start < len(text); {
		kind, width := readGlyph(text[start:], wire)
		// A number begins where a group of digits does.
		if kind.isDigit() && !inGroup && startsWithCardNumber(text[start:], wire) {
			return true
		}
		inGroup = kind.isDigit()
		start += width
	}
	return false
}

// isCardNumberAlone reports whether a text is a card number and nothing else. It
// is for names that programs mint, such as keys: a UUID holds one by accident
// about once in forty thousand, and is none.
func isCardNumberAlone(text string) bool {
	var digits []byte
	for i := 0; i < len(text); {
		kind, width := readGlyph(text[i:], false)
		if kind.isDigit() {
			digits = append(digits, byte(kind))
		}
		if kind == glyphOther || len(digits) > maxCardDigits {
			return false
		}
		i += width
	}
	return isCardNumber(digits)
}

// startsWithCardNumber tries each end of a group: what follows a number, as in
// "4242 4242 4242 4242 12/34", must not hide it.
func startsWithCardNumber(text string, wire bool) bool {
	digits, gap := make([]byte, 0, maxCardDigits), 0
	for i := 0; i < len(text); {
		kind, width := readGlyph(text[i:], wire)
		i += width
		if !kind.isDigit() {
			if gap++; kind == glyphOther || gap > maxGap {
				return false
			}
			continue
		}
		if len(digits) == maxCardDigits {
			return false
		}
		gap, digits = 0, append(digits, byte(kind))
		if next, _ := readGlyph(text[i:], wire); !next.isDigit() && isCardNumber(digits) {
			return true
		}
	}
	return false
}

// maxCardDigits is the longest number that ISO/IEC 7812 allows.
const maxCardDigits = 19

// isCardNumber checks the network's prefix, its lengths and the check digit.
func isCardNumber(digits []byte) bool {
	if len(digits) < 13 {
		return false
	}
	prefix := 10*digits[0] + digits[1]
	switch length := len(digits); {
	case digits[0] == 4: // Visa
		return (length == 13 || length == 16 || length == 19) && luhn(digits)
	case prefix == 34, prefix == 37: // American Express
		return length == 15 && luhn(digits)
	case prefix == 30, prefix == 36, prefix == 38, prefix == 39: // Diners Club
		return length >= 14 && luhn(digits)
	case 51 <= prefix && prefix <= 55, 22 <= prefix && prefix <= 27, // Mastercard
		prefix == 35, prefix == 60, prefix == 62, prefix == 64, prefix == 65: // JCB, Discover, UnionPay
		return length >= 16 && luhn(digits)
	}
	return false
}

// luhn is the check of ISO/IEC 7812-1, annex B: from the right, every second
// digit counts double, and the sum of all digits is a multiple of ten.
func luhn(digits []byte) bool {
	sum := 0
	for i, digit := range digits {
		value := int(digit)
		if (len(digits)-i)%2 == 0 {
			value *= 2
		}
		sum += value/10 + value%10
	}
	return sum%10 == 0
}
