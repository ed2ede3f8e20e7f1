package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"chargeonce/ledger"
	"chargeonce/web/control"
)

const (
	// headerTimeout and idleTimeout free connections that say nothing.
	headerTimeout = 10 * time.Second
	idleTimeout   = 2 * time.Minute
	// maxHeaderBytes lets an absurdly long key come through to the refusal that
	// explains it, instead of net/http's bare 431.
	maxHeaderBytes = 128 << 10
	// endSlack is what a shutdown may take beyond the provider calls under way.
	endSlack = 2 * time.Second
)

// process is a running payments API with everything that it opened.
type process struct {
	config   Config
	decorate Decorate
	log      *slog.Logger
	up       *upward // nil without --control
	offset   atomic.Int64
	crash    *crashAt
	gates    *gates
	deliver  *deliverer // to the consumer of --webhook and to the endpoints of owners
	store    ledger.Store
	ledger   *ledger.Ledger
	server   *http.Server
	closers  []func() error // in the order of opening
}

// Run is the process `chargeonce api`: it opens the ledger, serves, says on
// stdout where it listens, and ends in order when ctx does, on SIGINT and
// SIGTERM, and with --control also at the end of stdin. Work under way is
// finished first. The error is [ErrUsage] for a bad configuration,
// [ledger.ErrLocked] where another process uses the data, and [ErrFailStop]
// after a commit whose outcome nobody knows.
func Run(ctx context.Context, config Config, stdin io.Reader, stdout, stderr io.Writer) error {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, end := context.WithCancel(ctx)
	defer end()
	p := &process{config: config, log: newLog(config, stderr)}
	p.offset.Store(int64(config.ClockOffset))
	var err error
	if p.decorate, err = config.decoration(); err != nil {
		return err
	}
	if config.Control {
		// A stage that died must not take us along through a broken pipe: its
		// end is seen at stdin.
		signal.Ignore(syscall.SIGPIPE)
		p.up = newUpward(stdout)
		defer p.closeChannel()
	}
	if err = p.open(); err == nil {
		err = p.serve(ctx, stop, end, stdin, stdout)
	}
	return errors.Join(err, p.close())
}

// serve runs until something ends it, then finishes in order.
func (p *process) serve(ctx context.Context, stop, end func(), stdin io.Reader, stdout io.Writer) error {
	listener, err := net.Listen("tcp", p.config.Listen)
	if err != nil {
		return fmt.Errorf("this address cannot be had; choose another with --listen: %w", err)
	}
	served := make(chan error, 1)
	go func() { served <- p.server.Serve(listener) }()
	if err = p.announce("http://"+listener.Addr().String(), stdout); err != nil {
		end()
	}
	if p.up != nil {
		go p.follow(stdin, end) // ends with stdin, or with the process
	}
	select {
	case <-ctx.Done():
	case <-p.store.Failed():
		err = ErrFailStop
	case err = <-served:
		err = fmt.Errorf("serve: %w", err)
	}
	stop() // a second signal ends the process at once
	return errors.Join(err, p.finish())
}

// announce is the one line that scripts, or the stage, wait for.
func (p *process) announce(url string, stdout io.Writer) error {
	p.log.Info("listening", "url", url)
	if p.up != nil {
		_ = p.up.send(control.Up{Type: "ready", URL: url}) // the first line of an empty queue
		return nil
	}
	if _, err := fmt.Fprintf(stdout, "listening on %s\n", url); err != nil {
		return fmt.Errorf("tell the address: %w", err)
	}
	return nil
}

// finish lets requests and detached work come to their end, within a bound.
// What is held goes on first; then both at once, since the ledger's closing is
// what ends waiting requests.
func (p *process) finish() error {
	p.gates.close()
	ctx, cancel := context.WithTimeout(context.Background(), p.config.providerSpan()+endSlack)
	defer cancel()
	settled := make(chan error, 1)
	go func() { settled <- p.ledger.Close(ctx) }()
	err := p.server.Shutdown(ctx)
	if err != nil {
		_ = p.server.Close()
	}
	err = errors.Join(err, <-settled)
	if errors.Is(err, context.DeadlineExceeded) {
		// What was cut off is open in the store and resumes: not an error of ours.
		p.log.Warn("some work did not end in time; it resumes after its lease")
		return nil
	}
	return err
}

// closeChannel gives the last lines a moment to get out.
func (p *process) closeChannel() {
	p.up.close()
	select {
	case <-p.up.ended:
	case <-time.After(endSlack):
	}
}
