package api

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestPreferWaitIsReadAsRFC7240SaysAndCapped(t *testing.T) {
	for lines, want := range map[string]time.Duration{
		"": 0, "wait=0": -1, "wait=5": 5 * time.Second, "wait=100": maxPrefer, "WAIT=3": 3 * time.Second, `wait="7"`: 7 * time.Second,
		"respond-async, wait=2": 2 * time.Second, "wait=2;x=y": 2 * time.Second, " wait = 4 ": 4 * time.Second,
		"respond-async|wait=6": 6 * time.Second, "wait": 0, "wait=": 0, "wait=x": 0, "wait=-1": 0, "wait=1.5": 0, "wait=99999999999999999999": 0, "waiting=9": 0,
	} {
		header := http.Header{}
		if lines != "" {
			header["Prefer"] = strings.Split(lines, "|")
		}
		if got := preferredWait(header); got != want {
			t.Errorf("%q: %v, want %v", lines, got, want)
		}
	}
}

func TestAttemptsAreBelievedOnlyWithinReason(t *testing.T) {
	for text, want := range map[string][2]int{
		"": {}, "2/10": {2, 10}, "1/1": {1, 1}, "0/3": {}, "4/3": {}, "-1/3": {}, "1": {}, "a/b": {}, "1/1001": {}, "1/2/3": {}, "2 / 3": {},
	} {
		attempt, of := attemptOf(http.Header{"Chargeonce-Attempt": {text}})
		if attempt != want[0] || of != want[1] {
			t.Errorf("%q: %d of %d", text, attempt, of)
		}
	}
}

func TestATraceIsRepeatedOnlyIfItIsShortAndVisible(t *testing.T) {
	for text, want := range map[string]string{
		"tr_1": "tr_1", "": "", "a b": "", "a\x00": "", "é": "", strings.Repeat("t", 64): strings.Repeat("t", 64), strings.Repeat("t", 65): "",
	} {
		if got := traceOf(http.Header{"Chargeonce-Trace": {text}}); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

func TestOwnersComeFromTheCredentialAlone(t *testing.T) {
	for authorization, want := range map[string]string{
		"Bearer sk_test_shop": "shop", "bearer  sk_test_a-B_9": "a-B_9", "Basic c2tfdGVzdF9zaG9wOg==": "shop", "basic c2tfdGVzdF9zaG9w": "shop",
		"Bearer sk_live_shop": "", "Bearer": "", "Basic c2tfdGVzdF9hL2I6": "", "Bearer sk_test_shop ": "",
	} {
		if got := OwnerName(http.Header{"Authorization": {authorization}}); got != want {
			t.Errorf("%q: %q, want %q", authorization, got, want)
		}
	}
}
