package api

import "strings"

// HideCardNumbers replaces the digits of whatever the API would refuse as a
// card number by "•", also in the escapes of a form, a URL or JSON. It serves
// those who show requests to people: the API never stores a card number, but
// its refusal comes after somebody's request was on the wire. A number that the
// end of the text cuts off cannot be told from another; see [HideCutNumber].
func HideCardNumbers(text string) string {
	if !holdsNumber(text, true) {
		return text
	}
	var hidden strings.Builder
	hidden.Grow(len(text))
	inGroup := false
	for i := 0; i < len(text); {
		kind, width := readGlyph(text[i:], true)
		if kind.isDigit() && !inGroup && startsWithCardNumber(text[i:], true) {
			i += hideRun(&hidden, text[i:])
			continue
		}
		inGroup = kind.isDigit()
		hidden.WriteString(text[i : i+width])
		i += width
	}
	return hidden.String()
}

// hideRun hides the digits of the run that a text begins with, whatever follows
// the number in it, and says how long the run is.
func hideRun(hidden *strings.Builder, text string) (length int) {
	for length < len(text) {
		kind, width := readGlyph(text[length:], true)
		switch {
		case kind == glyphOther:
			return length
		case kind.isDigit():
			hidden.WriteString("•")
		default:
			hidden.WriteString(text[length : length+width])
		}
		length += width
	}
	return length
}

// HideCutNumber hides a text's last digits, for a text of which only the
// beginning is there. An escape that is cut off itself is part of their run.
func HideCutNumber(text string) string {
	whole := text
	if at := strings.LastIndexAny(text, `%\`); at >= 0 && len(text)-at < len(`\u0000`) {
		whole = text[:at]
	}
	begin, run := len(whole), false
	for i := 0; i < len(whole); {
		kind, width := readGlyph(whole[i:], true)
		if kind != glyphOther && !run {
			begin = i
		}
		run = kind != glyphOther
		i += width
	}
	if !run {
		begin = len(whole)
	}
	var hidden strings.Builder
	hidden.WriteString(whole[:begin])
	hideRun(&hidden, whole[begin:])
	return hidden.String() + maskDigits(text[len(whole):])
}

func maskDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if glyphOf(r).isDigit() {
			return '•'
		}
		return r
	}, text)
}

// IsCardNumber reports whether a text is a card number and nothing else, as the
// API refuses it for a key, an owner, a cart or a SKU. It serves those who note
// such names before the API has seen them.
func IsCardNumber(text string) bool { return isCardNumberAlone(text) }
