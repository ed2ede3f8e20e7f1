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
			l.add("committed %d %s %s", c.Phase, c.Work.Key().Value, strings.Join(c.Rows, " "))
		},
		ProviderCall: func(_ context.Context, c ledger.ProviderCall) {
			l.add("calls lookup=%v %s", c.Lookup, c.Work.Key().Value)
		},
		ProviderAnswered: func(_ context.Context, a ledger.ProviderAnswer) {
			l.add("answered lookup=%v %s err=%v", a.Lookup, a.Work.Key().Value, a.Err)
		},
		Unknown:    func(_ context.Context, w ledger.Work, err error) { l.add("unknown %s %v", w.Key().Value, err) },
		Fenced:     func(_ context.Context, w ledger.Work, _ idem.Record) { l.add("fenced %s", w.Key().Value) },
		Completing: func(_ context.Context, r idem.Record) { l.add("completing %s", r.Key.Value) },
		Trouble:    func(_ context.Context, what string, err error) { l.add("trouble %s %v", what, err) },
		At:         func(_ context.Context, point string) { l.add("at %s", point) },
	}
}
