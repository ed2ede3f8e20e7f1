package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/retrypolicy"
)

// chargePatience bounds waits for another process. No test takes that long
// unless it fails.
const chargePatience = time.Minute

// chargeProcess is the variable under which this test binary is chargeonce.
const chargeProcess = "CHARGEONCE_TEST_ARGS"

func init() {
	text, ok := os.LookupEnv(chargeProcess)
	if !ok {
		return
	}
	var args []string
	if err := json.Unmarshal([]byte(text), &args); err != nil {
		panic(err)
	}
	os.Exit(Run(context.Background(), args, os.Stdin, os.Stdout, os.Stderr, os.DirFS(".")))
}

// till is a payments API in memory: one charge for a key, and replays.
type till struct {
	*httptest.Server
	t *testing.T
	// answer may take over after the charge is made: it reports whether it has
	// dealt with the answer. nil: never.
	answer func(n int, w http.ResponseWriter, r *http.Request) bool

	mu       sync.Mutex
	charges  map[string]string // key → id
	requests []string          // the keys, in order
	forms    []string
	attempts []string
}

func newTill(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request) bool) *till {
	till := &till{t: t, answer: answer, charges: map[string]string{}}
	till.Server = httptest.NewServer(till)
	t.Cleanup(till.Close)
	return till
}

func (s *till) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	form, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/charges" || r.Header.Get("Authorization") != "Bearer sk_test_you" {
		s.t.Errorf("%s %s as %q: %v", r.Method, r.URL, r.Header.Get("Authorization"), err)
	}
	key := r.Header.Get("Idempotency-Key")
	s.mu.Lock()
	id, replayed := s.charges[key]
	if !replayed {
		id = fmt.Sprintf("ch_%d", len(s.charges)+1)
		s.charges[key] = id
	}
	s.requests, s.forms = append(s.requests, key), append(s.forms, string(form))
	s.attempts = append(s.attempts, r.Header.Get("Chargeonce-Attempt"))
	n := len(s.requests)
	s.mu.Unlock()
	if s.answer != nil && s.answer(n, w, r) {
		return
	}
	if replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(http.StatusCreated)
	_, _ = fmt.Fprintf(w, `{"id":%q}`, id)
}

// lost resets the connections of the first n answers.
func lost(n int) func(int, http.ResponseWriter, *http.Request) bool {
	return func(number int, _ http.ResponseWriter, _ *http.Request) bool {
		if number <= n {
			panic(http.ErrAbortHandler)
		}
		return false
	}
}

// refusing answers number n with a status, and later ones as it should.
func refusing(n, status int) func(int, http.ResponseWriter, *http.Request) bool {
	return func(number int, w http.ResponseWriter, _ *http.Request) bool {
		if number != n {
			return false
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":{"message":"Said the till."}}`)
		return true
	}
}

func newKeyFile(t *testing.T) string { return filepath.Join(t.TempDir(), "purchase.key") }

// pay runs `chargeonce charge` in this process.
func pay(t *testing.T, url, file string, flags ...string) (printed string, err error) {
	t.Helper()
	var out bytes.Buffer
	err = charge(t.Context(), append([]string{"--url", url, "--key-file", file}, flags...), &out, io.Discard)
	return out.String(), err
}

func storedKey(t *testing.T, file string) string {
	t.Helper()
	content, err := retrypolicy.KeyFile(file).Read()
	if err != nil {
		t.Fatal(err)
	}
	return content.Key
}

func (s *till) wantOneCharge(requests int) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.charges) != 1 || len(s.requests) != requests {
		s.t.Errorf("%d charges in %d requests, want one in %d", len(s.charges), len(s.requests), requests)
	}
	for i, form := range s.forms {
		if form != s.forms[0] || s.requests[i] != s.requests[0] {
			s.t.Errorf("request %d differs: %s under %s", i+1, form, s.requests[i])
		}
	}
}

