package tests

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// poster posts forms to a running API as one owner. Its connections are reused:
// the test is about transactions and not about sockets.
type poster struct {
	base string
	http *http.Client
}

func (p *poster) post(path, key string, form url.Values, into any) (status int, err error) {
	request, err := http.NewRequest(http.MethodPost, p.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Authorization", "Bearer sk_test_you")
	request.Header.Set("Idempotency-Key", key)
	response, err := p.http.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, json.Unmarshal(body, into)
}

// refundTwice sends two refunds of 60 at once under different keys. It returns
// their statuses, and the code of what was refused.
func (p *poster) refundTwice(t *testing.T, charge, round string) (statuses [2]int, code string) {
	t.Helper()
	var answers [2]struct{ Error struct{ Code string } }
	barrier := make(chan struct{})
	var group sync.WaitGroup
	for i := range statuses {
		group.Go(func() {
			<-barrier
			var err error
			form := url.Values{"charge": {charge}, "amount": {"60"}}
			if statuses[i], err = p.post("/v1/refunds", fmt.Sprint("r", round, "-", i), form, &answers[i]); err != nil {
				t.Error(err)
			}
		})
	}
	close(barrier)
	group.Wait()
	return statuses, answers[0].Error.Code + answers[1].Error.Code
}

// TestTwoHundredRoundsOfTwoRefundsAtOnceGiveBackOneEach asks the binary itself,
// on its disk: 60 and 60 of 100, two hundred times, exactly one each time.
func TestTwoHundredRoundsOfTwoRefundsAtOnceGiveBackOneEach(t *testing.T) { // G05, I6
	const rounds = 200
	data := filepath.Join(t.TempDir(), "api")
	api := start(t, "api", "--listen", "127.0.0.1:0", "--data", data)
	p := &poster{api.URL, &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 2}}}
	for n := range rounds {
		round := fmt.Sprint(n)
		var made posted
		form := url.Values{"amount": {"100"}, "currency": {"eur"}, "source": {"tok_visa"}}
		if status, err := p.post("/v1/charges", "c"+round, form, &made); err != nil || status != http.StatusCreated {
			t.Fatalf("round %s: charge: %d, %v", round, status, err)
		}
		statuses, code := p.refundTwice(t, made.ID, round)
		if statuses != [2]int{201, 400} && statuses != [2]int{400, 201} || code != "amount_too_large" {
			t.Fatalf("round %s: %v, refused as %q", round, statuses, code)
		}
	}
	s := &sender{newStageClient(t, api.URL), "you"}
	if got, want := s.balance(), fmt.Sprint(rounds*40, " eur"); got != want {
		t.Errorf("the account stands at %s, want %s", got, want)
	}
	api.stop()
	audit := launch(t, "audit", "--data", data)
	if code := audit.exitCode(); code != 0 {
		t.Errorf("the audit ends with %d:\n%s", code, audit.log)
	}
}
