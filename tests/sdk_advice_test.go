package tests

import (
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// perAction is how people should be told to make keys; perRequest is how they
// came to mint one for each retry.
var (
	perAction  = regexp.MustCompile(`(?i)one (idempotency )?key (per purchase|stands for one logical action)`)
	perRequest = regexp.MustCompile(`(?i)unique (for|per|to) (every|each) (request|attempt|call)`)
	everyTime  = regexp.MustCompile(`(?i)with \W*every\W* (further )?attempt`)
)

// TestWhereverKeysAreExplainedOneKeyStandsForOneAction reads what people read:
// the README, the program's help, and the refusal of a request without a key.
func TestWhereverKeysAreExplainedOneKeyStandsForOneAction(t *testing.T) { // P03
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.CommandContext(t.Context(), binary, "help").Output()
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"the README": string(readme), "the help": string(help), "the refusal": refusalWithoutKey(t)}
	for where, text := range texts {
		text = strings.Join(strings.Fields(text), " ")
		if !perAction.MatchString(text) || !everyTime.MatchString(text) {
			t.Errorf("%s does not say that one key is for one action and goes with every attempt", where)
		}
		if bad := perRequest.FindString(text); bad != "" {
			t.Errorf("%s says %q", where, bad)
		}
	}
}

func refusalWithoutKey(t *testing.T) string {
	t.Helper()
	p := start(t, "api", "--listen", "127.0.0.1:0", "--memory")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/v1/charges",
		strings.NewReader(url.Values{"amount": {"5000"}, "currency": {"eur"}, "source": {"tok_visa"}}.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "Bearer sk_test_you")
	response, err := http.DefaultClient.Do(request)
	var refused struct {
		Error struct{ Code, Message string }
	}
	newStageClient(t, p.URL).decode(response, err, http.StatusBadRequest, &refused)
	if refused.Error.Code != "idempotency_key_missing" {
		t.Errorf("%+v", refused)
	}
	return refused.Error.Message
}