func TestAPurchasePrintsEachAttemptWaitAndReasonOnALine(t *testing.T) {
	till, file := newTill(t, refusing(1, http.StatusServiceUnavailable)), newKeyFile(t)
	printed, err := pay(t, till.URL, file)
	if err != nil {
		t.Fatal(err)
	}
	short := regexp.QuoteMeta(storedKey(t, file)[:8] + "…")
	want := regexp.MustCompile(`^pay €50\.00 with tok_visa as you at http://127\.0\.0\.1:\d+
key ` + short + ` is stored in .*purchase\.key
attempt 1 of 5: goes out under key ` + short + `
attempt 1 of 5: 503: unavailable for the moment \(after \S+\)
waits \S+ before attempt 2 of 5: backoff with full jitter
attempt 2 of 5: goes out under key ` + short + `
attempt 2 of 5: 201: answered \(after \S+\)
paid: ch_1, €50\.00, replayed: an earlier attempt had made it
$`)
	if !want.MatchString(printed) {
		t.Errorf("printed\n%s", printed)
	}
	if strings.Contains(printed, storedKey(t, file)) {
		t.Error("the whole key is on the screen")
	}
	till.wantOneCharge(2)
	if got := strings.Join(till.attempts, " "); got != "1/5 2/5" || till.forms[0] != "amount=5000&currency=eur&source=tok_visa" {
		t.Errorf("attempts %s, form %s", got, till.forms[0])
	}
}

func TestTheKeyIsInItsFileBeforeTheFirstAttempt(t *testing.T) {
	file := newKeyFile(t)
	till := newTill(t, func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		content, err := retrypolicy.KeyFile(file).Read()
		if err != nil || content.Key != r.Header.Get("Idempotency-Key") {
			t.Errorf("sent under %q while the file holds %+v, %v", r.Header.Get("Idempotency-Key"), content, err)
		}
		return false
	})
	if _, err := pay(t, till.URL, file); err != nil {
		t.Error(err)
	}
	till.wantOneCharge(1)
}

// Case E16, with a real SIGKILL in the middle of attempt 1.
func TestAfterACrashResumeGoesOnWithTheSameKey(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	till := newTill(t, func(n int, _ http.ResponseWriter, _ *http.Request) bool {
		if n == 1 { // the charge is made, and the answer not sent
			close(arrived)
			<-release
		}
		return false
	})
	defer close(release)
	file := newKeyFile(t)
	args, err := json.Marshal([]string{"charge", "--url", till.URL, "--key-file", file, "--timeout", "1m"})
	if err != nil {
		t.Fatal(err)
	}
	crashing := exec.Command(os.Args[0])
	crashing.Env = append(os.Environ(), chargeProcess+"="+string(args))
	if err := crashing.Start(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-arrived:
	case <-time.After(chargePatience):
		t.Error("attempt 1 never arrived")
	}
	if err := crashing.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = crashing.Wait() // it was killed, and says so

	if _, err := pay(t, till.URL, file); !errors.Is(err, errKeyFileTaken) {
		t.Errorf("without --resume: %v", err)
	}
	printed, err := pay(t, till.URL, file, "--resume")
	if err != nil || !strings.Contains(printed, "paid: ch_1, €50.00, replayed") {
		t.Errorf("%v\n%s", err, printed)
	}
	till.wantOneCharge(2)
}

func TestASecondRunWithTheSameKeyFileIsRefusedClearly(t *testing.T) {
	till, file := newTill(t, nil), newKeyFile(t)
	if _, err := pay(t, till.URL, file); err != nil {
		t.Fatal(err)
	}
	key := storedKey(t, file)
	printed, err := pay(t, till.URL, file)
	if !errors.Is(err, errKeyFileTaken) || printed != "" {
		t.Fatalf("error %v, printed %q", err, printed)
	}
	for _, word := range []string{"--resume", "€50.00", "file of its own", "Nothing was sent"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not say %q", err, word)
		}
	}
	if strings.Contains(err.Error(), key) || storedKey(t, file) != key {
		t.Error("the key was told or changed")
	}
	till.wantOneCharge(1)
}

