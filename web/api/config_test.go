package api

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chargeonce/idem"
)

func TestFlagsFillTheConfig(t *testing.T) {
	got, err := ParseFlags(strings.Fields("--listen 127.0.0.1:0 --data d --provider http://127.0.0.1:9 --provider-timeout 500ms --provider-attempts 2 " +
		"--lease 3s --retain 25h --tombstone 50h --retry-window 2h --busy-wait 1s --complete-after 5s --conflict-status 422 --control --clock-offset 25h --crash-at claimed:2 " +
		"--webhook http://127.0.0.1:9/hooks --webhook-secret " + testSecret + " --webhook-timeout 1s --mistake no-key"))
	want := Config{
		Listen: "127.0.0.1:0", Data: "d", Provider: "http://127.0.0.1:9", ProviderTimeout: 500 * time.Millisecond, ProviderAttempts: 2,
		Lease: 3 * time.Second, Retain: 25 * time.Hour, Tombstone: 50 * time.Hour, RetryWindow: 2 * time.Hour, BusyWait: time.Second,
		CompleteAfter: 5 * time.Second, ConflictStatus: 422, Control: true, ClockOffset: 25 * time.Hour, CrashAt: "claimed:2",
		Webhook: "http://127.0.0.1:9/hooks", WebhookSecret: testSecret, WebhookTimeout: time.Second, Mistake: "no-key",
	}
	if err != nil {
		t.Fatal(err)
	}
	if !sameConfig(got, want) {
		t.Errorf("got %+v", got)
	}
	bare, err := ParseFlags(nil)
	if err != nil || !sameConfig(bare, Config{}.withDefaults()) {
		t.Errorf("no flags: %+v, %v", bare, err)
	}
}

// testSecret is a webhook secret of 24 bytes.
const testSecret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3"

// sameConfig compares everything but the functions.
func sameConfig(a, b Config) bool {
	return a.Listen == b.Listen && a.Data == b.Data && a.Provider == b.Provider && a.ProviderTimeout == b.ProviderTimeout &&
		a.ProviderAttempts == b.ProviderAttempts && a.Lease == b.Lease && a.Retain == b.Retain && a.Tombstone == b.Tombstone &&
		a.RetryWindow == b.RetryWindow && a.BusyWait == b.BusyWait && a.Control == b.Control && a.ClockOffset == b.ClockOffset && a.CrashAt == b.CrashAt &&
		a.Webhook == b.Webhook && a.WebhookSecret == b.WebhookSecret && a.WebhookTimeout == b.WebhookTimeout && a.Mistake == b.Mistake &&
		a.CompleteAfter == b.CompleteAfter && a.ConflictStatus == b.ConflictStatus && a.Memory == b.Memory
}

