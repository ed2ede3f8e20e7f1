package api

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"chargeonce/ledger"
	"chargeonce/web/control"
)

// running is a process that runs inside the test.
type running struct {
	t      *testing.T
	url    string
	stdin  *io.PipeWriter
	stdout *bufio.Scanner
	logs   *lockedBuffer
	end    context.CancelFunc
	ended  chan error
}

// start runs the process on a free port and waits for its first line.
func start(t *testing.T, config Config) *running {
	t.Helper()
	config.Listen = "127.0.0.1:0"
	if config.Data == "" && !config.Memory {
		config.Data = t.TempDir()
	}
	ctx, end := context.WithCancel(context.Background())
	in, stdin := io.Pipe()
	stdout, out := io.Pipe()
	r := &running{t: t, stdin: stdin, stdout: bufio.NewScanner(stdout), logs: &lockedBuffer{}, end: end, ended: make(chan error, 1)}
	go func() {
		r.ended <- Run(ctx, config, in, out, r.logs)
		_ = out.Close()
	}()
	t.Cleanup(func() {
		end()
		_ = stdin.Close()
		go func() { _, _ = io.Copy(io.Discard, stdout) }()
	})
	return r
}

// line reads one line of stdout.
func (r *running) line() string {
	r.t.Helper()
	if !r.stdout.Scan() {
		r.t.Fatalf("stdout ended: %v\n%s", r.stdout.Err(), r.logs)
	}
	return r.stdout.Text()
}

// stop ends the process and returns its error.
func (r *running) stop() error {
	r.end()
	return receive(r.t, r.ended)
}

func (r *running) post(key string) answer {
	r.t.Helper()
	b := &bench{t: r.t, url: r.url}
	return b.send(ask{key: key})
}

func TestAPlainServerSaysWhereItListensAndEndsInOrder(t *testing.T) {
	bank := newBank(t)
	config := Config{Provider: bank.url, Data: t.TempDir()}
	r := start(t, config)
	first := r.line()
	url, ok := strings.CutPrefix(first, "listening on ")
	if !ok || !strings.HasPrefix(url, "http://127.0.0.1:") {
		t.Fatalf("the first line is %q", first)
	}
	r.url = url
	paid := r.post("k")
	if paid.status != http.StatusCreated {
		t.Fatalf("%d %s", paid.status, paid.body)
	}
	_ = r.stdin.Close() // stdin is ignored: the server goes on
	if again := r.post("k"); again.body != paid.body {
		t.Errorf("%d %s", again.status, again.body)
	}
	response, err := http.Get(r.url + "/-/books")
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, response); got.status != http.StatusNotFound {
		t.Errorf("/-/ is served without --control: %d", got.status)
	}
	if err := r.stop(); err != nil {
		t.Errorf("ended with %v\n%s", err, r.logs)
	}
	if r.stdout.Scan() {
		t.Errorf("stdout has more than its one line: %q", r.stdout.Text())
	}

	again := start(t, config) // the same data: the answer survived
	again.url = strings.TrimPrefix(again.line(), "listening on ")
	if replay := again.post("k"); replay.body != paid.body || replay.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%d %s", replay.status, replay.body)
	}
	if err := again.stop(); err != nil {
		t.Error(err)
	}
}

func TestASecondProcessOnTheSameDataIsRefused(t *testing.T) { // P09, K13
	bank := newBank(t)
	config := Config{Provider: bank.url, Data: t.TempDir()}
	first := start(t, config)
	first.line()
	second := start(t, config)
	if err := receive(t, second.ended); !errors.Is(err, ledger.ErrLocked) {
		t.Errorf("the second ended with %v", err)
	}
	if err := first.stop(); err != nil {
		t.Error(err)
	}
}

func TestAPortInUseAndABadConfigAreErrors(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	config := Config{Listen: taken.Addr().String(), Data: t.TempDir(), Provider: "http://127.0.0.1:9"}
	if err := Run(t.Context(), config, nil, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "listen") {
		t.Errorf("port in use: %v", err)
	}
	if err := Run(t.Context(), Config{Lease: time.Second}, nil, io.Discard, io.Discard); !errors.Is(err, ErrUsage) {
		t.Errorf("contradictory durations: %v", err)
	}
	if err := Run(t.Context(), Config{Data: t.TempDir(), Listen: "127.0.0.1:0"}, nil, io.Discard, io.Discard); !errors.Is(err, ErrUsage) {
		t.Errorf("no simulated provider: %v", err)
	}
}

