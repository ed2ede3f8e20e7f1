package retrypolicy_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"chargeonce/retrypolicy"
)

func keyFile(t *testing.T) retrypolicy.KeyFile {
	return retrypolicy.KeyFile(filepath.Join(t.TempDir(), "purchase.key"))
}

func keepIn(t *testing.T, file retrypolicy.KeyFile, intent, fresh string) string {
	t.Helper()
	key, err := file.KeepKey(t.Context(), intent, fresh)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestAKeyFileKeepsItsFirstKey(t *testing.T) {
	file := keyFile(t)
	if got := keepIn(t, file, "pay 7F3A", "first"); got != "first" {
		t.Errorf("kept %q", got)
	}
	if got := keepIn(t, file, "pay 7F3A", "second"); got != "first" {
		t.Errorf("kept %q the second time", got)
	}
	content, err := file.Read()
	if want := (retrypolicy.KeyFileContent{Intent: "pay 7F3A", Key: "first"}); content != want || err != nil {
		t.Errorf("holds %+v, %v", content, err)
	}
}

// A full disk, or a folder that has become read-only, must not stand between
// a process that was started again and its key. Here the new key is what
// cannot be written.
func TestAStoredKeyIsFoundWhereNoNewOneCanBeWritten(t *testing.T) {
	file := keyFile(t)
	keepIn(t, file, "pay 7F3A", "first")
	if got := keepIn(t, file, "pay 7F3A", strings.Repeat("x", 1<<20)); got != "first" {
		t.Errorf("kept %q", got)
	}
}

// JSON has no bytes that are not UTF-8: read back, the intent would be another.
func TestAnIntentThatCannotBeReadBackIsRefused(t *testing.T) {
	for _, c := range [][2]string{{"pay \xff", "fresh"}, {"pay 7F3A", "\xff"}} {
		file := keyFile(t)
		if _, err := file.KeepKey(t.Context(), c[0], c[1]); !errors.Is(err, retrypolicy.ErrKeyFile) {
			t.Errorf("%q: error %v", c, err)
		}
		if _, err := file.Read(); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: left a file (%v)", c, err)
		}
	}
}

func TestAKeyFileOfAnotherIntentIsRefusedWithoutItsKey(t *testing.T) {
	file := keyFile(t)
	keepIn(t, file, "pay 7F3A", "first")
	_, err := file.KeepKey(t.Context(), "pay 7F3B", "second")
	differs, ok := errors.AsType[*retrypolicy.IntentError](err)
	if !ok || !errors.Is(err, retrypolicy.ErrIntent) || differs.Stored != "pay 7F3A" || differs.Wanted != "pay 7F3B" {
		t.Errorf("error %v", err)
	}
	if strings.Contains(err.Error(), "first") || !strings.Contains(err.Error(), "7F3B") {
		t.Errorf("text %q", err)
	}
}

func TestOfManyProcessesOneKeyWins(t *testing.T) {
	file := keyFile(t)
	var mu sync.Mutex
	keys := map[string]bool{}
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			key, err := file.KeepKey(t.Context(), "pay 7F3A", retrypolicy.NewKey())
			mu.Lock()
			defer mu.Unlock()
			if keys[key] = true; err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(keys) != 1 {
		t.Errorf("%d keys for one intent", len(keys))
	}
}

func TestAKeyFileLeavesNothingElseBehindAndIsPrivate(t *testing.T) {
	file := keyFile(t)
	keepIn(t, file, "pay 7F3A", "first")
	keepIn(t, file, "pay 7F3A", "second")
	entries, err := os.ReadDir(filepath.Dir(string(file)))
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	info, err := entries[0].Info()
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestWhatIsNoKeyFileIsNeverTakenForOne(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "half": `{"intent":"pay 7F`, "another document": `{"order":"7F3A"}`, "no key": `{"intent":"pay 7F3A"}`,
		"two documents": `{"intent":"pay 7F3A","key":"k"}{}`, "a list": "[]", "text": "hello", "huge": strings.Repeat(" ", 1<<20) + `{"intent":"pay 7F3A","key":"k"}`,
	} {
		file := keyFile(t)
		if err := os.WriteFile(string(file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := file.KeepKey(t.Context(), "pay 7F3A", "fresh"); !errors.Is(err, retrypolicy.ErrKeyFile) {
			t.Errorf("%s: error %v", name, err)
		}
		if left, err := os.ReadFile(string(file)); err != nil || string(left) != content {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

func TestAKeyFileThatCannotBeWrittenIsAnError(t *testing.T) {
	nowhere := retrypolicy.KeyFile(filepath.Join(t.TempDir(), "missing", "purchase.key"))
	if _, err := nowhere.KeepKey(t.Context(), "pay 7F3A", "fresh"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := nowhere.Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if _, err := keyFile(t).KeepKey(t.Context(), strings.Repeat("x", 1<<20), "fresh"); !errors.Is(err, retrypolicy.ErrKeyFile) {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := keyFile(t)
	if _, err := file.KeepKey(ctx, "pay 7F3A", "fresh"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := file.Read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a cancelled call left %v", err)
	}
}
