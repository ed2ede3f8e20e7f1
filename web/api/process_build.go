package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/web/control"
)

// newLog writes to stderr. Under a stage only what is out of order gets there:
// the panel tells the rest.
func newLog(config Config, stderr io.Writer) *slog.Logger {
	level := slog.LevelInfo
	if config.Control {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
}

// open builds everything from the store outwards. What was opened before an
// error is closed by close.
func (p *process) open() error {
	folder, err := p.openFolder()
	if err != nil {
		return err
	}
	if p.crash, err = parseCrashAt(p.config.CrashAt); err != nil {
		return err
	}
	if p.store, err = p.openStore(folder); err != nil {
		return err
	}
	p.onClose(p.store.Close)
	p.store = decorated(p.store, p.decorate.Store)
	cards, err := p.openProvider(filepath.Join(folder, "provider"))
	if err != nil {
		return fmt.Errorf("open the card provider: %w", err)
	}
	return p.build(cards)
}

// openFolder makes the data folder. A ledger in memory leaves none behind, but
// the simulated provider still needs one: it keeps its book like a real one.
func (p *process) openFolder() (string, error) {
	if p.config.Memory {
		folder, err := os.MkdirTemp("", "chargeonce-api-")
		if err != nil {
			return "", fmt.Errorf("make a folder for the provider: %w", err)
		}
		p.onClose(func() error { return os.RemoveAll(folder) })
		return folder, nil
	}
	folder, err := p.config.folder()
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("make the data folder: %w", err)
	}
	return folder, nil
}

func (p *process) openStore(folder string) (ledger.Store, error) {
	if p.config.Memory {
		return ledger.OpenMemory(), nil
	}
	return ledger.OpenBadger(badgerdb.Options{
		Dir: filepath.Join(folder, "ledger"),
		Log: func(format string, args ...any) { p.log.Warn(fmt.Sprintf(format, args...)) },
	})
}

func (p *process) openProvider(folder string) (ledger.Provider, error) {
	switch p.config.Provider {
	case providerInstant:
		return instant{}, nil
	case providerSim:
	default:
		options := p.config.providerOptions(p.tracer())
		options.Wire = p.decorate.ProviderWire
		return NewProvider(options)
	}
	if p.config.Sim == nil {
		return nil, fmt.Errorf("%w: this program has no simulated provider; name one by --provider URL", ErrUsage)
	}
	cards, closer, err := p.config.Sim(folder)
	if err == nil && closer != nil {
		p.onClose(closer.Close)
	}
	return cards, err
}

func (p *process) build(cards ledger.Provider) (err error) {
	p.gates = newGates(p.tellHeld, p.decorate.Keyless, p.log)
	trace, gate := p.tracer(), decorated(Gate(p.gate), p.decorate.Gate)
	if err := p.startDeliveries(trace); err != nil {
		return err
	}
	hooks := Hooks(trace)
	hooks.At = gate
	hooks.Beat = func(ctx context.Context, _ ledger.Work) bool { return p.gates.beats(ctx) }
	hooks.Trouble = func(_ context.Context, what string, err error) {
		p.log.Warn("could not "+what+"; it is tried again", "error", err.Error())
	}
	announce := p.announcing(&hooks)
	p.ledger, err = ledger.New(ledger.Options{
		Store: p.store, Provider: cards, Terms: p.config.terms(), BusyWait: p.config.BusyWait,
		ProviderSpan: p.config.providerSpan(), RetryWindow: p.config.RetryWindow,
		Render: RenderCharge, RenderRefund: RenderRefund, RenderIntent: RenderIntent, RenderUnconfirmed: RenderUnconfirmed, RenderCart: RenderCart, RenderEndpoint: RenderEndpoint, RenderChange: RenderChange, RenderRemoval: RenderRemoval,
		CompleteAfter: max(p.config.CompleteAfter, 0), ReapEvery: reapEvery,
		Announce: announce, Offset: p.clock, Hooks: hooks,
	})
	if err != nil {
		return err
	}
	options := Options{
		Charger: p.ledger, Payments: p.ledger, Carts: p.ledger, Endpoints: p.ledger, Store: p.store, Terms: p.config.terms(), Offset: p.clock,
		Trace: trace, Gate: gate, Log: p.log, Inspect: p.config.Control, ConflictStatus: p.config.ConflictStatus,
	}
	if p.decorate.Charger != nil {
		options.Charger = p.decorate.Charger(options)
	}
	p.server = &http.Server{
		Handler:           decorated(New(options), p.decorate.Handler),
		ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ConnContext: withConn,
		ErrorLog:    slog.NewLogLogger(p.log.Handler(), slog.LevelWarn),
	}
	return nil
}

func (p *process) onClose(fn func() error) { p.closers = append(p.closers, fn) }

func (p *process) close() error {
	var all []error
	for i := len(p.closers) - 1; i >= 0; i-- {
		all = append(all, p.closers[i]())
	}
	return errors.Join(all...)
}

func (p *process) tracer() Tracer {
	if p.up == nil {
		return nil
	}
	return decorated(Tracer(p.up.event), p.decorate.Trace)
}

// gate is where the process can be told to die, and where requests are held.
func (p *process) gate(ctx context.Context, point string) {
	p.crash.pass(point)
	p.gates.at(ctx, point)
}

// tellHeld tells the stage of a held request. Without one nothing is armed.
func (p *process) tellHeld(up control.Up) bool { return p.up != nil && p.up.send(up) }

func (p *process) clock() time.Duration { return time.Duration(p.offset.Load()) }

// setClock moves the retention clock. It never goes back, because what has
// expired would come to life again.
func (p *process) setClock(offsetMS int64) {
	const most = int64(100 * 365 * 24 * time.Hour / time.Millisecond)
	offset := int64(time.Duration(offsetMS) * time.Millisecond)
	if offsetMS < 0 || offsetMS > most || offset < p.offset.Load() {
		p.log.Warn("a clock line was refused: the retention clock does not go back")
		return
	}
	p.offset.Store(offset)
}
