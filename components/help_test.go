package components

import (
	"regexp"
	"strings"
	"testing"
)

func sampleErrors(text string) Errors {
	return Errors{Page: onePage(text), Parts: []ErrorPart{{Head: text, Errors: []ErrorEntry{
		{Code: text, Status: 409, Title: text, Happened: text, Do: text, Retry: true},
	}}}}
}

func TestEveryShapeOfTheLegendIsExplainedOnce(t *testing.T) {
	defined := render(t, shapes())
	seen := map[string]bool{}
	for _, m := range marks() {
		if m.means == "" || seen[m.shape] {
			t.Errorf("%s: %q, explained before: %v", m.shape, m.means, seen[m.shape])
		}
		if !strings.Contains(defined, `id="s-`+m.shape+`"`) {
			t.Errorf("there is no shape %s", m.shape)
		}
		seen[m.shape] = true
	}
	for outcome := range explained {
		if !seen[outcome] {
			t.Errorf("%s is explained, and is not in the legend", outcome)
		}
	}
}

var keyNames = regexp.MustCompile(`data-keys="([^"]+)"`)

// pressed are the keys that some page's buttons name.
func pressed(pages map[string]string) map[string]bool {
	names := make(map[string]bool)
	for _, html := range pages {
		for _, found := range keyNames.FindAllStringSubmatch(html, -1) {
			for name := range strings.FieldsSeq(found[1]) {
				names[name] = true
			}
		}
	}
	return names
}

// The keys press buttons, so the buttons say which keys there are. The script
// gives a sheet's button its key, which no page holds.
func TestHelpListsTheKeysOfTheButtonsAndNoOthers(t *testing.T) {
	for _, test := range []struct {
		where string
		keys  []shortcut
		pages map[string]string
	}{
		{"a lesson", lessonKeys, lessonPages(t, "Some text")},
		{"the panel", panelKeys, pages(t, "Some text")},
	} {
		there, listed := pressed(test.pages), map[string]bool{"escape": true}
		for _, key := range test.keys {
			for name := range strings.FieldsSeq(key.names) {
				listed[name] = true
				if !there[name] && name != "escape" && !strings.Contains("1 2 3 4", name) {
					t.Errorf("%s has no button for the key %s", test.where, name)
				}
			}
		}
		for name := range there {
			if !listed[name] {
				t.Errorf("the key %s of %s is not in the help", name, test.where)
			}
		}
	}
	html := render(t, HelpPage(onePage("Help")))
	if n := strings.Count(html, "<kbd"); n != len(lessonKeys)+len(panelKeys) {
		t.Errorf("%d of %d keys are shown", n, len(lessonKeys)+len(panelKeys))
	}
}

// Retries are attempts, and a timeout is no failure, wherever words are given.
func TestTheGlossaryUsesTheFieldsWords(t *testing.T) {
	wrong := regexp.MustCompile(`(?i)retry 1|first retry|timed out and failed|idempotency token`)
	for _, page := range []string{render(t, HelpPage(onePage("Help"))), render(t, ErrorsPage(sampleErrors("x")))} {
		if found := wrong.FindString(page); found != "" {
			t.Errorf("it says %q", found)
		}
	}
	for _, word := range []string{
		"idempotency key", "fingerprint", "record", "claim", "lease", "fence", "recovery point", "replay", "conflict", "busy", "retention",
		"tombstone", "charge", "refund", "capture", "posting", "minor units", "outbox", "webhook", "attempt", "retry budget", "circuit breaker",
	} {
		found := false
		for _, term := range glossary {
			found = found || term.name == word && term.means != ""
		}
		if !found {
			t.Errorf("%s is not explained", word)
		}
	}
}

var headings = regexp.MustCompile(`<h([1-6])`)

func TestHeadingsNeverSkipALevel(t *testing.T) {
	for name, html := range map[string]string{
		"help": render(t, HelpPage(onePage("x"))), "errors": render(t, ErrorsPage(sampleErrors("x"))),
		"connect": render(t, ConnectPage(sampleConnect("x"))), "books": render(t, BooksPage(sampleBooks("x"))),
		"keys": render(t, KeysPage(sampleKeys("x"))),
	} {
		last := "0"
		for _, found := range headings.FindAllStringSubmatch(html, -1) {
			if found[1] > last && found[1][0] != last[0]+1 {
				t.Errorf("%s: a heading %s follows a heading %s", name, found[1], last)
			}
			last = found[1]
		}
	}
}
