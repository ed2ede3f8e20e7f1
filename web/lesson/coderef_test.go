package lesson

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"
)

// functions lists what is declared in a folder of this repository, under the
// names that [CodeRef] uses.
func functions(t *testing.T, repository fs.FS, folder string) map[string]bool {
	t.Helper()
	files, err := fs.Glob(repository, path.Join(folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		source, err := fs.ReadFile(repository, name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				names[nameOf(fn)] = true
			}
		}
	}
	return names
}

// nameOf is "claim", or of a method "(*Ledger).Charge" and "(Charge).Key".
func nameOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	switch of := fn.Recv.List[0].Type.(type) {
	case *ast.StarExpr:
		return fmt.Sprintf("(*%s).%s", of.X, fn.Name.Name)
	default:
		return fmt.Sprintf("(%s).%s", of, fn.Name.Name)
	}
}

func TestCodeReferencesPointAtFunctionsThatThereAre(t *testing.T) {
	repository := os.DirFS("../..")
	for _, l := range All() {
		for _, ref := range l.Code {
			if !functions(t, repository, ref.Package)[ref.Func] {
				t.Errorf("%s: %s has no function %s", l.ID, ref.Package, ref.Func)
			}
		}
	}
}

func TestThePackageSpeaksToTheRestThroughControlAlone(t *testing.T) {
	files, err := fs.Glob(os.DirFS("."), "*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			first, _, _ := strings.Cut(strings.Trim(spec.Path.Value, `"`), "/")
			if foreign := strings.Contains(first, "."); foreign || first == "chargeonce" && spec.Path.Value != `"chargeonce/web/control"` {
				t.Errorf("%s imports %s", name, spec.Path.Value)
			}
		}
	}
}
