package api

import (
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf8"
)

// glyph is what one character is to a card number: the value of a digit, or one
// of the two below.
type glyph byte

const (
	glyphSeparator glyph = 10 + iota // stands between groups of digits
	glyphOther                       // ends a number
)

func (g glyph) isDigit() bool { return g < glyphSeparator }

// maxGap bounds the separators between two groups: two blanks, or a dash among
// blanks, in whatever escapes they take.
const maxGap = 8

// readGlyph reads the first character of a text and says how many bytes it
// takes, none at its end. On the wire that may be an escape of a form, a URL or
// JSON, which stands for as many as it decodes to; a byte of a longer character
// counts as a separator there, since most that people type are.
func readGlyph(text string, wire bool) (g glyph, width int) {
	if text == "" {
		return glyphOther, 0
	}
	if wire {
		if g, width = readEscape(text); width > 0 {
			return g, width
		}
	}
	r, width := utf8.DecodeRuneInString(text)
	return glyphOf(r), width
}

// glyphOf knows the digits and what people, and their word processors, write
// between the groups of a number: blanks and line ends of any kind, dashes,
// invisible characters, and . / _
func glyphOf(r rune) glyph {
	switch {
	case '0' <= r && r <= '9':
		return glyph(r - '0')
	case strings.ContainsRune("./_\u2212", r), unicode.In(r, unicode.White_Space, unicode.Pd, unicode.Cf):
		return glyphSeparator
	}
	return glyphOther
}

// readEscape reads %XX, +, \uXXXX and the line ends of JSON; width 0: there is
// none.
func readEscape(text string) (g glyph, width int) {
	digits := 0
	switch {
	case text[0] == '+', strings.HasPrefix(text, `\n`), strings.HasPrefix(text, `\r`), strings.HasPrefix(text, `\t`), strings.HasPrefix(text, `\/`):
		return glyphSeparator, min(len(text), 1+strings.Count(text[:1], `\`))
	case text[0] == '%':
		width, digits = 3, 2
	case strings.HasPrefix(text, `\u`):
		width, digits = 6, 4
	}
	if width == 0 || len(text) < width {
		return glyphOther, 0
	}
	bytes, err := hex.DecodeString(text[width-digits : width])
	if err != nil {
		return glyphOther, 0
	}
	r := rune(bytes[0])
	if len(bytes) == 2 {
		r = r<<8 | rune(bytes[1])
	} else if r >= utf8.RuneSelf {
		return glyphSeparator, width
	}
	return glyphOf(r), width
}
