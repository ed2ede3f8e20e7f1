package stage

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"chargeonce/web/api"
)

func helpStage() http.Handler {
	s := &Stage{options: Options{Log: io.Discard}}
	mux := http.NewServeMux()
	s.pages(mux)
	return mux
}

// refusedIn finds the codes that a package's source gives to a function which
// builds a refusal; they are written out there.
func refusedIn(t *testing.T, folder, function string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", folder, len(files), err)
	}
	codes := make(map[string]bool)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if callee, ok := call.Fun.(*ast.Ident); !ok || callee.Name != function {
				return true
			}
			for _, argument := range call.Args[:3] { // the status, and the code somewhere about it
				if literal, ok := argument.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					code, err := strconv.Unquote(literal.Value)
					if err == nil && !strings.ContainsAny(code, " .") {
						codes[code] = true
					}
				}
			}
			return true
		})
	}
	if len(codes) < 3 {
		t.Fatalf("%s: %s refuses with no more than %v", folder, function, codes)
	}
	return codes
}

func TestEveryCodeOfAnAnswerHasAnEntryToWhichItsTypeLeads(t *testing.T) {
	status, html, _ := visit(t, helpStage(), "/help/errors")
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	codes := refusedIn(t, ".", "refuse")
	for code := range refusedIn(t, "../network", "refusal") {
		codes[code] = true
	}
	for _, r := range api.Refusals() {
		codes[string(r.Code)] = true
	}
	for code := range codes {
		if n := strings.Count(html, `id="`+code+`"`); n != 1 {
			t.Errorf("%s: %d places on the page", code, n)
		}
		if words := advised[code]; words.happened == "" || words.do == "" {
			t.Errorf("%s: what happened and what to do: %+v", code, words)
		}
	}
	for code := range advised {
		if !codes[code] {
			t.Errorf("%s is explained, and nothing answers it", code)
		}
	}
}

func TestTheEntrySaysWhetherToRetryAsTheAnswerDoes(t *testing.T) {
	for _, refusals := range [][]api.Refusal{api.Refusals(), stageRefusals} {
		for _, entry := range errorEntries(refusals) {
			if advice := strings.HasPrefix(entry.Do, "Send the same request with the same key, after"); advice != entry.Retry {
				t.Errorf("%s: to be retried %v, and the advice is %q", entry.Code, entry.Retry, entry.Do)
			}
		}
	}
}

func TestHelpHasTheSectionsThatPagesLeadTo(t *testing.T) {
	status, html, _ := visit(t, helpStage(), "/help")
	for _, id := range []string{"legend", "keys", "glossary", "errors"} {
		if !strings.Contains(html, `<section id="`+id+`"`) || status != http.StatusOK {
			t.Errorf("status %d, no section %s", status, id)
		}
	}
	if !strings.Contains(html, `href="/help/errors"`) {
		t.Error("nothing leads to the errors")
	}
}
