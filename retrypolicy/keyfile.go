package retrypolicy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"unicode/utf8"
)

// maxKeyFile bounds a key file in bytes: a key and the few words of an intent.
const maxKeyFile = 64 << 10

// KeyFile is a [KeyStore] for one intent: a file at this path that holds the
// intent and its key as JSON. The file appears whole and synced or not at all,
// and is never changed; it may be used by several processes at once. Delete it
// when the outcome of the intent is known and recorded.
type KeyFile string

// KeyFileContent is what a [KeyFile] holds.
type KeyFileContent struct {
	Intent string `json:"intent"`
	Key    string `json:"key"`
}

// KeepKey implements [KeyStore]. An [IntentError] says that the file belongs to
// another intent.
func (f KeyFile) KeepKey(ctx context.Context, intent, fresh string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	err := f.create(KeyFileContent{Intent: intent, Key: fresh})
	if err == nil {
		return fresh, nil
	}
	// Whatever has kept the new key out, a full disk too: an older one counts.
	content, missing := f.Read()
	switch {
	case errors.Is(missing, fs.ErrNotExist):
		return "", err
	case missing != nil:
		return "", missing
	case content.Intent != intent:
		return "", &IntentError{Stored: content.Intent, Wanted: intent}
	}
	// Whoever has made the file may not have come to this yet.
	return content.Key, syncDir(filepath.Dir(string(f)))
}

// Read returns what the file holds. The error of a file that is not there
// matches [fs.ErrNotExist]; that of one that is no key file [ErrKeyFile].
func (f KeyFile) Read() (KeyFileContent, error) {
	file, err := os.Open(string(f))
	if err != nil {
		return KeyFileContent{}, err
	}
	// It was only read: failing to close it loses nothing.
	defer func() { _ = file.Close() }()
	text, err := io.ReadAll(io.LimitReader(file, maxKeyFile))
	if err != nil {
		return KeyFileContent{}, err
	}
	var content KeyFileContent
	if err := json.Unmarshal(text, &content); err != nil || content.Key == "" {
		return KeyFileContent{}, fmt.Errorf("%w: %s", ErrKeyFile, f)
	}
	return content, nil
}

// create makes the file, unless there is one. It is written beside its place
// and linked into it, because a link, unlike a rename, never replaces what
// another process has put there meanwhile.
func (f KeyFile) create(content KeyFileContent) error {
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	if len(text) >= maxKeyFile {
		return fmt.Errorf("%w: more than %d bytes", ErrKeyFile, maxKeyFile)
	}
	if !utf8.ValidString(content.Intent) || !utf8.ValidString(content.Key) {
		return fmt.Errorf("%w: intent and key must be UTF-8", ErrKeyFile)
	}
	dir := filepath.Dir(string(f))
	draft, err := os.CreateTemp(dir, ".key-*") // readable by its owner alone
	if err != nil {
		return err
	}
	_, err = draft.Write(append(text, '\n'))
	err = errors.Join(err, draft.Sync(), draft.Close())
	if err == nil {
		err = os.Link(draft.Name(), string(f))
	}
	if err = errors.Join(err, os.Remove(draft.Name())); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes a new name durable, which syncing the file alone does not.
// Windows cannot sync a directory; its file systems journal names by themselves.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	open, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(open.Sync(), open.Close())
}
