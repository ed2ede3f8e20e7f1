package web

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
)

func TestVerifyBeginsNoLessonOnceItIsToEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	err := verify(ctx, []string{"--rounds", "1000"}, &out, io.Discard)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("an unfinished check ended with %v", err)
	}
	if got := out.String(); got != "0 held, 0 broken\n" {
		t.Errorf("%.200s", got)
	}
}
