package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestACodeOfAnotherPackageIsTheSameDocument(t *testing.T) {
	for status, kind := range map[int]string{400: kindInvalid, 404: kindInvalid, 409: kindInvalid, 500: kindAPI, 503: kindAPI} {
		w := httptest.NewRecorder()
		(&Problem{Code: "gate_unknown", As: status, Param: "gate", Message: "There is no such gate."}).Write(w)
		checkDocument(t, answer{w.Code, withID(w.Header()), w.Body.String()})
		var doc document
		if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if doc.Status != status || doc.Title != http.StatusText(status) || doc.Error.Type != kind || doc.Error.Param != "gate" || doc.Detail != "There is no such gate." {
			t.Errorf("%d: %s", status, w.Body)
		}
	}
}

// withID adds the header that belongs to the request.
func withID(header http.Header) http.Header {
	header.Set("Request-Id", "req_1")
	return header
}

func TestACodeOfNobodysIsOurBug(t *testing.T) {
	problem := &Problem{Code: "invented"}
	if problem.Status() != http.StatusInternalServerError || problem.rule().kind != kindAPI {
		t.Errorf("%d %+v", problem.Status(), problem.rule())
	}
	if conflict := (&Problem{Code: CodeKeyReused, As: http.StatusUnprocessableEntity}); conflict.rule().kind != kindIdempotency || conflict.Status() != http.StatusUnprocessableEntity {
		t.Errorf("a code of ours under another status: %+v", conflict.rule())
	}
}
