package api

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// Stripe's bounds (https://docs.stripe.com/api/metadata).
const (
	maxMetadata      = 50  // entries
	maxMetadataName  = 40  // characters
	maxMetadataValue = 500 // characters
)

// metadata reads a flat map of strings. In JSON every value must be a string.
// An entry that is null or empty is left out: that is how a form, and Stripe,
// say "unset". An empty text instead of the map unsets all of it.
func (p *params) metadata(name string) map[string]string {
	value, there := p.takeAny(name)
	if !there || value == "" {
		return nil
	}
	entries, ok := p.group(value)
	if !ok {
		p.fail(CodeParamInvalid, name, "The parameter %q must be a map of strings.", name)
		return nil
	}
	if len(entries) > maxMetadata {
		p.fail(CodeParamInvalid, name, "The parameter %q must have at most %d entries.", name, maxMetadata)
		return nil
	}
	texts, canonical := map[string]string{}, map[string]any{}
	for entry, value := range entries {
		text, isText := value.(string)
		if !isText && value != nil {
			p.fail(CodeParamInvalid, name, "Each value of %q must be a string%s.", name, p.hint(value))
			return nil
		}
		if entry == "" || utf8.RuneCountInString(entry) > maxMetadataName || utf8.RuneCountInString(text) > maxMetadataValue {
			p.fail(CodeParamInvalid, name, "Each entry of %q must have a name of 1 to %d characters and a value of at most %d.",
				name, maxMetadataName, maxMetadataValue)
			return nil
		}
		if holdsCardNumber(entry) || holdsCardNumber(text) {
			p.fail(CodeCardNumber, name, "An entry of %q looks like a card number. It was not stored.", name)
			return nil
		}
		if text != "" {
			texts[entry], canonical[entry] = text, text
		}
	}
	p.canonical[name] = canonical
	return texts
}

// group gives the entries of a map. A form cannot tell metadata[0]=x from a
// list; where a map is wanted it is the map {"0":"x"}, as JSON would say it.
func (p *params) group(value any) (map[string]any, bool) {
	list, isList := value.([]any)
	if !isList || p.typed {
		entries, isMap := value.(map[string]any)
		return entries, isMap
	}
	entries := make(map[string]any, len(list))
	for i, item := range list {
		entries[strconv.Itoa(i)] = item
	}
	return entries, true
}

func (p *params) hint(value any) string {
	if _, isNumber := value.(json.Number); isNumber {
		return "; write the number in quotes"
	}
	return ""
}