func TestABadCommandLineIsRefusedClearly(t *testing.T) {
	for args, word := range map[string]string{
		"--nope":                         "nope",
		"extra":                          "extra",
		"--lease 5":                      "lease",
		"--lease 0s":                     "--lease",
		"--lease -1s":                    "--lease",
		"--busy-wait 0s":                 "--busy-wait",
		"--provider-timeout 0s":          "--provider-timeout",
		"--complete-after -1ns":          "--complete-after",
		"--complete-after 1us":           "--complete-after",
		"--conflict-status 404":          "409, 400 or 422",
		"--conflict-status 0":            "409, 400 or 422",
		"--memory --data d":              "--data",
		"--provider-attempts 0":          "--provider-attempts",
		"--provider simulated":           "http://HOST:PORT",
		"--listen 8080":                  "HOST:PORT",
		"--clock-offset -1h":             "--clock-offset",
		"--crash-at nowhere":             "received, begin, claimed",
		"--crash-at claimed:0":           "--crash-at",
		"--crash-at claimed:x":           "--crash-at",
		"--crash-at :1":                  "--crash-at",
		"--control --listen 0.0.0.0:0":   "loopback",
		"--control --listen :0":          "loopback",
		"--webhook-timeout 0s":           "--webhook-timeout",
		"--webhook http://127.0.0.1:9":   "--webhook-secret",
		"--webhook-secret " + testSecret: "--webhook",
		"--webhook 127.0.0.1:9 --webhook-secret " + testSecret:              "--webhook",
		"--webhook http://127.0.0.1:9 --webhook-secret whsec_c2hvcnQ=":      "24 to 64 bytes",
		"--webhook http://127.0.0.1:9 --webhook-secret " + testSecret[6:]:   "whsec_",
		"--webhook http://127.0.0.1:9 --webhook-secret " + testSecret + "&": "base64",
		// Durations that contradict each other would charge twice.
		"--lease 10s":                        "the lease (10s) must exceed",
		"--lease 3s --provider-timeout 1s":   "the lease (3s) must exceed",
		"--retain 1h":                        "clients retry for 1h0m0s",
		"--retain 30m --retry-window 1h":     "clients retry for 1h0m0s",
		"--retain 48h --tombstone 47h":       "tombstone",
		"--retry-window 24h":                 "clients retry for 24h0m0s",
		"--provider-attempts 100 --lease 1m": "the lease (1m0s) must exceed",
	} {
		config, err := ParseFlags(strings.Fields(args))
		if !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), word) || !sameConfig(config, Config{}) {
			t.Errorf("%s: %v", args, err)
		}
	}
	if _, err := ParseFlags([]string{"--retain", "1h"}); !errors.Is(err, idem.ErrTerms) {
		t.Errorf("the contradiction is not named as one: %v", err)
	}
}

func TestTheHelpNamesEveryFlag(t *testing.T) {
	for _, ask := range []string{"-h", "--help"} {
		_, err := ParseFlags([]string{ask})
		if !errors.Is(err, flag.ErrHelp) || errors.Is(err, ErrUsage) {
			t.Fatalf("%s: %v", ask, err)
		}
		new(Config).flagSet().VisitAll(func(f *flag.Flag) {
			if !strings.Contains(err.Error(), "-"+f.Name) || f.Usage == "" {
				t.Errorf("%s is not in the help", f.Name)
			}
		})
	}
}

func TestCompletingCanBeTurnedOff(t *testing.T) {
	for args, want := range map[string]time.Duration{"": DefaultCompleteAfter, "--complete-after 0": Never, "--complete-after 1s": time.Second} {
		got, err := ParseFlags(strings.Fields(args))
		if err != nil || got.withDefaults().CompleteAfter != want { // the process fills in defaults once more
			t.Errorf("%q: %v, %v", args, got.CompleteAfter, err)
		}
	}
}

func TestTheRigsDurationsAreAccepted(t *testing.T) {
	for _, args := range []string{
		"--lease 3s --busy-wait 1s --provider-timeout 500ms", "--lease 3s --busy-wait 1s --provider-timeout 500ms --provider-attempts 2",
	} {
		if _, err := ParseFlags(strings.Fields(args)); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}

func TestTheDataFolderDefaultsToTheUsersCache(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skip("this user has no cache folder")
	}
	if got, err := (Config{}).folder(); err != nil || got != filepath.Join(cache, "chargeonce", "api") {
		t.Errorf("%s, %v", got, err)
	}
	if got, _ := (Config{Data: "here"}).folder(); got != "here" {
		t.Errorf("%s", got)
	}
}

func TestACrashHappensOnceAtTheNthPassing(t *testing.T) {
	crash, err := parseCrashAt("claimed:3")
	if err != nil {
		t.Fatal(err)
	}
	killed := 0
	crash.kill = func() { killed++ }
	for range 10 {
		crash.pass("begin")
	}
	for i := range 5 {
		crash.pass("claimed")
		if want := i >= 2; (killed > 0) != want {
			t.Errorf("after %d passings: %d kills", i+1, killed)
		}
	}
	if killed != 1 {
		t.Errorf("%d kills", killed)
	}
	none, err := parseCrashAt("")
	if err != nil {
		t.Fatal(err)
	}
	none.pass("") // must not call a kill that is not there
}
