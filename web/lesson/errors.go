package lesson

import "errors"

// ErrUnknown: there is no lesson of that id.
var ErrUnknown = errors.New("lesson: no such lesson")
