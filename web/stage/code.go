package stage

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strings"

	"chargeonce/components"
	"chargeonce/web/lesson"
)

// codeOf finds the functions that a lesson shows in the repository's own
// source, so that what stands beside a lesson is the code that runs. A nil
// source has nothing to show.
func codeOf(source fs.FS, refs []lesson.CodeRef) ([]components.Code, error) {
	if source == nil {
		return nil, nil
	}
	var all []components.Code
	for _, ref := range refs {
		code, err := findFunc(source, ref)
		if err != nil {
			return nil, err
		}
		all = append(all, code)
	}
	return all, nil
}

// findFunc looks through a package for a function. One that is not there is an
// error and no gap: the lesson would show less than it says.
func findFunc(source fs.FS, ref lesson.CodeRef) (components.Code, error) {
	names, err := fs.Glob(source, path.Join(ref.Package, "*.go"))
	if err != nil {
		return components.Code{}, fmt.Errorf("list the source of %s: %w", ref.Package, err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return components.Code{}, fmt.Errorf("read the source: %w", err)
		}
		if code, ok := cut(name, text, ref.Func); ok {
			code.Side, code.Name = string(ref.Side), ref.Func
			return code, nil
		}
	}
	return components.Code{}, fmt.Errorf("%w: %s in %s", errNoFunc, ref.Func, ref.Package)
}

// cut takes one function with its comment out of a file, as it stands there: a
// printer would only lay out again what gofmt has laid out already.
func cut(name string, text []byte, function string) (components.Code, bool) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return components.Code{}, false // what does not parse did not build, so it is not what runs
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || funcName(f) != function {
			continue
		}
		from := f.Pos()
		if f.Doc != nil {
			from = f.Doc.Pos()
		}
		begin, end := files.Position(from), files.Position(f.End())
		return components.Code{File: name, Line: begin.Line, Text: string(text[begin.Offset:end.Offset])}, true
	}
	return components.Code{}, false
}

// funcName spells a function as [lesson.CodeRef] does: "claim",
// "(*Ledger).Charge", "(Order).Letters".
func funcName(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return f.Name.Name
	}
	switch t := f.Recv.List[0].Type.(type) {
	case *ast.Ident:
		return "(" + t.Name + ")." + f.Name.Name
	case *ast.StarExpr:
		if name, ok := t.X.(*ast.Ident); ok {
			return "(*" + name.Name + ")." + f.Name.Name
		}
	}
	return ""
}
