package web

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"chargeonce/components"
	"chargeonce/retrypolicy"
	"chargeonce/web/api"
	"chargeonce/web/network"
)

// Bounds of the policy that a command line may ask for: nobody watches a
// terminal for longer.
const (
	maxChargeAttempts = 100
	maxChargeTimeout  = 10 * time.Minute
	longestPause      = time.Minute // that a server may ask for between two attempts
)

var (
	// errKeyFileTaken: the key file is there, and nobody said --resume.
	errKeyFileTaken = errors.New("there is a key file already")
	// errNothingToResume: --resume, and no key file.
	errNothingToResume = errors.New("nothing to resume")
	// errNotPaid: a definite answer, and no payment. The key has been used up.
	errNotPaid = errors.New("not paid")
	// errNotSent: no attempt has left this machine.
	errNotSent = errors.New("nothing was sent, so nothing was paid. To try again, run the same command with --resume")
	// errNotConfirmed: no definite answer. The payment may have gone through.
	errNotConfirmed = errors.New("not confirmed yet; the payment may have gone through. " +
		"Do not pay again: run the same command with --resume")
)

// purchase is one intent to pay, as the command line gives it.
type purchase struct {
	url, owner, card string
	amount           int64 // minor units of currency
	currency         string
	keyFile          string
	attempts         int
	timeout          time.Duration // of one attempt
	resume           bool
}

// charge makes one purchase from the terminal and prints each attempt, wait
// and reason on a line. The key is in the key file, synced, before the first
// attempt; after a crash the same command with --resume goes on with it.
func charge(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	p, err := chargeArgs(args, stderr)
	if err != nil {
		return err
	}
	req, err := p.request(ctx)
	if err != nil {
		return err
	}
	if err := p.fixKey(req); err != nil {
		return err
	}
	key := shortKey(req.Header.Get("Idempotency-Key"))
	say(stdout, "%s\nkey %s is stored in %s\n", p.intent(), key, p.keyFile)
	sent := p.resume // what an earlier run has sent, nobody knows
	client := retrypolicy.Client{Transport: numbered{new(http.Transport)}, Policy: p.policy(), Hooks: chargeHooks(stdout, &sent)}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	switch {
	case err == nil:
		return p.outcome(stdout, resp)
	case sent:
		return fmt.Errorf("%w: %w", errNotConfirmed, err)
	}
	return fmt.Errorf("%w: %w", errNotSent, err)
}

// chargeArgs reads the command line of `chargeonce charge`.
func chargeArgs(args []string, stderr io.Writer) (p purchase, err error) {
	flags := flag.NewFlagSet("charge", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&p.url, "url", "http://127.0.0.1:8080", "base URL of the payments API or the stage")
	flags.StringVar(&p.keyFile, "key-file", "", "file that keeps the purchase's idempotency key over a crash (required)")
	flags.StringVar(&p.owner, "owner", "you", "whose credential pays: sk_test_OWNER")
	flags.Int64Var(&p.amount, "amount", 5000, "amount in minor units")
	flags.StringVar(&p.currency, "currency", "eur", "currency, ISO 4217 in lower case")
	flags.StringVar(&p.card, "card", "tok_visa", "token of a test card, such as tok_visa or tok_chargeDeclined")
	flags.IntVar(&p.attempts, "attempts", 5, "how often to try, the first attempt included")
	flags.DurationVar(&p.timeout, "timeout", 2*time.Second, "time for each attempt")
	flags.BoolVar(&p.resume, "resume", false, "go on with the purchase of the key file after a crash")
	if err := parseAll(flags, args); err != nil {
		return p, err
	}
	p.url = strings.TrimSuffix(p.url, "/")
	return p, p.check()
}

var ownerName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// check refuses what must not even reach the key file: above all a card
// number, which is not repeated here either.
func (p purchase) check() error {
	base, err := url.Parse(p.url)
	wrong := ""
	switch {
	case p.keyFile == "":
		wrong = "--key-file FILE is required: the key must be stored before the first attempt"
	case err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || strings.ContainsAny(p.url, "?#"):
		wrong = "--url must look like http://HOST:PORT"
	case !ownerName.MatchString(p.owner):
		wrong = "--owner must be 1 to 64 letters, digits, hyphens or underscores"
	case !api.KnownToken(p.card):
		wrong = "--card must be the token of a test card, such as tok_visa; card numbers are refused"
	case len(p.currency) != 3 || strings.ToLower(p.currency) != p.currency:
		wrong = "--currency must be a code of ISO 4217 in lower case, such as eur"
	case p.amount <= 0:
		wrong = "--amount must be above 0, in minor units: 5000 is 50.00 euro"
	case p.attempts < 1 || p.attempts > maxChargeAttempts:
		wrong = fmt.Sprintf("--attempts must be 1 to %d", maxChargeAttempts)
	case p.timeout <= 0 || p.timeout > maxChargeTimeout:
		wrong = fmt.Sprintf("--timeout must be above 0, and at most %v", maxChargeTimeout)
	default:
		return nil
	}
	return fmt.Errorf("%w: %s", errUsage, wrong)
}

