package stage

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestACommandIsOneObjectWithoutContradictions(t *testing.T) {
	for body, status := range map[string]int{
		"":                                    http.StatusOK,
		"  ":                                  http.StatusOK,
		`{}`:                                  http.StatusOK,
		`{"side":"safe"}` + "\n":              http.StatusOK,
		`{"side":"safe"}`:                     http.StatusOK,
		`{"side":"safe","side":"naive"}`:      http.StatusBadRequest,
		`{"side":"safe","side":"safe"}`:       http.StatusBadRequest,
		`{"side":"safe","SIDE":"naive"}`:      http.StatusBadRequest, // the decoder takes either spelling
		`{"side":"safe","\u0073ide":"naive"}`: http.StatusBadRequest,
		`{"side":"safe"}{"side":"naive"}`:     http.StatusBadRequest,
		`{"side":"safe"}}`:                    http.StatusBadRequest,
		`{"side":"safe"}]`:                    http.StatusBadRequest,
		`{"side":"safe"`:                      http.StatusBadRequest,
		`{"other":1}`:                         http.StatusBadRequest,
		`{"side":1}`:                          http.StatusBadRequest,
		`null`:                                http.StatusBadRequest,
		`"safe"`:                              http.StatusBadRequest,
		`[]`:                                  http.StatusBadRequest,
		`{"side":"` + strings.Repeat("a", maxCommand) + `"}`: http.StatusRequestEntityTooLarge,
	} {
		w := httptest.NewRecorder()
		var wish struct {
			Side string `json:"side"`
		}
		ok := command(w, httptest.NewRequest(http.MethodPost, "/stage/kill", strings.NewReader(body)), &wish)
		if w.Code != status || ok != (status == http.StatusOK) {
			t.Errorf("%.40q: taken %v as %+v, status %d, want %d: %s", body, ok, wish, w.Code, status, w.Body)
		}
		if twice := strings.Contains(w.Body.String(), "given twice"); twice != strings.Contains(strings.ToLower(body), `,"`) {
			t.Errorf("%.40q: %s", body, w.Body)
		}
	}
}
