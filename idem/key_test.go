package idem_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"chargeonce/idem"
)

func TestParseKeyTakesTheValueAsSent(t *testing.T) {
	longest := strings.Repeat("k", idem.MaxKeyLength)
	for _, row := range []struct{ name, line, want string }{
		{"one character", "a", "a"},
		{"case is kept", "AbC", "AbC"},
		{"every visible character", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~", "!#$%&'()*+,-./:;<=>?@[]^_`{|}~"},
		{"the longest", longest, longest},
		{"the draft's quoted form", `"abc"`, "abc"},
		{"a quoted quote and backslash", `"a\"b\\c"`, `a"b\c`},
		{"the longest, quoted", `"` + longest + `"`, longest},
		{"a quote inside the plain form", `a"b`, `a"b`},
		{"a backslash inside the plain form", `a\b`, `a\b`},
	} {
		t.Run(row.name, func(t *testing.T) {
			key, err := idem.ParseKey("shop", []string{row.line})
			if err != nil {
				t.Fatalf("ParseKey: %v", err)
			}
			if want := (idem.Key{Owner: "shop", Value: row.want}); key != want {
				t.Errorf("got %q, want %q", key.Value, want.Value)
			}
		})
	}
}

func TestParseKeyRefusesWhatIsNotOneKey(t *testing.T) {
	for _, row := range []struct {
		name  string
		lines []string
		want  error
	}{
		{"no line", nil, idem.ErrKeyMissing},
		{"two lines", []string{"a", "b"}, idem.ErrKeyInvalid},
		{"two equal lines", []string{"a", "a"}, idem.ErrKeyInvalid},
		{"empty", []string{""}, idem.ErrKeyInvalid},
		{"quoted and empty", []string{`""`}, idem.ErrKeyInvalid},
		{"a space", []string{" "}, idem.ErrKeyInvalid},
		{"a space at the end, not trimmed", []string{"a "}, idem.ErrKeyInvalid},
		{"a quoted space", []string{`"a b"`}, idem.ErrKeyInvalid},
		{"a tab", []string{"\t"}, idem.ErrKeyInvalid},
		{"a control character", []string{"a\x00"}, idem.ErrKeyInvalid},
		{"delete", []string{"a\x7f"}, idem.ErrKeyInvalid},
		{"not ASCII", []string{"schlüssel"}, idem.ErrKeyInvalid},
		{"two lines folded into one", []string{"a, b"}, idem.ErrKeyInvalid},
		{"one byte too long", []string{strings.Repeat("k", idem.MaxKeyLength+1)}, idem.ErrKeyInvalid},
		{"70 kB", []string{strings.Repeat("k", 70<<10)}, idem.ErrKeyInvalid},
		{"one byte too long, quoted", []string{`"` + strings.Repeat("k", idem.MaxKeyLength+1) + `"`}, idem.ErrKeyInvalid},
		{"a lone quote", []string{`"`}, idem.ErrKeyInvalid},
		{"an open quote", []string{`"abc`}, idem.ErrKeyInvalid},
		{"a quote that ends early", []string{`"a"b"`}, idem.ErrKeyInvalid},
		{"parameters after the quoted form", []string{`"abc";q=1`}, idem.ErrKeyInvalid},
		{"an escape of nothing", []string{`"abc\"`}, idem.ErrKeyInvalid},
		{"an escape of a letter", []string{`"a\bc"`}, idem.ErrKeyInvalid},
	} {
		t.Run(row.name, func(t *testing.T) {
			key, err := idem.ParseKey("shop", row.lines)
			if !errors.Is(err, row.want) {
				t.Errorf("got error %v, want %v", err, row.want)
			}
			if key != (idem.Key{}) {
				t.Errorf("a refused key came back: %q", key.Value)
			}
		})
	}
}

func TestParseKeyRefusesAnOwnerBeforeItLooksAtTheKey(t *testing.T) {
	for _, owner := range []string{"", "a:b", "a/b", "a b", "ä", "a\n", strings.Repeat("o", idem.MaxOwnerLength+1)} {
		if _, err := idem.ParseKey(owner, nil); !errors.Is(err, idem.ErrOwnerInvalid) {
			t.Errorf("owner %q: got %v, want %v", owner, err, idem.ErrOwnerInvalid)
		}
	}
	for _, owner := range []string{"a", "Shop_9-x", strings.Repeat("o", idem.MaxOwnerLength)} {
		if _, err := idem.ParseKey(owner, []string{"k"}); err != nil {
			t.Errorf("owner %q: %v", owner, err)
		}
	}
}

func TestKeyIDsDifferWhereverThePartsDiffer(t *testing.T) {
	seen := make(map[string]idem.Key)
	cut := strings.Repeat("k", 300)
	for _, key := range []idem.Key{
		{Owner: "a", Value: "b"},
		{Owner: "b", Value: "a"},
		{Owner: "a", Value: "B"},
		{Owner: "a:b", Value: "c"},
		{Owner: "a", Value: "b:c"},
		{Owner: "ab", Value: ":c"},
		{Owner: "", Value: "ab"},
		{Owner: "ab", Value: ""},
		{Owner: "a", Value: cut + "1"},
		{Owner: "a", Value: cut + "2"},
	} {
		id := key.ID()
		if id != key.ID() {
			t.Errorf("the identity of %#v is not stable", key)
		}
		if other, taken := seen[string(id[:])]; taken {
			t.Errorf("%#v and %#v share an identity", key, other)
		}
		seen[string(id[:])] = key
	}
}

func TestKeyIsNeverPrintedWhole(t *testing.T) {
	const secret = "ada@example.org-order-1"
	key := idem.Key{Owner: "shop", Value: secret}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("busy", "key", key)
	slog.New(slog.NewTextHandler(&log, nil)).Info("busy", "key", key)
	_, parseErr := idem.ParseKey("shop", []string{secret + " "})
	printed := fmt.Sprintf("%v %+v %s %v %s", key, key, key, parseErr, log.String())
	if strings.Contains(printed, "ada") {
		t.Errorf("the key's value shows in %s", printed)
	}
	if want := "shop/#"; !strings.HasPrefix(key.String(), want) {
		t.Errorf("%s does not name the owner", key)
	}
	if (idem.Key{Owner: "shop", Value: "another"}).String() == key.String() {
		t.Error("two keys print alike")
	}
}
