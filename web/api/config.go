package api

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// Defaults of [Config].
const (
	DefaultListen = "127.0.0.1:8081"
	// providerSim is the provider that runs inside this process.
	providerSim = "sim"
	// spanSlack is what a provider call may take beyond its policy, for
	// scheduling.
	spanSlack = 100 * time.Millisecond
	// DefaultCompleteAfter leaves clients time to come back by themselves.
	DefaultCompleteAfter = 30 * time.Second
	// Never is a time after which something does not happen at all.
	Never time.Duration = -1
	// reapEvery is how often expired answers and keys are removed. They are
	// judged by their own times, so it decides about disk space alone.
	reapEvery = time.Minute
)

// conflictStatuses are what clients of one dialect or another take for "this
// key belongs to another request".
var conflictStatuses = []int{http.StatusConflict, http.StatusBadRequest, http.StatusUnprocessableEntity}

// Config says how a payments API process runs. The zero value means the
// defaults of the flags, field by field.
type Config struct {
	Listen string // HOST:PORT; port 0 takes a free one
	Data   string // folder of the ledger; empty: chargeonce/api in the user's cache folder
	Memory bool   // keep the ledger in memory: nothing outlives the process

	Provider         string // "sim", "instant" or the provider's URL
	ProviderTimeout  time.Duration
	ProviderAttempts int

	Lease       time.Duration
	Retain      time.Duration
	Tombstone   time.Duration
	RetryWindow time.Duration // how long clients go on trying; bounds Retain from below
	BusyWait    time.Duration
	// CompleteAfter is how long nobody may come back for unfinished work until
	// the process completes it by itself; [Never] leaves it to clients.
	CompleteAfter time.Duration

	// ConflictStatus answers a key that belongs to another request: 409, 400
	// or 422. See [Options.ConflictStatus].
	ConflictStatus int

	Control     bool          // speak the control channel on stdin and stdout
	ClockOffset time.Duration // how far the retention clock is ahead
	CrashAt     string        // POINT[:N]: SIGKILL ourselves when POINT is passed the Nth time

	Webhook        string        // URL that events are delivered to; empty: nobody is told
	WebhookSecret  string        // whsec_ and the base64 of 24 to 64 bytes; signs each delivery
	WebhookTimeout time.Duration // of one attempt at a delivery

	// Mistake names what the process does wrong on purpose; empty: nothing.
	// Mistakes, handed in like Sim, knows what a name stands for; Decorate is
	// used where none is named.
	Mistake  string
	Mistakes func(name string) (Decorate, bool)
	Decorate Decorate

	// Sim opens the simulated provider with its book in dir. It is handed in,
	// because this package must not know that provider; needed for "sim" only.
	Sim func(dir string) (ledger.Provider, io.Closer, error)
}

// ParseFlags reads the command line of `chargeonce api`. The error is
// [ErrUsage] for an unknown flag or a bad value, contradictory durations
// included; for -h and --help it is [flag.ErrHelp], and its text is the help.
func ParseFlags(args []string) (Config, error) {
	var c Config
	flags := c.flagSet()
	var help strings.Builder
	flags.SetOutput(&help)
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return Config{}, helpError(help.String())
		}
		return Config{}, fmt.Errorf("%w: %w", ErrUsage, err)
	}
	if flags.NArg() > 0 {
		return Config{}, fmt.Errorf("%w: %q is too much; flags begin with --", ErrUsage, flags.Arg(0))
	}
	// The flags have their defaults by now: a zero was asked for, and is checked.
	if c.CompleteAfter == 0 {
		c.CompleteAfter = Never
	} else if c.CompleteAfter < 0 {
		return Config{}, fmt.Errorf("%w: --complete-after must not be negative", ErrUsage)
	}
	if err := c.check(); err != nil {
		return Config{}, err
	}
	return c, nil
}

func (c *Config) flagSet() *flag.FlagSet {
	flags := flag.NewFlagSet("chargeonce api", flag.ContinueOnError)
	flags.StringVar(&c.Listen, "listen", DefaultListen, "address, HOST:PORT; port 0 takes a free one")
	flags.StringVar(&c.Data, "data", "", "folder of the ledger (default: chargeonce/api in the user's cache folder)")
	flags.BoolVar(&c.Memory, "memory", false, "keep the ledger in memory: nothing outlives the process")
	flags.StringVar(&c.Provider, "provider", providerSim, "card provider: sim, the URL of one, or instant, which answers at once and keeps no book, for benchmarks")
	flags.DurationVar(&c.ProviderTimeout, "provider-timeout", DefaultProviderTimeout, "of one attempt at the card provider")
	flags.IntVar(&c.ProviderAttempts, "provider-attempts", DefaultProviderAttempts, "attempts of one call of the card provider")
	flags.DurationVar(&c.Lease, "lease", idem.DefaultLease, "how long a claim lives without a sign of life")
	flags.DurationVar(&c.Retain, "retain", idem.DefaultRetain, "how long an answer is replayed")
	flags.DurationVar(&c.Tombstone, "tombstone", idem.DefaultTombstone, "how long a key refuses to run again")
	flags.DurationVar(&c.RetryWindow, "retry-window", ledger.DefaultRetryWindow, "how long clients retry; must be shorter than --retain")
	flags.DurationVar(&c.BusyWait, "busy-wait", ledger.DefaultBusyWait, "how long a busy request waits for the one at work")
	flags.DurationVar(&c.CompleteAfter, "complete-after", DefaultCompleteAfter, "how long nobody may come back for unfinished work until it is completed without them; 0: for ever")
	flags.IntVar(&c.ConflictStatus, "conflict-status", http.StatusConflict, "answer to a key that belongs to another request: 409, or 400 or 422 for other dialects")
	flags.BoolVar(&c.Control, "control", false, "speak JSON lines on stdin and stdout; for the stage")
	flags.DurationVar(&c.ClockOffset, "clock-offset", 0, "how far the retention clock is ahead")
	flags.StringVar(&c.Webhook, "webhook", "", "URL that signed events are delivered to; none: nobody is told")
	flags.StringVar(&c.WebhookSecret, "webhook-secret", "", "whsec_ and base64, the secret that signs deliveries")
	flags.DurationVar(&c.WebhookTimeout, "webhook-timeout", DefaultWebhookTimeout, "of one attempt at a delivery")
	flags.StringVar(&c.Mistake, "mistake", "", "NAME: be wrong on purpose; for the naive side of the stage")
	flags.StringVar(&c.CrashAt, "crash-at", "", "POINT[:N]: kill ourselves when POINT is passed the Nth time; for tests")
	return flags
}

