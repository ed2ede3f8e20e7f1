package static

import (
	"bytes"
	"path"
)

// lean is what is sent of a style sheet or a module: without the lines that
// are comments and without indentation, about a fifth less for a room of
// phones. It works on whole lines, so it needs no parser and cannot touch a
// string; a line break inside a string or a template would be the exception,
// and a test keeps those out of the tree. Other files are sent as they are.
func lean(name string, body []byte) []byte {
	kind := path.Ext(name)
	if kind != ".js" && kind != ".css" {
		return body
	}
	out := make([]byte, 0, len(body))
	comment := false // inside a block comment that began a line
	for line := range bytes.Lines(body) {
		line = bytes.TrimSpace(line)
		switch {
		case comment:
			comment = !bytes.HasSuffix(line, []byte("*/"))
		case len(line) == 0, kind == ".js" && bytes.HasPrefix(line, []byte("//")):
		case bytes.HasPrefix(line, []byte("/*")) && !bytes.Contains(line, []byte("*/")):
			comment = true
		case bytes.HasPrefix(line, []byte("/*")) && bytes.HasSuffix(line, []byte("*/")):
		default:
			out = append(append(out, line...), '\n')
		}
	}
	return out
}
