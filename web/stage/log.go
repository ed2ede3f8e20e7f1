package stage

import (
	"fmt"
	"io"
	"log"
)

// quiet is for servers whose clients break connections on purpose.
var quiet = log.New(io.Discard, "", 0)

func (s *Stage) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(lockedWriter{s}, format+"\n", args...)
}

// lockedWriter keeps the lines of several writers apart.
type lockedWriter struct{ stage *Stage }

// Write writes one chunk at a time. A chunk that repeats the one before says
// nothing new (a process that is started again and again for the same reason)
// and is left out.
func (w lockedWriter) Write(text []byte) (int, error) {
	w.stage.logging.Lock()
	defer w.stage.logging.Unlock()
	if w.stage.lastLine == string(text) {
		return len(text), nil
	}
	w.stage.lastLine = string(text)
	return w.stage.options.Log.Write(text)
}
