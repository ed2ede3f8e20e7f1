package tests

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// arrows is who may import whom among our packages: the table of the
// architecture. "*" allows everything of ours. Packages that exist and are not
// here fail the test, so a new folder gets its line.
var arrows = map[string][]string{
	"idem":              {},
	"idem/idemtest":     {"idem"},
	"retrypolicy":       {},
	"ledger":            {"idem", "ledger/badgerdb"},
	"ledger/ledgertest": {"idem", "ledger", "ledger/badgerdb"},
	"ledger/badgerdb":   {"idem"},
	"web/api":           {"ledger", "ledger/badgerdb", "idem", "retrypolicy", "web/control"},
	"web/provider":      {"idem", "ledger/badgerdb"},
	"web/network":       {},
	"web/shop":          {"retrypolicy", "idem", "ledger/badgerdb"},
	"web/control":       {},
	"web/lesson":        {"web/control"},
	"web/naive":         {"idem", "ledger", "retrypolicy", "web/api", "web/shop", "web/control"},
	"web/stage": {
		"web/api", "web/control", "web/lesson", "web/network", "web/provider", "web/shop", "idem",
		"components", "static", "retrypolicy", "ledger/badgerdb",
	},
	"web":        {"*"},
	"components": {},
	"static":     {},
	"":           {"web"},
	"tests":      {"*"},
}

// standardOnly are the packages that people copy or import on their own.
var standardOnly = []string{"idem", "retrypolicy"}

type goPackage struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

func TestImportsFollowTheArrows(t *testing.T) {
	for _, p := range listPackages(t) {
		name := ours(p.ImportPath)
		allowed, known := arrows[name]
		if !known {
			t.Errorf("package %q has no line in the table of arrows", name)
			continue
		}
		for _, imported := range p.Imports {
			if !isOurs(imported) || slices.Contains(allowed, "*") || slices.Contains(allowed, ours(imported)) {
				continue
			}
			t.Errorf("%s imports %s, which no arrow allows", p.ImportPath, imported)
		}
	}
}

func TestTheCoreNeverReachesTheWeb(t *testing.T) {
	for _, p := range listPackages(t) {
		core := !strings.HasPrefix(ours(p.ImportPath), "web") && ours(p.ImportPath) != "" && ours(p.ImportPath) != "tests"
		for _, dep := range p.Deps {
			if core && isOurs(dep) && strings.HasPrefix(ours(dep), "web") {
				t.Errorf("%s reaches %s", p.ImportPath, dep)
			}
		}
	}
}

// The mistakes stay where they belong: only the package that wires everything
// may know them.
func TestNoRightPackageKnowsTheMistakes(t *testing.T) {
	for _, p := range listPackages(t) {
		switch ours(p.ImportPath) {
		case "web", "", "tests", "web/naive":
			continue
		}
		if slices.Contains(p.Deps, "chargeonce/web/naive") {
			t.Errorf("%s reaches web/naive", p.ImportPath)
		}
	}
}

func TestIdemAndRetrypolicyNeedTheStandardLibraryOnly(t *testing.T) {
	for _, p := range listPackages(t) {
		if !slices.Contains(standardOnly, ours(p.ImportPath)) {
			continue
		}
		for _, dep := range p.Deps {
			if first, _, _ := strings.Cut(dep, "/"); strings.Contains(first, ".") {
				t.Errorf("%s needs %s", p.ImportPath, dep)
			}
		}
	}
}

func isOurs(path string) bool { return path == "chargeonce" || strings.HasPrefix(path, "chargeonce/") }

func ours(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, "chargeonce"), "/")
}

func listPackages(t *testing.T) (packages []goPackage) {
	t.Helper()
	list := exec.Command("go", "list", "-json=ImportPath,Imports,Deps", "chargeonce/...")
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
