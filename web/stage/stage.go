// Package stage is the process that people start: it runs the boxes of the
// demo, supervises the payments API processes, keeps the run log, and serves
// the pages, the control calls and the live panel.
//
//	stage.go      open, serve, close; route.go what is served where; log.go
//	rig.go        both sides; system.go one of them; boxes.go what runs in it
//	child.go      the supervisor of one API process
//	gates.go      where its requests stop; holds.go those that stand there
//	adapt.go      what the API process tells, as events of the panel;
//	              shopevents.go, wireevents.go, providerevents.go the others
//	runlog.go     numbered events, counters, the ring; scene.go, story.go
//	hub.go        websockets
//	exchanges.go  what stood on the wires; exchange.go, exchangeview.go one of it
//	export.go     what is taken home: exportpage.go, exportcurl.go, exportwords.go
//	runs.go       lesson runs; run.go one of them; runside.go for its script,
//	              runsend.go, runcart.go; storm.go its storm on virtual time
//	commands.go   control calls: those that ask; *commands.go those that act;
//	              decode.go their bodies; problem.go their refusals
//	clock.go      the retention clock of a side
//	pages.go      the pages; checkout.go the forms; lessonpages.go
//	connect.go    for clients of one's own; snippets.go their programs
//	help.go       every error code; errorwords.go what is said of it
//	reset.go      fresh books and the way back; resetparts.go their folders,
//	              chapter.go their log, resetcommands.go
//	books.go      the three books side by side; views*.go as tables
//	guard.go      who may ask
package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"sync"
	"time"

	"chargeonce/ledger/badgerdb"
)

// openWithin bounds the start: a payments API process and three stores.
const openWithin = 30 * time.Second

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

// Stage is a running stage. It is safe for concurrent use.
type Stage struct {
	options Options
	log     *runLog
	hub     *hub
	manual  *rig         // free play
	undo    undo         // of a reset of free play
	release func() error // of the data folder's lock
	runs    *runs        // lessons
	token   string       // see [Stage.Token]

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
		return nil, fmt.Errorf("%w: %w", errNoPort, err)
	}
	s.listener = listener
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.closeRigs(), listener.Close())
	}
	s.route()
	return s, nil
}

// open takes the data folder and starts what works in it. On an error some of it
// may be open.
func (s *Stage) open(ctx context.Context) (err error) {
	o := s.options
	if s.release, err = badgerdb.Lock(o.Data); err != nil {
		return s.taken(err)
	}
	if err := mendParts(o.Data); err != nil {
		return err
	}
	s.manual, err = openRig(ctx, rigOptions{
		Exe: o.Exe, Data: o.Data, Owner: "shop", Seed: o.Seed, Latency: manualLatency,
		Mistake: o.firstMistake(), Patient: true, Log: lockedWriter{s}, Emit: s.log.add,
		Record: s.log.exchanges.add,
	})
	if err != nil {
		return s.taken(err)
	}
	// Cleans up, so only now that the locks say whose data this is.
	s.runs, err = newRuns(RunOptions{Exe: o.Exe, Data: o.Data, Mistakes: o.Mistakes, Log: lockedWriter{s}})
	return err
}

// taken says so where others are at work on the same data.
func (s *Stage) taken(err error) error {
	if errors.Is(err, badgerdb.ErrLocked) {
		return fmt.Errorf("%w: %s", errDataTaken, s.options.Data)
	}
	return err
}

// closeRigs ends what open has started, as far as it has.
func (s *Stage) closeRigs() error {
	var all []error
	if s.runs != nil {
		s.runs.close()
	}
	if s.manual != nil {
		all = append(all, s.endUndo(), s.manual.close())
	}
	if s.release != nil {
		all = append(all, s.release())
	}
	return errors.Join(all...)
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
	return errors.Join(err, s.closeRigs())
}
