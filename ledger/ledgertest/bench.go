package ledgertest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

const (
	// lease is that of the suite's ledgers, on the clock that is set by hand.
	lease = 30 * time.Second
	// patience bounds every wait for a condition. It is never waited out where
	// the code is right.
	patience = 30 * time.Second
)

// bench is what one test works with.
type bench struct {
	t        testing.TB
	store    ledger.Store
	clock    *Clock
	provider *Provider
	ledger   *ledger.Ledger
	log      *log
}

func newBench(t testing.TB, open Open) *bench {
	t.Helper()
	b := &bench{t: t, store: open(t), clock: NewClock(), provider: &Provider{}, log: newLog()}
	t.Cleanup(b.finish)
	b.ledger = b.newLedger(func(*ledger.Options) {})
	return b
}

// newLedger is one more process on the same books, as far as a ledger knows.
func (b *bench) newLedger(tune func(*ledger.Options)) *ledger.Ledger {
	b.t.Helper()
	options := ledger.Options{
		Store: b.store, Provider: b.provider, Terms: idem.Terms{Lease: lease},
		BusyWait: patience, ProviderSpan: lease - 1,
		Now: b.clock.Now, Offset: b.clock.Offset, Hooks: b.log.hooks(),
	}
	tune(&options)
	l, err := ledger.New(options)
	if err != nil {
		b.t.Fatalf("new ledger: %v", err)
	}
	b.t.Cleanup(func() { // runs before finish, which needs the books at rest
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := l.Close(ctx); err != nil {
			b.t.Errorf("close ledger: %v", err)
		}
	})
	return l
}

// finish audits what the test leaves behind.
func (b *bench) finish() {
	if err := b.audit(); err != nil {
		b.t.Errorf("the books are wrong:\n%v", err)
	}
	if err := b.store.Close(); err != nil {
		b.t.Errorf("close store: %v", err)
	}
}

func (b *bench) audit() error {
	return b.store.View(context.Background(), func(r ledger.Reader) error {
		if err := Audit(r); err != nil {
			return err
		}
		return auditProvider(r, b.provider)
	})
}

// auditProvider holds the ledger against the provider's own book: what one says
// was taken, the other has taken, under the key of that charge.
func auditProvider(r ledger.Reader, p *Provider) error {
	for key, order := range p.Captures() {
		owner, id, _ := strings.Cut(order.Reference, "/")
		c, found, err := r.Charge(id)
		if err != nil {
			return err
		}
		if !found || c.Owner != owner || c.ProviderKey() != key || c.Amount != order.Amount || c.Status == ledger.Failed {
			return fmt.Errorf("the provider captured %v under %s, the ledger has %+v", order, key, c)
		}
	}
	owners, err := r.Owners(ledger.MaxPage)
	if err != nil {
		return err
	}
	for _, owner := range owners {
		charges, err := allCharges(r, owner.Name)
		if err != nil {
			return err
		}
		for _, c := range charges {
			if _, taken := p.Captures()[c.ProviderKey()]; c.Status == ledger.Succeeded && !taken {
				return fmt.Errorf("%s succeeded, but the provider has not captured it", c.ID)
			}
		}
	}
	return nil
}

// request is a request for €50.00; change makes it another.
func request(key string, change ...func(*ledger.ChargeRequest)) ledger.ChargeRequest {
	req := ledger.ChargeRequest{
		Key: idem.Key{Owner: "shop", Value: key}, Operation: "POST /v1/charges", Request: "req_" + key,
		Amount: 5000, Currency: "eur", Card: "tok_visa",
	}
	for _, c := range change {
		c(&req)
	}
	req.Fingerprint = idem.NewFingerprint("POST", "/v1/charges", nil, idem.Params{
		"amount": fmt.Sprint(req.Amount), "currency": req.Currency,
	})
	return req
}

func amount(minor int64) func(*ledger.ChargeRequest) {
	return func(r *ledger.ChargeRequest) { r.Amount = minor }
}

func owner(name string) func(*ledger.ChargeRequest) {
	return func(r *ledger.ChargeRequest) { r.Key.Owner = name }
}

// impatient does not wait for a busy key.
func impatient(r *ledger.ChargeRequest) { r.Wait = -1 }

// answer is what a call of Charge returned.
type answer struct {
	ledger.Result
	err error
}

// charge calls and waits.
func (b *bench) charge(req ledger.ChargeRequest) answer {
	result, err := b.ledger.Charge(context.Background(), req)
	return answer{result, err}
}

// start calls and does not wait.
func (b *bench) start(req ledger.ChargeRequest) <-chan answer {
	done := make(chan answer, 1)
	go func() { done <- b.charge(req) }()
	return done
}

