package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"chargeonce/ledger/badgerdb"
	"chargeonce/retrypolicy"
	"chargeonce/web/control"
	"chargeonce/web/network"
	"chargeonce/web/provider"
	"chargeonce/web/shop"
)

// Durations of a rig, short enough to be watched.
const (
	rigLease           = 3 * time.Second
	rigBusyWait        = time.Second
	rigProviderTimeout = 500 * time.Millisecond
	manualLatency      = 200 * time.Millisecond // of the manual rig's provider: long enough to be seen and to click into
)

// shopPolicy is the retry policy of the shop in a rig.
func shopPolicy() retrypolicy.Policy {
	return retrypolicy.Policy{
		MaxAttempts: 10, AttemptTimeout: 2 * time.Second,
		Base: 200 * time.Millisecond, Cap: 2 * time.Second, MaxElapsed: 30 * time.Second,
	}
}

// rigOptions describe a rig's one side.
type rigOptions struct {
	Side    control.Side
	Exe     string // the binary whose `api` subcommand is the child
	Data    string // its folders are made below
	Random  func() float64
	Latency time.Duration // of the provider
	Log     io.Writer
	Emit    func(control.Event)
}

// system is one side of a rig: shop, wire, payments API process, wire, card
// provider, each with data of its own.
type system struct {
	options  rigOptions
	child    *child
	api      *network.Network // shop and outside clients → payments API
	provider *network.Network // payments API → card provider
	shop     *shop.Shop
	book     *provider.Provider
	owners   *ownerMemory
	ledger   ledgerCache
	closers  []func() error // in the order of opening
}

// openSystem starts everything from the right-most box to the left. On an
// error what was opened is closed again.
func openSystem(ctx context.Context, o rigOptions) (s *system, err error) {
	s = &system{options: o, owners: newOwnerMemory()}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	bookURL, err := s.openProvider()
	if err != nil {
		return s, fmt.Errorf("open the card provider: %w", err)
	}
	s.provider = network.New(network.Options{
		Boundary: "provider", Target: func() string { return bookURL },
		Identify: s.owners.identifyCapture, Trace: s.onProviderWire,
	})
	providerURL, err := s.serve(s.provider, s.provider.Close)
	if err != nil {
		return s, fmt.Errorf("open the provider's wire: %w", err)
	}
	s.child = startChild(childOptions{
		Exe: o.Exe, Args: func() []string { return s.apiArgs(providerURL) },
		Log: o.Log, Up: s.onUp, Life: s.onLife,
	})
	s.onClose(func() error { s.child.stop(); return nil })
	s.api = network.New(network.Options{
		Boundary: "api", Target: s.child.URL, HeaderFaults: true,
		Identify: identifyRequest, Trace: s.onAPIWire,
	})
	apiURL, err := s.serve(s.api, s.api.Close)
	if err != nil {
		return s, fmt.Errorf("open the API's wire: %w", err)
	}
	if err := s.child.awaitReady(ctx, 0); err != nil {
		return s, err
	}
	if err := s.openShop(ctx, apiURL); err != nil {
		return s, fmt.Errorf("open the shop: %w", err)
	}
	return s, nil
}

func (s *system) apiArgs(providerURL string) []string {
	return []string{
		"api", "--control", "--listen", "127.0.0.1:0",
		"--data", filepath.Join(s.options.Data, string(s.options.Side)),
		"--provider", providerURL, "--provider-timeout", rigProviderTimeout.String(), "--provider-attempts", "2",
		"--lease", rigLease.String(), "--busy-wait", rigBusyWait.String(),
	}
}

func (s *system) openProvider() (url string, err error) {
	db, err := s.openDB("provider")
	if err != nil {
		return "", err
	}
	s.book, err = provider.New(provider.Options{
		DB: db, Latency: s.options.Latency, Seen: s.onOperation,
		Log: func(format string, args ...any) { fmt.Fprintf(s.options.Log, "provider: "+format+"\n", args...) },
	})
	if err != nil {
		return "", err
	}
	s.onClose(s.book.Close)
	return s.serve(s.book.Handler(), nil)
}

func (s *system) openShop(ctx context.Context, apiURL string) error {
	db, err := s.openDB("shop")
	if err != nil {
		return err
	}
	policy := shopPolicy()
	policy.Random = s.options.Random
	s.shop = shop.New(shop.Options{
		DB: db, API: func() string { return apiURL }, Policy: policy, Hooks: s.shopHooks(policy),
	})
	s.onClose(func() error { s.shop.Close(); return nil })
	return s.shop.Resume(ctx)
}

// openDB opens the durable book of a box that lives in the stage's process.
func (s *system) openDB(box string) (*badgerdb.DB, error) {
	db, err := badgerdb.Open(badgerdb.Options{
		Dir: filepath.Join(s.options.Data, "stage", string(s.options.Side), box),
		Log: func(format string, args ...any) { fmt.Fprintf(s.options.Log, box+": "+format+"\n", args...) },
	})
	if err != nil {
		return nil, err
	}
	s.onClose(db.Close)
	return db, nil
}

// serve listens on a loopback port of its own. settle is called before the
// server closes, to let go of what it holds back.
func (s *system) serve(handler http.Handler, settle func()) (url string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: quiet}
	go func() { _ = server.Serve(listener) }() // ends with ErrServerClosed
	s.onClose(func() error {
		if settle != nil {
			settle()
		}
		return server.Close()
	})
	return "http://" + listener.Addr().String(), nil
}

func (s *system) onClose(fn func() error) { s.closers = append(s.closers, fn) }

// close ends everything, the left-most box first. It may be called once.
func (s *system) close() error {
	var all []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		all = append(all, s.closers[i]())
	}
	return errors.Join(all...)
}
