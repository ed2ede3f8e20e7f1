package api

import "strings"

// HideCardNumbers replaces the digits of whatever the API would refuse as a
// card number by "•". It serves those who show requests to people: the API
// never stores a card number, but its refusal comes after somebody's request
// was on the wire. A number that the end of the text cuts off cannot be told
// from another; see [HideCutNumber].
func HideCardNumbers(text string) string {
	if !holdsCardNumber(text) {
		return text
	}
	out := []byte(text)
	var hidden strings.Builder
	hidden.Grow(len(text))
	for i := 0; i < len(out); {
		begins := isDigit(out[i]) && (i == 0 || !isDigit(out[i-1]))
		if !begins || !startsWithCardNumber(text[i:]) {
			hidden.WriteByte(out[i])
			i++
			continue
		}
		// The whole run goes, whatever follows the number in it.
		for ; i < len(out) && (isDigit(out[i]) || isSeparator(out[i])); i++ {
			if isDigit(out[i]) {
				hidden.WriteString("•")
			} else {
				hidden.WriteByte(out[i])
			}
		}
	}
	return hidden.String()
}

// HideCutNumber hides a text's last digits, for a text of which only the
// beginning is there.
func HideCutNumber(text string) string {
	end := len(text)
	for end > 0 && (isDigit(text[end-1]) || isSeparator(text[end-1])) {
		end--
	}
	return text[:end] + strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '•'
		}
		return r
	}, text[end:])
}

// isSeparator is what people write between the groups of a number.
func isSeparator(c byte) bool { return c == ' ' || c == '-' }
