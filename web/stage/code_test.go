package stage

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
)

// repository is the source as a checkout has it.
func repository() fs.FS { return os.DirFS("../..") }

func TestEveryFunctionThatALessonShowsExists(t *testing.T) {
	embedded, err := fs.ReadFile(repository(), "main.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lesson.All() {
		code, err := codeOf(repository(), l.Code)
		if err != nil {
			t.Errorf("%s: %v", l.ID, err)
			continue
		}
		if len(code) != len(l.Code) || len(code) == 0 {
			t.Errorf("%s shows %d of %d functions", l.ID, len(code), len(l.Code))
		}
		for i, c := range code {
			ref := l.Code[i]
			if !strings.Contains(string(embedded), " "+ref.Package+"/*.go") {
				t.Errorf("%s: %s is not embedded in the binary", l.ID, ref.Package)
			}
			name := ref.Func[strings.LastIndexAny(ref.Func, ".")+1:]
			if !strings.Contains(c.Text, name+"(") || !strings.HasSuffix(c.Text, "}") || c.Side != string(ref.Side) || c.Name != ref.Func {
				t.Errorf("%s: %s is shown as %+v", l.ID, ref.Func, c)
			}
			if c.Line < 1 || !strings.HasPrefix(c.File, ref.Package+"/") {
				t.Errorf("%s: %s stands in %s:%d", l.ID, ref.Func, c.File, c.Line)
			}
		}
	}
}

var library = fstest.MapFS{
	"box/a.go":      {Data: []byte("package box\n\n// Put puts.\nfunc Put() { put() }\n\nfunc put() {}\n")},
	"box/b.go":      {Data: []byte("package box\n\ntype Box struct{}\n\n// Open opens.\n// It may fail.\nfunc (b *Box) Open() error {\n\treturn nil // for now\n}\n\nfunc (Box) Put() {}\n")},
	"box/c_test.go": {Data: []byte("package box\n\nfunc only() {}\n")},
	"box/broken.go": {Data: []byte("package box\n\nfunc broken() {\n")},
}

func TestAFunctionIsShownAsItsFileHasIt(t *testing.T) {
	for _, test := range []struct{ name, file, text string }{
		{"Put", "box/a.go", "// Put puts.\nfunc Put() { put() }"},
		{"put", "box/a.go", "func put() {}"},
		{"(*Box).Open", "box/b.go", "// Open opens.\n// It may fail.\nfunc (b *Box) Open() error {\n\treturn nil // for now\n}"},
		{"(Box).Put", "box/b.go", "func (Box) Put() {}"},
	} {
		code, err := codeOf(library, []lesson.CodeRef{{Side: control.Safe, Package: "box", Func: test.name}})
		if err != nil || len(code) != 1 {
			t.Fatalf("%s: %d, %v", test.name, len(code), err)
		}
		if got := code[0]; got.Text != test.text || got.File != test.file || got.Side != "safe" {
			t.Errorf("%s is shown as %+v", test.name, got)
		}
	}
	code, err := codeOf(library, []lesson.CodeRef{{Package: "box", Func: "(*Box).Open"}})
	if err != nil || code[0].Line != 5 {
		t.Errorf("line %d, want that of the comment: %v", code[0].Line, err)
	}
}

func TestWhatIsNotThereIsNotShown(t *testing.T) {
	for _, name := range []string{"only", "broken", "(*Box).Put", "(Box).Open", "Box.Put", "nothing"} {
		if code, err := codeOf(library, []lesson.CodeRef{{Package: "box", Func: name}}); !errors.Is(err, errNoFunc) {
			t.Errorf("%s: %+v, %v", name, code, err)
		}
	}
	if _, err := codeOf(library, []lesson.CodeRef{{Package: "elsewhere", Func: "Put"}}); !errors.Is(err, errNoFunc) {
		t.Errorf("a folder that does not exist: %v", err)
	}
	if _, err := codeOf(library, []lesson.CodeRef{{Package: "[", Func: "Put"}}); err == nil {
		t.Error("a folder that cannot be listed is no error")
	}
	if code, err := codeOf(nil, []lesson.CodeRef{{Package: "box", Func: "Put"}}); code != nil || err != nil {
		t.Errorf("without a source: %+v, %v", code, err)
	}
}