// intent names the purchase, for people and for the key file: another amount,
// card, owner or server is another purchase, and must not get this one's key.
func (p purchase) intent() string {
	return fmt.Sprintf("pay %s with %s as %s at %s", components.Money(p.amount, p.currency), p.card, p.owner, p.url)
}

func (p purchase) request(ctx context.Context) (*http.Request, error) {
	card := "source"
	if strings.HasPrefix(p.card, "pm_") {
		card = "payment_method"
	}
	form := url.Values{"amount": {strconv.FormatInt(p.amount, 10)}, "currency": {p.currency}, card: {p.card}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/v1/charges", strings.NewReader(form.Encode()))
	if err != nil {
		return nil, fmt.Errorf("build the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Authorization", "Bearer sk_test_"+p.owner)
	return req, nil
}

// fixKey gives the request its key. To start anew on a key file that is there
// could mean two things, so it does neither; to resume without one would pay a
// second time if only the file's name is wrong.
func (p purchase) fixKey(req *http.Request) error {
	store := retrypolicy.KeyFile(p.keyFile)
	stored, err := store.Read()
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("read the key file: %w", err)
	case err == nil && !p.resume:
		return fmt.Errorf("%w: %s is for %q. If that purchase is to go on, say --resume; a new purchase needs a file of its own. Nothing was sent",
			errKeyFileTaken, p.keyFile, stored.Intent)
	case err != nil && p.resume:
		return fmt.Errorf("%w: there is no %s. Without --resume a new purchase begins. Nothing was sent", errNothingToResume, p.keyFile)
	}
	return retrypolicy.FixKey(req, store, p.intent())
}

// policy makes room for all attempts that were asked for.
func (p purchase) policy() retrypolicy.Policy {
	policy := retrypolicy.Policy{MaxAttempts: p.attempts, AttemptTimeout: p.timeout, MaxRetryAfter: longestPause}
	policy.MaxElapsed = time.Duration(p.attempts) * (p.timeout + 2*longestPause)
	return policy
}

// outcome says what a definite answer means. An answer that settles nothing
// leaves the purchase unconfirmed: a 500, say, but also a refusal that comes
// after an attempt without an answer, since a 401 says nothing about that one,
// and a 409, which says that the key is known for something.
func (p purchase) outcome(stdout io.Writer, resp *retrypolicy.Response) error {
	var document struct {
		ID    string `json:"id"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	readable := json.Unmarshal(resp.Body, &document) == nil
	reason := document.Error.Message
	if reason == "" {
		reason = fmt.Sprintf("status %d", resp.Status)
	}
	switch {
	case resp.Status == http.StatusCreated && readable && document.ID != "":
		how := ""
		if resp.Header.Get("Idempotent-Replayed") == "true" {
			how = ", replayed: an earlier attempt had made it"
		}
		say(stdout, "paid: %s, %s%s\n", document.ID, components.Money(p.amount, p.currency), how)
		return nil
	case resp.Status == http.StatusPaymentRequired:
		return fmt.Errorf("%w: declined: %s Another card is another purchase, with a key file of its own", errNotPaid, reason)
	case resp.Status >= 400 && resp.Status < 500 && resp.Status != http.StatusConflict && resp.Attempts == 1 && !p.resume:
		return fmt.Errorf("%w: refused: %s", errNotPaid, reason)
	}
	return fmt.Errorf("%w: %s", errNotConfirmed, reason)
}

// chargeHooks print what the client does, and set sent once a byte may have
// left.
func chargeHooks(stdout io.Writer, sent *bool) retrypolicy.Hooks {
	return retrypolicy.Hooks{
		Attempt: func(_ context.Context, a retrypolicy.Attempt) {
			say(stdout, "attempt %d of %d: goes out under key %s\n", a.Number, a.Of, shortKey(a.Key))
		},
		Ended: func(_ context.Context, e retrypolicy.Ended) {
			*sent = *sent || !e.Unsent
			say(stdout, "attempt %d of %d: %s (after %v)\n", e.Number, e.Of, e.Reason, e.Elapsed.Round(time.Millisecond))
		},
		Wait: func(_ context.Context, w retrypolicy.Wait) {
			why := "backoff with full jitter"
			if w.RetryAfter {
				why = "the server asked for it"
			}
			say(stdout, "waits %v before attempt %d of %d: %s\n", w.Delay.Round(time.Millisecond), w.Next, w.Of, why)
		},
	}
}

// say prints a line. A terminal that fails to print must not stop a payment.
func say(stdout io.Writer, format string, args ...any) { _, _ = fmt.Fprintf(stdout, format, args...) }

// shortKey is enough of a key to recognise it, and too little to use it.
func shortKey(key string) string {
	if len(key) <= 8 {
		return key
	}
	return key[:8] + "…"
}

// numbered labels each attempt for whoever draws it.
type numbered struct{ *http.Transport }

func (n numbered) RoundTrip(req *http.Request) (*http.Response, error) {
	if attempt, ok := retrypolicy.AttemptFrom(req.Context()); ok {
		req = req.Clone(req.Context())
		req.Header.Set(network.HeaderAttempt, fmt.Sprintf("%d/%d", attempt.Number, attempt.Of))
	}
	return n.Transport.RoundTrip(req)
}
