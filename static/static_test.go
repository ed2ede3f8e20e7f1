package static

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// limit is what the whole front end may weigh, in bytes: a page that a room
// of phones loads at once from one laptop.
const limit = 150_000

func get(t *testing.T, method, url string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, httptest.NewRequest(method, url, nil))
	return w
}

func names(t *testing.T) []string {
	t.Helper()
	var out []string
	err := fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			out = append(out, name)
		}
		return err
	})
	if err != nil || len(out) == 0 {
		t.Fatalf("walk: %v, %d files", err, len(out))
	}
	return out
}

func TestEveryFileIsServedForEverWithItsType(t *testing.T) {
	for _, name := range names(t) {
		w := get(t, http.MethodGet, Path(name))
		if w.Code != http.StatusOK || w.Body.Len() == 0 {
			t.Errorf("%s: status %d, %d bytes", name, w.Code, w.Body.Len())
		}
		if got := w.Header().Get("Content-Type"); got != types[path.Ext(name)] {
			t.Errorf("%s: type %q", name, got)
		}
		if got := w.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: cache %q", name, got)
		}
	}
}

func TestOnlyTheCurrentHashIsServed(t *testing.T) {
	for _, url := range []string{
		"/static/000000000000/css/tokens.css",
		"/static/css/tokens.css",
		Path("css/none.css"),
		Path("css"),
		Path(""),
		Path("js/../css/tokens.css"),
		Path("static.go"),
	} {
		w := get(t, http.MethodGet, url)
		if w.Code != http.StatusNotFound || w.Header().Get("Cache-Control") != "" {
			t.Errorf("%s: status %d, cache %q", url, w.Code, w.Header().Get("Cache-Control"))
		}
	}
}

func TestOnlyReadingIsAllowed(t *testing.T) {
	if w := get(t, http.MethodPost, Path("css/tokens.css")); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST: %d", w.Code)
	}
	if w := get(t, http.MethodHead, Path("css/tokens.css")); w.Code != http.StatusOK {
		t.Errorf("HEAD: %d", w.Code)
	}
}

func TestTheHashMovesWithNamesAndContents(t *testing.T) {
	one := fstest.MapFS{"a.css": {Data: []byte("x")}, "b.css": {Data: []byte("y")}}
	same := fstest.MapFS{"b.css": {Data: []byte("y")}, "a.css": {Data: []byte("x")}}
	other := fstest.MapFS{"a.css": {Data: []byte("x")}, "b.css": {Data: []byte("z")}}
	renamed := fstest.MapFS{"a.css": {Data: []byte("x")}, "c.css": {Data: []byte("y")}}
	if hash(one) != hash(same) {
		t.Error("equal trees differ")
	}
	if hash(one) == hash(other) || hash(one) == hash(renamed) {
		t.Error("different trees are equal")
	}
}

func TestTheFrontEndStaysSmall(t *testing.T) {
	embedded, sent := 0, 0
	for _, name := range names(t) {
		body, err := tree.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		embedded += len(body)
		sent += len(lean(name, body))
	}
	if embedded > limit {
		t.Errorf("%d bytes, the limit is %d", embedded, limit)
	}
	t.Logf("%d of %d bytes are embedded, %d without comments are sent", embedded, limit, sent)
}

var (
	imports = regexp.MustCompile(`(?m)^(?:import|export)\b[^;]*?\bfrom\s+["']([^"']+)["']`)
	foreign = regexp.MustCompile(`(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}`)
)

func TestModulesImportOnlyFilesThatExist(t *testing.T) {
	for _, name := range names(t) {
		if path.Ext(name) != ".js" {
			continue
		}
		body, _ := tree.ReadFile(name)
		for _, found := range imports.FindAllStringSubmatch(string(body), -1) {
			if !strings.HasPrefix(found[1], "./") {
				t.Errorf("%s imports %q", name, found[1])
			}
			if _, err := fs.Stat(tree, path.Join(path.Dir(name), found[1])); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// The policy is default-src 'self': an address elsewhere would be refused,
// and so would a data: URL.
func TestNothingIsLoadedFromElsewhere(t *testing.T) {
	for _, name := range names(t) {
		body, _ := tree.ReadFile(name)
		for _, address := range foreign.FindAllString(string(body), -1) {
			if !strings.HasSuffix(address, "//www.w3.org") {
				t.Errorf("%s names %s", name, address)
			}
		}
		if strings.Contains(string(body), "data:image") || strings.Contains(string(body), "@import") {
			t.Errorf("%s holds a data: URL or an @import", name)
		}
	}
}