func TestResumeGoesOnWithItsOwnPurchaseOnly(t *testing.T) {
	till, file := newTill(t, nil), newKeyFile(t)
	if _, err := pay(t, till.URL, file); err != nil {
		t.Fatal(err)
	}
	for _, other := range [][]string{
		{"--amount", "8000"}, {"--currency", "usd"}, {"--card", "pm_card_visa"}, {"--owner", "me"}, {"--url", till.URL + "/elsewhere"},
	} {
		if _, err := pay(t, till.URL, file, append(other, "--resume")...); !errors.Is(err, retrypolicy.ErrIntent) {
			t.Errorf("%v: %v", other, err)
		}
	}
	if _, err := pay(t, till.URL, newKeyFile(t), "--resume"); !errors.Is(err, errNothingToResume) || !strings.Contains(err.Error(), "Nothing was sent") {
		t.Errorf("without a file: %v", err)
	}
	till.wantOneCharge(1)
}

func TestABrokenKeyFileIsNotOverwritten(t *testing.T) {
	till, file := newTill(t, nil), newKeyFile(t)
	if err := os.WriteFile(file, []byte("my diary"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{nil, {"--resume"}} {
		if _, err := pay(t, till.URL, file, flags...); !errors.Is(err, retrypolicy.ErrKeyFile) {
			t.Errorf("%v: %v", flags, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "my diary" || len(till.requests) != 0 {
		t.Errorf("the file is %q (%v) after %d requests", text, err, len(till.requests))
	}
}

// Case P06: a timeout was called a failure.
func TestAnUnknownOutcomeIsNotCalledAFailure(t *testing.T) {
	till, file := newTill(t, lost(2)), newKeyFile(t)
	printed, err := pay(t, till.URL, file, "--attempts", "2")
	if !errors.Is(err, errNotConfirmed) || !errors.Is(err, retrypolicy.ErrExceeded) || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("error %v", err)
	}
	if text := printed + err.Error(); strings.Contains(text, "failed") || !strings.Contains(text, "may have gone through") {
		t.Errorf("told\n%s%v", printed, err)
	}
	printed, err = pay(t, till.URL, file, "--resume")
	if err != nil || !strings.Contains(printed, "paid: ch_1") {
		t.Errorf("%v\n%s", err, printed)
	}
	till.wantOneCharge(3)
}

func TestWhatWasNeverSentIsNotCalledUnconfirmed(t *testing.T) {
	till, file := newTill(t, nil), newKeyFile(t)
	till.Close()
	printed, err := pay(t, till.URL, file, "--attempts", "2")
	if strings.Contains(strings.ReplaceAll(printed, "nothing was sent", ""), "sent") {
		t.Errorf("printed that something was sent:\n%s", printed)
	}
	if !errors.Is(err, errNotSent) || errors.Is(err, errNotConfirmed) || !strings.Contains(err.Error(), "--resume") {
		t.Errorf("error %v", err)
	}
	// What the run before has sent, this one cannot know.
	if _, err := pay(t, till.URL, file, "--attempts", "1", "--resume"); !errors.Is(err, errNotConfirmed) {
		t.Errorf("after --resume: %v", err)
	}
}

func TestADefiniteNoIsNotRepeatedAndSaysWhy(t *testing.T) {
	for status, word := range map[int]string{402: "declined", 400: "refused", 401: "refused"} {
		till := newTill(t, refusing(1, status))
		_, err := pay(t, till.URL, newKeyFile(t))
		if !errors.Is(err, errNotPaid) || !strings.Contains(err.Error(), word+": Said the till.") || len(till.requests) != 1 {
			t.Errorf("%d: %v after %d requests", status, err, len(till.requests))
		}
	}
}

// A refusal says nothing about an attempt before it whose answer was lost.
func TestARefusalAfterALostAnswerLeavesThePurchaseUnconfirmed(t *testing.T) {
	lose, refuse := lost(1), refusing(2, http.StatusUnauthorized)
	till, file := newTill(t, func(n int, w http.ResponseWriter, r *http.Request) bool {
		return lose(n, w, r) || refuse(n, w, r)
	}), newKeyFile(t)
	if _, err := pay(t, till.URL, file); !errors.Is(err, errNotConfirmed) || errors.Is(err, errNotPaid) {
		t.Errorf("in one run: %v", err)
	}
	till.answer = refusing(3, http.StatusUnauthorized)
	if _, err := pay(t, till.URL, file, "--resume"); !errors.Is(err, errNotConfirmed) || errors.Is(err, errNotPaid) {
		t.Errorf("after --resume: %v", err)
	}
}

func TestAnAnswerThatSettlesNothingLeavesThePurchaseUnconfirmed(t *testing.T) {
	for _, status := range []int{200, 201, 204, 304, 409, 500} {
		till := newTill(t, func(_ int, w http.ResponseWriter, _ *http.Request) bool {
			w.WriteHeader(status)
			return true
		})
		_, err := pay(t, till.URL, newKeyFile(t))
		if !errors.Is(err, errNotConfirmed) || errors.Is(err, errNotPaid) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

func TestABadCommandLineSendsNothingAndWritesNothing(t *testing.T) {
	const number = "4242424242424242"
	till := newTill(t, nil)
	for _, flags := range [][]string{
		{"--card", number},
		{"--card", "tok_" + number},
		{"--card", ""},
		{"--owner", "a b"},
		{"--owner", ""},
		{"--amount", "0"},
		{"--amount", "-1"},
		{"--amount", "50.00"},
		{"--currency", "EUR"},
		{"--currency", ""},
		{"--attempts", "0"},
		{"--attempts", "101"},
		{"--timeout", "0"},
		{"--timeout", "24h"},
		{"--url", "ftp://api.test"},
		{"--url", "http://sk_test_you@api.test"},
		{"--url", "nowhere"},
		{"--url", till.URL + "/#part"},
		{"--url", till.URL + "/#"},
		{"--url", till.URL + "/?"},
		{"--url", till.URL + "/?a=b"},
		{"--key-file", ""},
		{"--unknown"},
		{"extra"},
	} {
		file := newKeyFile(t)
		printed, err := pay(t, till.URL, file, flags...)
		if !errors.Is(err, errUsage) || printed != "" || strings.Contains(err.Error(), number) {
			t.Errorf("%v: error %v, printed %q", flags, err, printed)
		}
		if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%v: a key file was written", flags)
		}
	}
	if len(till.requests) != 0 {
		t.Errorf("%d requests were sent", len(till.requests))
	}
}

func TestChargeIsACommandWithExitCodes(t *testing.T) {
	till, file := newTill(t, nil), newKeyFile(t)
	run := func(args ...string) (code int, printed, told string) {
		var out, errs bytes.Buffer
		code = Run(t.Context(), append([]string{"charge", "--url", till.URL}, args...), nil, &out, &errs, nil)
		return code, out.String(), errs.String()
	}
	if code, printed, told := run("--key-file", file); code != exitOK || told != "" || !strings.Contains(printed, "paid: ch_1") {
		t.Errorf("a purchase: exit %d, printed %q, told %q", code, printed, told)
	}
	if code, _, told := run("--key-file", file); code != exitFault || !strings.Contains(told, "--resume") {
		t.Errorf("the file again: exit %d, told %q", code, told)
	}
	if code, _, _ := run(); code != exitUsage {
		t.Errorf("no key file: exit %d", code)
	}
	if code, _, told := run("--help"); code != exitOK || !strings.Contains(told, "-resume") || !strings.Contains(told, "-key-file") {
		t.Errorf("help: exit %d, told %q", code, told)
	}
	if !strings.Contains(usage, "chargeonce charge") {
		t.Error("the usage text does not name it")
	}
}