// onceCloser counts how often it is closed.
type onceCloser struct{ closed atomic.Int32 }

func (c *onceCloser) Close() error {
	c.closed.Add(1)
	return nil
}

func TestTheSimulatedProviderLivesBesideTheLedgerAndIsClosed(t *testing.T) {
	bank, closer, data := newBank(t), &onceCloser{}, t.TempDir()
	var folder string
	r := start(t, Config{Data: data, Sim: func(dir string) (ledger.Provider, io.Closer, error) {
		folder = dir
		cards, err := NewProvider(ProviderOptions{URL: bank.url})
		return cards, closer, err
	}})
	r.url = strings.TrimPrefix(r.line(), "listening on ")
	if got := r.post("k"); got.status != http.StatusCreated {
		t.Errorf("%d %s", got.status, got.body)
	}
	if !strings.HasPrefix(folder, data+string(os.PathSeparator)) {
		t.Errorf("the book is in %s", folder)
	}
	if err := r.stop(); err != nil || closer.closed.Load() != 1 {
		t.Errorf("%v, closed %d times", err, closer.closed.Load())
	}
	failing := errors.New("no book")
	err := Run(t.Context(), Config{Data: t.TempDir(), Listen: "127.0.0.1:0", Sim: func(string) (ledger.Provider, io.Closer, error) {
		return nil, nil, failing
	}}, nil, io.Discard, io.Discard)
	if !errors.Is(err, failing) {
		t.Errorf("ended with %v", err)
	}
}

// failedStore is a store in which a commit went wrong.
type failedStore struct {
	ledger.Store
	failed chan struct{}
}

func (f *failedStore) Failed() <-chan struct{} { return f.failed }

func TestAStoreInDoubtEndsTheProcess(t *testing.T) {
	bank := newBank(t)
	p := &process{config: Config{Provider: bank.url, Data: t.TempDir(), Listen: "127.0.0.1:0"}.withDefaults(), log: discard()}
	if err := p.open(); err != nil {
		t.Fatal(err)
	}
	store := &failedStore{p.store, make(chan struct{})}
	p.store = store
	cards, err := NewProvider(p.config.providerOptions(nil))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.build(cards); err != nil {
		t.Fatal(err)
	}
	var out lockedBuffer
	ended := make(chan error, 1)
	go func() { ended <- p.serve(t.Context(), func() {}, func() {}, nil, &out) }()
	eventually(t, "it listens", func() bool { return strings.Contains(out.String(), "listening on ") })
	b := &bench{t: t, url: strings.TrimSpace(strings.TrimPrefix(out.String(), "listening on "))}
	b.want(http.StatusOK, ask{method: "GET", path: "/healthz"})
	close(store.failed)
	if err := receive(t, ended); !errors.Is(err, ErrFailStop) {
		t.Errorf("ended with %v", err)
	}
	if err := p.close(); err != nil {
		t.Error(err)
	}
	s := &server{Options: Options{Store: store}}
	if got := s.health(t.Context(), &call{}); got.code() != http.StatusServiceUnavailable {
		t.Errorf("health says %d", got.code())
	}
}

