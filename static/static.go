// Package static holds what the pages load beside their HTML: style sheets,
// ES modules and the icon, embedded in the binary. Nothing is loaded from
// elsewhere. All functions may be called concurrently.
package static

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed css js favicon.svg
var tree embed.FS

// root is the prefix of every URL: one hash over the whole tree, so that
// modules find each other by relative names and a page never mixes two
// versions.
var root = "/static/" + hash(tree) + "/"

// types gives each ending its media type. The system's own table is not
// asked, since it differs between machines and a module with a wrong type
// does not run.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// Path is the URL of an embedded file by its name below this folder:
// "css/stage.css". It does not say whether the file exists; Handler answers
// 404 where it does not.
func Path(name string) string {
	return root + name
}

// Handler serves "/static/". A URL with the current hash never changes its
// content, so it may be kept for ever (RFC 8246); any other is 404, and a
// stale page then asks for its own address again.
func Handler() http.Handler {
	return http.HandlerFunc(serve)
}

func serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	name, found := strings.CutPrefix(r.URL.Path, root)
	kind, known := types[path.Ext(name)]
	if !found || !known {
		http.NotFound(w, r)
		return
	}
	body, err := tree.ReadFile(name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(lean(name, body)) // the client has gone: nobody is left to tell
}

// hash covers the name and the content of every file, in the walk's sorted
// order. Twelve digits are plenty to tell builds apart.
func hash(files fs.FS) string {
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		body, err := fs.ReadFile(files, name)
		_, _ = sum.Write([]byte(name + "\x00"))
		_, _ = sum.Write(append(body, 0))
		return err
	})
	if err != nil {
		panic("static: the embedded tree is unreadable: " + err.Error()) // cannot happen outside a broken build
	}
	return hex.EncodeToString(sum.Sum(nil))[:12]
}
