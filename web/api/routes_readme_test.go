package api

import (
	"os"
	"strings"
	"testing"
)

func TestTheREADMEListsEveryPath(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{Options: Options{Payments: nobody{}, Endpoints: nobody{}, Carts: nobody{}}}
	for path, methods := range s.routes() {
		if path != "/" && !strings.Contains(string(text), "`"+path+"`") && !strings.Contains(string(text), "`"+path+"?") {
			t.Errorf("%s (%s) is missing", path, allowed(methods))
		}
	}
}

// nobody stands for what routes need to be there, and is never called.
type nobody struct {
	Payments
	Endpoints
	Carts
}
