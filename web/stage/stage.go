// Package stage is the process that people start: it runs the boxes of the
// demo, supervises the payments API processes, keeps the run log, and serves
// the pages, the control calls and the live panel.
//
//	stage.go      open, serve, close
//	rig.go        one side's boxes: shop, wires, API process, card provider
//	child.go      the supervisor of one API process
//	adapt.go      what the boxes tell, as events
//	runlog.go     numbered events, counters, the ring; scene.go, story.go
//	hub.go        websockets
//	commands.go   control calls; checkout.go the forms; pages.go the pages
//	books.go      the three books side by side; views.go as tables
//	guard.go      who may ask
package stage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"chargeonce/ledger/badgerdb"
	"chargeonce/web/control"
)

// openWithin bounds the start: a payments API process and three stores.
const openWithin = 30 * time.Second

// quiet is for servers whose clients break connections on purpose.
var quiet = log.New(io.Discard, "", 0)

// Options of a stage. Exe, Data and Listen are required.
type Options struct {
	Exe    string // the binary whose `api` subcommand the children run
	Data   string // folder for all books; made if missing
	Listen string // HOST:PORT; port 0 takes a free one
	Host   string // Host header to accept besides loopback names; "": none
	Seed   uint64 // of the jitter; 0: from the clock
	Log    io.Writer
	Source fs.FS // the repository's own code, which lessons show; nil: none

	// Mistakes are what the naive side can do wrong; it begins with the first.
	Mistakes []Mistake
}

// firstMistake is the naive side's, until another is chosen.
func (o Options) firstMistake() Mistake {
	if len(o.Mistakes) == 0 {
		return Mistake{}
	}
	return o.Mistakes[0]
}

// Stage is a running stage. It is safe for concurrent use.
type Stage struct {
	options Options
	log     *runLog
	hub     *hub
	manual  *rig   // free play
	runs    *runs  // lessons
	token   string // see [Stage.Token]

	listener net.Listener
	server   *http.Server

	logging  sync.Mutex // one line at a time to options.Log; guards lastLine
	lastLine string
}

// Open starts everything but answers nobody yet; see [Stage.Serve]. On an
// error nothing is left running.
func Open(ctx context.Context, o Options) (*Stage, error) {
	if o.Seed == 0 {
		o.Seed = newSeed()
	}
	s := &Stage{options: o, log: newRunLogOfLife(time.Now())}
	listener, err := net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	s.listener = listener
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	s.manual, err = openRig(ctx, rigOptions{
		Exe: o.Exe, Data: o.Data, Owner: "shop", Seed: o.Seed, Latency: manualLatency,
		Mistake: o.firstMistake(), Patient: true, Log: lockedWriter{s}, Emit: s.log.add,
	})
	if errors.Is(err, badgerdb.ErrLocked) {
		return nil, errors.Join(fmt.Errorf("%w: %s", errDataTaken, o.Data), listener.Close())
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	// Cleans up, so only now that the rig's locks say whose data this is.
	s.runs, err = newRuns(RunOptions{Exe: o.Exe, Data: o.Data, Mistakes: o.Mistakes, Log: lockedWriter{s}})
	if err != nil {
		return nil, errors.Join(err, s.manual.close(), listener.Close())
	}
	s.route()
	return s, nil
}

// newSeed takes a seed from the clock, short enough to be read out.
func newSeed() uint64 { return uint64(time.Now().UnixMilli() % 100_000) }

// jitter draws from [0,1), the same sequence for the same seed.
func jitter(seed uint64) func() float64 {
	var mu sync.Mutex // a source is not safe for concurrent use
	source := mathrand.New(mathrand.NewPCG(seed, seed))
	return func() float64 {
		mu.Lock()
		defer mu.Unlock()
		return source.Float64()
	}
}

func (s *Stage) route() {
	if s.options.Host != "" {
		s.token = rand.Text()
	}
	guard := newGuard(s.listener.Addr(), s.options.Host, s.token)
	s.hub = newHub(s.logOf, s.live, guard.sameOrigin)
	mux := http.NewServeMux()
	s.commands(mux)
	s.runCommands(mux)
	s.pages(mux)
	s.lessonPages(mux)
	guarded := guard.wrap(mux)
	wires := guard.admit(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		side := control.Safe
		if below(r.URL.Path, naivePrefix) {
			side = control.Naive
		}
		s.manual.system(side).api.ServeHTTP(w, r)
	}))
	s.server = &http.Server{
		// The wires come before every mux: they forward paths as they were
		// sent, which a mux would clean and redirect.
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if below(r.URL.Path, "/v1") || below(r.URL.Path, naivePrefix+"/v1") {
				wires.ServeHTTP(w, r)
				return
			}
			guarded.ServeHTTP(w, r)
		}),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		ErrorLog:          quiet,
	}
}

// below tells the payments API's paths from the stage's own.
func below(path, prefix string) bool {
	rest, found := strings.CutPrefix(path, prefix)
	return found && (rest == "" || rest[0] == '/')
}

// logOf is the log of a run, or of free play; nil if there is no such run.
func (s *Stage) logOf(run string) *runLog {
	if run == "" {
		return s.log
	}
	return s.runs.logOf(run)
}

// URL is where people find the stage.
func (s *Stage) URL() string { return "http://" + s.listener.Addr().String() }

// Token is what control calls must show on a stage that others can reach; ""
// on loopback, where none is needed.
func (s *Stage) Token() string { return s.token }

// Serve answers until ctx ends, then closes everything in order: panels get
// close code 1012, payment loops stop (their orders stay open in the journal),
// the API process ends, the books are closed.
func (s *Stage) Serve(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() { failed <- s.server.Serve(s.listener) }()
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
		err = fmt.Errorf("serve: %w", err)
	}
	return errors.Join(err, s.close())
}

// close does not wait for the handlers under way: a lost answer would cost
// nobody anything, and a held request could stand for ever. What they ask for
// after this is refused by whoever is closed, so that nothing begins that
// nobody ends.
func (s *Stage) close() error {
	s.hub.close()
	err := s.server.Close()
	s.runs.close()
	return errors.Join(err, s.manual.close())
}

func (s *Stage) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(lockedWriter{s}, format+"\n", args...)
}

// lockedWriter keeps the lines of several writers apart.
type lockedWriter struct{ stage *Stage }

// Write writes one chunk at a time. A chunk that repeats the one before says
// nothing new (a process that is started again and again for the same reason)
// and is left out.
func (w lockedWriter) Write(text []byte) (int, error) {
	w.stage.logging.Lock()
	defer w.stage.logging.Unlock()
	if w.stage.lastLine == string(text) {
		return len(text), nil
	}
	w.stage.lastLine = string(text)
	return w.stage.options.Log.Write(text)
}
