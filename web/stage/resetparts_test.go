package stage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// lay makes the parts, each with one file that says whose it is.
func lay(t *testing.T, data, whose string) {
	t.Helper()
	for _, part := range parts {
		if err := os.MkdirAll(filepath.Join(data, part), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(data, part, "whose"), []byte(whose), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// found is whose each part is: "old old old".
func found(t *testing.T, data string) string {
	t.Helper()
	var all []string
	for _, part := range parts {
		text, err := os.ReadFile(filepath.Join(data, part, "whose"))
		if err != nil {
			text = []byte("none")
		}
		all = append(all, string(text))
	}
	return strings.Join(all, " ")
}

// clean fails if anything beside the parts is left.
func clean(t *testing.T, data string) {
	t.Helper()
	for _, name := range []string{partsBefore, partsUndone, partsMoving} {
		if _, err := os.Stat(filepath.Join(data, name)); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", name, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBooksAreSetAsideAndComeBack(t *testing.T) {
	data := t.TempDir()
	lay(t, data, "old")
	must(t, shelve(data))
	if got := found(t, data); got != "none none none" {
		t.Errorf("after shelving: %s", got)
	}
	lay(t, data, "fresh")
	must(t, settleParts(data))
	must(t, bringBack(data))
	if got := found(t, data); got != "old old old" {
		t.Errorf("after the way back: %s", got)
	}
	clean(t, data)
}

func TestBooksThatWereSettledStandAtTheNextStart(t *testing.T) {
	data := t.TempDir()
	lay(t, data, "old")
	must(t, shelve(data))
	lay(t, data, "fresh")
	must(t, settleParts(data))
	must(t, mendParts(data))
	if got := found(t, data); got != "fresh fresh fresh" {
		t.Errorf("at the next start: %s", got)
	}
	clean(t, data)
}

// A kill can come between any two renames, and before or after each of the
// rest; the next start must find one set of books, whole.
func TestAKillInTheMiddleLeavesNoMix(t *testing.T) {
	for moved := range len(parts) + 1 { // parts that a reset had put aside
		for made := range moved + 1 { // of which so many were made anew
			for back := range made + 1 { // and so many brought back by an undo
				data := t.TempDir()
				lay(t, data, "old")
				must(t, mark(data))
				must(t, os.MkdirAll(filepath.Join(data, partsBefore), 0o700))
				must(t, os.MkdirAll(filepath.Join(data, partsUndone), 0o700))
				for i, part := range parts {
					here, aside := filepath.Join(data, part), filepath.Join(data, partsBefore, part)
					if i < moved {
						must(t, os.Rename(here, aside))
					}
					if i < made {
						must(t, os.MkdirAll(here, 0o700))
						must(t, os.WriteFile(filepath.Join(here, "whose"), []byte("fresh"), 0o600))
					}
					if i < back {
						must(t, os.Rename(here, filepath.Join(data, partsUndone, part)))
						must(t, os.Rename(aside, here))
					}
				}
				must(t, mendParts(data))
				if got := found(t, data); got != "old old old" {
					t.Errorf("%d moved, %d made, %d back: %s", moved, made, back, got)
				}
				clean(t, data)
			}
		}
	}
}

func TestAFolderWithoutBooksCanBeReset(t *testing.T) {
	data := t.TempDir()
	must(t, mendParts(data))
	must(t, shelve(data))
	must(t, settleParts(data))
	must(t, mendParts(data))
	clean(t, data)
}

// What cannot be moved as a whole is not moved at all.
func TestAFailedMoveLeavesTheBooksWhereTheyWere(t *testing.T) {
	data := t.TempDir()
	lay(t, data, "old")
	// A file in the place of the folder: nothing can be put into it.
	must(t, os.WriteFile(filepath.Join(data, partsBefore), nil, 0o600))
	real := filepath.Join(data, parts[2])
	if err := shelve(data); err != nil {
		t.Fatalf("the file is waste and is cleared: %v", err)
	}
	if _, err := os.Stat(real); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
	must(t, bringBack(data))
	if got := found(t, data); got != "old old old" {
		t.Errorf("%s", got)
	}
}
