package static

import (
	"encoding/base64"
	"encoding/json"
	"path"
	"strings"
	"testing"
)

// inlined is a page with one of each kind, and its import map.
func inlined(t *testing.T) (page string, modules map[string]string) {
	t.Helper()
	page = Inline(`<html><head><link href="`+Path("css/tokens.css")+`"><script src="`+Path("js/theme.js")+`"></script>`+
		`<script type="module" src="`+Path("js/main.js")+`"></script></head></html>`, "<!-- first -->")
	_, rest, _ := strings.Cut(page, `<script type="importmap">`)
	table, _, found := strings.Cut(rest, "</script>")
	if !found {
		t.Fatal(page)
	}
	var parsed struct{ Imports map[string]string }
	if err := json.Unmarshal([]byte(table), &parsed); err != nil {
		t.Fatal(err)
	}
	return page, parsed.Imports
}

func decode(t *testing.T, url string) string {
	t.Helper()
	_, text, found := strings.Cut(url, ";base64,")
	body, err := base64.StdEncoding.DecodeString(text)
	if err != nil || !found {
		t.Fatalf("%.60s: %v", url, err)
	}
	return string(body)
}

func TestAnInlinedPageRefersToNoServer(t *testing.T) {
	page, _ := inlined(t)
	if strings.Contains(page, "/static/") {
		t.Error("a file is still asked for")
	}
	if strings.Count(page, "<head><!-- first --><script type=\"importmap\">") != 1 {
		t.Error("the import map must come before every script, once")
	}
	for _, kind := range []string{`href="data:text/css;charset=utf-8;base64,`, `src="data:text/javascript;charset=utf-8;base64,`} {
		if !strings.Contains(page, kind) {
			t.Errorf("no %s", kind)
		}
	}
}

// A module in a data: URL has no folder, so a relative name leads nowhere.
func TestEveryInlinedModuleFindsWhatItImports(t *testing.T) {
	_, modules := inlined(t)
	for _, name := range names(t) {
		if path.Ext(name) != ".js" {
			continue
		}
		code := decode(t, modules["chargeonce/"+path.Base(name)])
		if strings.Contains(code, "'./") || strings.Contains(code, `"./`) {
			t.Errorf("%s imports a relative name", name)
		}
		for _, part := range strings.Split(code, "'chargeonce/")[1:] {
			imported, _, _ := strings.Cut(part, "'")
			if modules["chargeonce/"+imported] == "" {
				t.Errorf("%s imports %s, which is not there", name, imported)
			}
		}
		body, _ := tree.ReadFile(name)
		if strings.Count(code, "chargeonce/") != strings.Count(string(lean(name, body)), "./") {
			t.Errorf("%s: not every import was renamed", name)
		}
	}
}