// helpError is the help, on its way to whoever prints.
type helpError string

func (h helpError) Error() string        { return string(h) }
func (h helpError) Is(target error) bool { return target == flag.ErrHelp }

func (c Config) withDefaults() Config {
	orText(&c.Listen, DefaultListen)
	orText(&c.Provider, providerSim)
	orDuration(&c.ProviderTimeout, DefaultProviderTimeout)
	if c.ProviderAttempts == 0 {
		c.ProviderAttempts = DefaultProviderAttempts
	}
	if c.ConflictStatus == 0 {
		c.ConflictStatus = http.StatusConflict
	}
	orDuration(&c.Lease, idem.DefaultLease)
	orDuration(&c.Retain, idem.DefaultRetain)
	orDuration(&c.Tombstone, idem.DefaultTombstone)
	orDuration(&c.RetryWindow, ledger.DefaultRetryWindow)
	orDuration(&c.BusyWait, ledger.DefaultBusyWait)
	orDuration(&c.CompleteAfter, DefaultCompleteAfter)
	orDuration(&c.WebhookTimeout, DefaultWebhookTimeout)
	return c
}

// check refuses what would charge twice, block a customer, or make no sense.
func (c Config) check() error {
	for name, d := range map[string]time.Duration{
		"provider-timeout": c.ProviderTimeout, "lease": c.Lease, "retain": c.Retain, "tombstone": c.Tombstone,
		"retry-window": c.RetryWindow, "busy-wait": c.BusyWait,
		"webhook-timeout": c.WebhookTimeout,
	} {
		if d < time.Millisecond {
			return fmt.Errorf("%w: --%s must be at least 1ms", ErrUsage, name)
		}
	}
	if c.ProviderAttempts < 1 || c.ProviderAttempts > 100 {
		return fmt.Errorf("%w: --provider-attempts must be 1 to 100", ErrUsage)
	}
	if c.CompleteAfter != Never && c.CompleteAfter < time.Millisecond {
		return fmt.Errorf("%w: --complete-after must be 0, or at least 1ms", ErrUsage)
	}
	if c.Memory && c.Data != "" {
		return fmt.Errorf("%w: --memory keeps nothing in a folder: leave --data out", ErrUsage)
	}
	if !slices.Contains(conflictStatuses, c.ConflictStatus) {
		return fmt.Errorf("%w: --conflict-status must be 409, 400 or 422", ErrUsage)
	}
	if c.ClockOffset < 0 {
		return fmt.Errorf("%w: --clock-offset must not be negative: a clock that goes back would revive what has expired", ErrUsage)
	}
	if err := c.checkAddresses(); err != nil {
		return err
	}
	if _, err := parseCrashAt(c.CrashAt); err != nil {
		return err
	}
	if err := c.terms().Validate(c.providerSpan(), c.RetryWindow); err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	return nil
}

func (c Config) checkAddresses() error {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("%w: --listen must be HOST:PORT", ErrUsage)
	}
	if ip := net.ParseIP(host); c.Control && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("%w: with --control the address must be a loopback one, since /-/ asks for no credential", ErrUsage)
	}
	if c.Provider != providerSim && c.Provider != providerInstant {
		if _, err := NewProvider(ProviderOptions{URL: c.Provider}); err != nil {
			return err
		}
	}
	return c.checkWebhook()
}

func (c Config) terms() idem.Terms {
	return idem.Terms{Lease: c.Lease, Retain: c.Retain, Tombstone: c.Tombstone}
}

func (c Config) providerOptions(trace Tracer) ProviderOptions {
	return ProviderOptions{URL: c.Provider, Timeout: c.ProviderTimeout, Attempts: c.ProviderAttempts, Trace: trace}
}

// providerSpan is the longest time that one provider call takes, with all its
// attempts; the lease must exceed it.
func (c Config) providerSpan() time.Duration {
	return c.providerOptions(nil).Policy().Span() + spanSlack
}

// folder is where the ledger lives.
func (c Config) folder() (string, error) {
	if c.Data != "" {
		return c.Data, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache folder (use --data): %w", err)
	}
	return filepath.Join(cache, "chargeonce", "api"), nil
}

func orText(text *string, fallback string) {
	if *text == "" {
		*text = fallback
	}
}

func orDuration(d *time.Duration, fallback time.Duration) {
	if *d == 0 {
		*d = fallback
	}
}