// must calls and insists on the outcome and on a stored answer of this status.
func (b *bench) must(req ledger.ChargeRequest, outcome idem.Outcome, status int) answer {
	b.t.Helper()
	return b.check(b.charge(req), outcome, status)
}

func (b *bench) check(a answer, outcome idem.Outcome, status int) answer {
	b.t.Helper()
	if a.err != nil || a.Outcome != outcome || a.Record.Answer.Status != status {
		b.t.Fatalf("got %v, status %d, error %v; want %v, status %d",
			a.Outcome, a.Record.Answer.Status, a.err, outcome, status)
	}
	return a
}

// result waits for a call that was started.
func (b *bench) result(done <-chan answer) answer {
	b.t.Helper()
	select {
	case a := <-done:
		return a
	case <-time.After(patience):
		b.t.Fatal("the call does not come back")
		return answer{}
	}
}

// arrives waits until a call stands at the gate.
func (b *bench) arrives(g *Gate) {
	b.t.Helper()
	select {
	case <-g.Arrived():
	case <-time.After(patience):
		b.t.Fatal("nobody comes to the gate")
	}
}

// view reads the books.
func (b *bench) view(fn func(ledger.Reader) error) {
	b.t.Helper()
	if err := b.store.View(context.Background(), fn); err != nil {
		b.t.Fatalf("view: %v", err)
	}
}

// books is everything that money is written in.
type books struct {
	Charges  []ledger.Charge
	Postings []ledger.Posting
	Balances ledger.Balances
}

func (b *bench) books(owner string) (all books) {
	b.t.Helper()
	b.view(func(r ledger.Reader) (err error) {
		if all.Charges, err = allCharges(r, owner); err != nil {
			return err
		}
		if all.Postings, err = r.Postings(10_000); err != nil {
			return err
		}
		all.Balances, err = r.Balances()
		return err
	})
	return all
}

// record reads the record of a key.
func (b *bench) record(key idem.Key) (record idem.Record) {
	b.t.Helper()
	b.view(func(r ledger.Reader) error {
		found, ok, err := r.Record(key)
		if err == nil && !ok {
			err = fmt.Errorf("no record of %v", key)
		}
		record = found
		return err
	})
	return record
}

// captures insists on how often the card was charged.
func (b *bench) captures(want int) {
	b.t.Helper()
	if got := b.provider.Captures(); len(got) != want {
		b.t.Errorf("the provider captured %d times: %v; want %d", len(got), got, want)
	}
}

// log collects what the hooks say, as short lines.
type log struct {
	mu    sync.Mutex // guards lines
	lines []string
	news  *sync.Cond // of mu; told about each line
}

func newLog() *log {
	l := &log{}
	l.news = sync.NewCond(&l.mu)
	return l
}

func (l *log) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
	l.news.Broadcast()
}

// count is how many lines begin with the prefix.
func (l *log) count(prefix string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.counted(prefix)
}

// all lists the lines that begin with the prefix.
func (l *log) all(prefix string) (lines []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.HasPrefix(line, prefix) {
			lines = append(lines, line)
		}
	}
	return lines
}

// counted needs the lock.
func (l *log) counted(prefix string) (n int) {
	for _, line := range l.lines {
		if strings.HasPrefix(line, prefix) {
			n++
		}
	}
	return n
}

// await waits until n lines begin with the prefix.
func (l *log) await(t testing.TB, prefix string, n int) {
	t.Helper()
	late := time.AfterFunc(patience, func() { l.add("(waited too long)") })
	defer late.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.counted(prefix) < n && l.counted("(waited too long)") == 0 {
		l.news.Wait()
	}
	if l.counted(prefix) < n {
		t.Fatalf("not %d lines %q in:\n%s", n, prefix, strings.Join(l.lines, "\n"))
	}
}

func (l *log) hooks() ledger.Hooks {
	return ledger.Hooks{
		Decided: func(_ context.Context, key idem.Key, d idem.Decision) {
			l.add("decided %v %s", d.Outcome, key.Value)
		},
		Committed: func(_ context.Context, c ledger.Commit) {
			l.add("committed %d %s %s", c.Phase, c.Charge.Key, strings.Join(c.Rows, " "))
		},
		ProviderCall: func(_ context.Context, c ledger.ProviderCall) {
			l.add("calls lookup=%v %s", c.Lookup, c.Charge.Key)
		},
		ProviderAnswered: func(_ context.Context, a ledger.ProviderAnswer) {
			l.add("answered lookup=%v %s err=%v", a.Lookup, a.Charge.Key, a.Err)
		},
		Unknown: func(_ context.Context, c ledger.Charge, err error) { l.add("unknown %s %v", c.Key, err) },
		Fenced:  func(_ context.Context, c ledger.Charge, _ idem.Record) { l.add("fenced %s", c.Key) },
		At:      func(_ context.Context, point string) { l.add("at %s", point) },
	}
}
