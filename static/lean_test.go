package static

import (
	"bytes"
	"path"
	"strings"
	"testing"
)

func TestCommentsAndIndentationAreNotSent(t *testing.T) {
	for _, test := range []struct{ name, body, want string }{
		{"a.js", "// one\nconst a = 1; // stays\n", "const a = 1; // stays\n"},
		{"a.js", "/** two\n * lines */\nexport const b = '// no';\n", "export const b = '// no';\n"},
		{"a.js", "function c() {\n  /* all of it */\n  return 6 / 2;\n}\n", "function c() {\nreturn 6 / 2;\n}\n"},
		{"a.js", "const d = 2\n  * 3;\n", "const d = 2\n* 3;\n"},
		{"a.css", "/* one */\n\na { color: red; } /* stays */\n  /* two\n  lines */\nb { top: 0; }\n", "a { color: red; } /* stays */\nb { top: 0; }\n"},
		{"a.css", "//a { top: 0; }\n", "//a { top: 0; }\n"},
		{"a.svg", "  <svg/>\n", "  <svg/>\n"},
	} {
		if got := string(lean(test.name, []byte(test.body))); got != test.want {
			t.Errorf("%q is sent as %q, want %q", test.body, got, test.want)
		}
	}
}

// What lean relies on: no string reaches over the end of a line, and a block
// comment that begins a line has the rest of its last line for itself.
func TestNothingReachesOverTheEndOfALine(t *testing.T) {
	for _, name := range names(t) {
		body, _ := tree.ReadFile(name)
		if path.Ext(name) != ".js" && path.Ext(name) != ".css" {
			continue
		}
		for i, line := range strings.Split(string(body), "\n") {
			if strings.Count(line, "`")%2 != 0 || strings.HasSuffix(line, "\\") {
				t.Errorf("%s:%d: a string reaches over the end of the line", name, i+1)
			}
			if _, rest, found := strings.Cut(line, "*/"); found && strings.HasPrefix(strings.TrimSpace(line), "*") && strings.TrimSpace(rest) != "" {
				t.Errorf("%s:%d: there is code behind a comment of several lines", name, i+1)
			}
		}
		if sent := lean(name, body); len(sent) == 0 || bytes.Contains(sent, []byte("\n\n")) {
			t.Errorf("%s: %d bytes are sent", name, len(sent))
		}
	}
}
