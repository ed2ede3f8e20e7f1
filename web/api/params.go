package api

import (
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"chargeonce/idem"
)

// params hands out the parameters of one request by name and type, and builds
// their canonical form on the way: the same for a form and for JSON, so that a
// client may change its encoding between two attempts. The first fault stays;
// later reads go on with zero values, so that callers need no ladder of ifs.
//
// null and an absent parameter are the same. An empty text is not: where a
// number, a truth, an id or a word of a list is wanted it is refused by name,
// since a client that lost its amount on the way must not be taken for one that
// named none, and so wants all of it back. Only what may be any text (a
// description, the entries of metadata) may be empty, and means "nothing" there.
type params struct {
	body
	known     map[string]bool
	canonical idem.Params
	fault     *Problem
}

func newParams(decoded body) *params {
	return &params{body: decoded, known: map[string]bool{}, canonical: idem.Params{}}
}

// take marks a parameter as known and says whether it is there. One that is
// there and empty is none of the callers' business: it is refused with the code.
func (p *params) take(name string, code Code) (any, bool) {
	value, there := p.takeAny(name)
	if there && value == "" {
		p.fail(code, name, "The parameter %q is empty. Leave it out, or give it a value.", name)
		return nil, false
	}
	return value, there
}

// takeAny is take for what may be empty.
func (p *params) takeAny(name string) (any, bool) {
	p.known[name] = true
	value := p.tree[name]
	return value, value != nil
}

func (p *params) fail(code Code, name, format string, args ...any) {
	if p.fault == nil {
		p.fault = &Problem{Code: code, Param: name, Message: fmt.Sprintf(format, args...)}
	}
}

func (p *params) missing(name string) {
	p.fail(CodeParamMissing, name, "The parameter %q is required.", name)
}

// text reads a string of 1 to limit characters; absent: "".
func (p *params) text(name string, limit int) string {
	value, there := p.take(name, CodeParamInvalid)
	if !there {
		return ""
	}
	return p.bounded(name, value, limit)
}

// bounded reads a string of at most limit characters.
func (p *params) bounded(name string, value any, limit int) string {
	text, isText := value.(string)
	switch {
	case !isText:
		p.fail(CodeParamInvalid, name, "The parameter %q must be a string.", name)
		return ""
	case utf8.RuneCountInString(text) > limit:
		p.fail(CodeParamInvalid, name, "The parameter %q must have at most %d characters.", name, limit)
		return ""
	}
	p.canonical[name] = text
	return text
}

// wholeNumber is an integer as JSON and people write it, without a sign, a
// leading zero, a fraction or an exponent: one spelling for one number, since
// fingerprints count numbers as written.
var wholeNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,17})$`)

// integer reads a whole number from low to high; ok says that it was there.
func (p *params) integer(name string, low, high int64, code Code) (number int64, ok bool) {
	return p.number(name, wholeNumber, low, high, code)
}

func (p *params) number(name string, form *regexp.Regexp, low, high int64, code Code) (number int64, ok bool) {
	value, there := p.take(name, code)
	if !there {
		return 0, false
	}
	text, isText := value.(string)
	if written, isNumber := value.(json.Number); isNumber {
		text = written.String()
	}
	if p.typed && isText || !form.MatchString(text) {
		p.fail(code, name, "The parameter %q must be a whole number from %d to %d.", name, low, high)
		return 0, true
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < low || number > high {
		p.fail(code, name, "The parameter %q must be a whole number from %d to %d.", name, low, high)
		return 0, true
	}
	p.canonical[name] = text
	return number, true
}

// signedNumber is a wholeNumber that may be below zero; there is no "-0" and no
// "+1", for the same reason.
var signedNumber = regexp.MustCompile(`^(0|-?[1-9][0-9]{0,17})$`)

// signed reads a whole number from low to high that may be below zero.
func (p *params) signed(name string, low, high int64) (number int64, ok bool) {
	return p.number(name, signedNumber, low, high, CodeParamInvalid)
}

// boolean reads true or false; in a form in any case, because one SDK sends
// "True".
func (p *params) boolean(name string, absent bool) bool {
	value, there := p.take(name, CodeParamInvalid)
	if !there {
		return absent
	}
	truth, isTruth := value.(bool)
	if text, isText := value.(string); isText && !p.typed {
		truth = strings.EqualFold(text, "true")
		isTruth = truth || strings.EqualFold(text, "false")
	}
	if !isTruth {
		p.fail(CodeParamInvalid, name, "The parameter %q must be true or false.", name)
		return absent
	}
	p.canonical[name] = truth
	return truth
}

// finish returns the canonical form, or the refusal. An unknown parameter
// comes first: it is often the misspelt name of one that seems to be missing.
func (p *params) finish() (idem.Params, *Problem) {
	var unknown []string
	for name := range p.tree {
		if !p.known[name] {
			unknown = append(unknown, name)
		}
	}
	if unknown != nil {
		sort.Strings(unknown)
		name, what := printable(unknown[0]), "one of the parameters"
		if name != "" {
			what = "the parameter " + strconv.Quote(name)
		}
		return nil, &Problem{Code: CodeParamUnknown, Param: name, Message: "This endpoint does not know " + what + "."}
	}
	return p.canonical, p.fault
}

var plainName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,39}$`)

// printable gives back a parameter's name if it looks like one, else "".
// Anything else may be a card number or a secret in the wrong place, and is
// not repeated.
func printable(name string) string {
	if plainName.MatchString(name) && !holdsCardNumber(name) {
		return name
	}
	return ""
}