func TestWorkUnderWayIsFinishedBeforeTheProcessEnds(t *testing.T) {
	bank := newBank(t)
	config := Config{Provider: bank.url, Data: t.TempDir()}
	r := start(t, config)
	r.url = strings.TrimPrefix(r.line(), "listening on ")
	arrived, release := bank.hold()
	var wg sync.WaitGroup
	wg.Go(func() {
		b := &bench{t: t, url: r.url}
		if got, err := b.try(ask{key: "k"}); err != nil || got.status != http.StatusCreated {
			t.Errorf("the request under way: %d %s %v", got.status, got.body, err)
		}
	})
	receive(t, arrived)
	r.end()
	eventually(t, "the port is closed", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
	release()
	wg.Wait()
	if err := receive(t, r.ended); err != nil {
		t.Error(err)
	}
}

// ups reads the control channel until a line fits.
func (r *running) ups(fits func(control.Up) bool) (found control.Up) {
	r.t.Helper()
	for {
		err := control.Read(strings.NewReader(r.line()), func(up control.Up) { found = up })
		if err != nil {
			r.t.Fatal(err)
		}
		if fits(found) {
			return found
		}
	}
}

func TestTheControlChannelCarriesReadinessEventsClockAndShutdown(t *testing.T) {
	bank := newBank(t)
	r := start(t, Config{Provider: bank.url, Control: true, ClockOffset: time.Hour})
	ready := r.ups(func(up control.Up) bool { return true })
	if ready.Type != "ready" || ready.URL == "" {
		t.Fatalf("the first line is %+v", ready)
	}
	r.url = ready.URL
	if got := r.post("k"); got.status != http.StatusCreated {
		t.Fatalf("%d %s", got.status, got.body)
	}
	r.ups(func(up control.Up) bool {
		return up.Event != nil && up.Event.Outcome == control.Started && up.Event.Key == "k"
	})
	r.ups(func(up control.Up) bool {
		return up.Event != nil && up.Event.Kind == control.KindResponse && up.Event.Status == 201
	})

	send := func(down control.Down) {
		t.Helper()
		if err := control.Write(r.stdin, down); err != nil {
			t.Fatal(err)
		}
	}
	send(control.Down{Type: "clock", OffsetMS: -1})
	send(control.Down{Type: "clock", OffsetMS: 1}) // back: refused
	send(control.Down{Type: "gate"})               // of a later issue: ignored
	send(control.Down{Type: "clock", OffsetMS: (26 * time.Hour).Milliseconds()})
	eventually(t, "the answer has expired", func() bool {
		b := &bench{t: t, url: r.url}
		got, err := b.try(ask{key: "k"})
		return err == nil && got.status == http.StatusConflict && got.doc(t).Error.Code == CodeResultExpired
	})
	if refused := strings.Count(r.logs.String(), "does not go back"); refused != 2 {
		t.Errorf("%d clock lines were refused, want 2", refused)
	}
	b := &bench{t: t, url: r.url}
	if books := look[control.LedgerBooks](b, "/-/books"); books.Owners["shop"].Charges != 1 {
		t.Errorf("%+v", books)
	}
	go func() { _ = control.Write(r.stdin, control.Down{Type: "shutdown"}) }()
	go func() {
		for r.stdout.Scan() { // the last events
		}
	}()
	if err := receive(t, r.ended); err != nil {
		t.Error(err)
	}
}

func TestAChildDoesNotOutliveItsStage(t *testing.T) {
	for what, last := range map[string]string{"end of stdin": "", "a broken line": "{nonsense\n"} {
		bank := newBank(t)
		r := start(t, Config{Provider: bank.url, Control: true})
		r.ups(func(up control.Up) bool { return up.Type == "ready" })
		if last != "" {
			if _, err := io.WriteString(r.stdin, last); err != nil {
				t.Fatal(err)
			}
		} else if err := r.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		if err := receive(t, r.ended); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestAStageThatDoesNotReadHoldsNobodyUpAndLearnsWhatItMissed(t *testing.T) {
	out, in := io.Pipe()
	up := newUpward(in)
	up.send(control.Up{Type: "ready"})
	const more = 100
	for range maxQueue + more + 1 { // none of these may block
		up.event(control.Event{Text: "x"})
	}
	dropped, lines := 0, 0
	read := make(chan error, 1)
	go func() {
		read <- control.Read(out, func(line control.Up) {
			lines++
			dropped += line.Dropped
		})
	}()
	eventually(t, "the queue is read", func() bool { return len(up.queue) == 0 })
	up.event(control.Event{Text: "last"}) // carries the count
	up.close()
	<-up.ended
	_ = in.Close()
	if err := receive(t, read); err != nil {
		t.Fatal(err)
	}
	if dropped < more || lines+dropped != maxQueue+more+3 {
		t.Errorf("%d lines came, %d are said to be dropped", lines, dropped)
	}
	up.event(control.Event{}) // after the end: harmless
}
