package static

import (
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// Inline makes a page that refers to embedded files by [Path] independent of
// every server: each file becomes a data: URL (RFC 2397) in its place. Modules
// cannot find each other by relative names there, so they are given names of
// their own and an import map, which must stand before the first script: it is
// put right behind the page's <head>, after `head`. The page must come from
// this build's templates.
func Inline(page, head string) string {
	imports := make(map[string]string)
	var swaps []string
	for _, name := range files() {
		body, err := tree.ReadFile(name)
		if err != nil {
			panic("static: " + err.Error()) // the tree is embedded and was just walked
		}
		url := dataURL(name, rename(name, lean(name, body)))
		swaps = append(swaps, `"`+Path(name)+`"`, `"`+url+`"`)
		if path.Ext(name) == ".js" {
			imports[moduleName(name)] = url
		}
	}
	// HTML escaping keeps "</script" out of the map.
	table, _ := json.Marshal(map[string]any{"imports": imports})
	head += `<script type="importmap">` + string(table) + `</script>`
	page = strings.NewReplacer(swaps...).Replace(page)
	return strings.Replace(page, "<head>", "<head>"+head, 1)
}

// files are the names of all embedded files, sorted.
func files() (names []string) {
	// The tree is embedded, so the walk has nothing to complain about.
	_ = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			names = append(names, name)
		}
		return err
	})
	return names
}

// relative is how our modules name each other; a test keeps every import in
// this form.
var relative = regexp.MustCompile(`(['"])\./([\w-]+\.js)(['"])`)

// rename turns a module's relative imports into names of the import map. All
// modules live in one folder.
func rename(name string, body []byte) []byte {
	if path.Ext(name) != ".js" {
		return body
	}
	return relative.ReplaceAll(body, []byte("${1}"+moduleName("$2")+"${3}"))
}

// moduleName is a module's name in an import map.
func moduleName(name string) string { return "chargeonce/" + path.Base(name) }

// dataURL holds a whole file. Base64 needs no escaping in HTML or JSON.
func dataURL(name string, body []byte) string {
	return "data:" + strings.ReplaceAll(types[path.Ext(name)], " ", "") + ";base64," + base64.StdEncoding.EncodeToString(body)
}
