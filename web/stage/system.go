package stage

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"chargeonce/ledger/badgerdb"
	"chargeonce/web/control"
	"chargeonce/web/network"
	"chargeonce/web/provider"
	"chargeonce/web/shop"
)

// systemOptions describe one side of a rig.
type systemOptions struct {
	Side    control.Side
	Exe     string
	Data    string
	Owner   string
	Random  func() float64
	Latency time.Duration
	Mistake Mistake
	Patient bool
	Log     io.Writer
	Emit    func(control.Event)
}

// system is one side of a rig: shop, wires, payments API process and card
// provider, each with data of its own.
type system struct {
	options  systemOptions
	child    *child
	api      *network.Network // shop and outside clients → payments API
	provider *network.Network // payments API → card provider
	webhook  *network.Network // payments API → shop
	shop     *shop.Shop
	book     *provider.Provider
	gates    *gates
	patience *patience
	owners   *ownerMemory
	ledger   ledgerCache
	closers  []func() error // in the order of opening
}

// openSystem starts everything from the right-most box to the left. On an
// error what was opened is closed again.
func openSystem(ctx context.Context, o systemOptions) (*system, error) {
	s := &system{options: o, owners: newOwnerMemory(), patience: newPatience()}
	s.gates = newGates(s)
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the %s side: %w", o.Side, err), s.close())
	}
	return s, nil
}

func (s *system) open(ctx context.Context) error {
	bookURL, err := s.openProvider()
	if err != nil {
		return fmt.Errorf("open the card provider: %w", err)
	}
	providerURL, err := s.wire(&s.provider, network.Options{
		Boundary: "provider", Target: always(bookURL),
		Identify: s.owners.identifyCapture, Trace: s.onProviderWire,
	})
	if err != nil {
		return fmt.Errorf("open the provider's wire: %w", err)
	}
	apiURL, err := s.wire(&s.api, network.Options{
		Boundary: "api", Target: func() string { return s.child.URL() }, HeaderFaults: true,
		Identify: s.identifyRequest, Trace: s.onAPIWire, StripPrefix: s.prefix(),
	})
	if err != nil {
		return fmt.Errorf("open the API's wire: %w", err)
	}
	secret := newSecret()
	shopURL, err := s.openShop(apiURL+s.prefix(), secret)
	if err != nil {
		return fmt.Errorf("open the shop: %w", err)
	}
	webhookURL, err := s.wire(&s.webhook, network.Options{
		Boundary: "webhook", Target: always(shopURL), Identify: identifyWebhook, Trace: s.onWebhookWire,
	})
	if err != nil {
		return fmt.Errorf("open the webhook's wire: %w", err)
	}
	s.child = startChild(childOptions{
		Exe: s.options.Exe, Args: func() []string { return s.apiArgs(providerURL, webhookURL, secret) },
		Log: s.options.Log, Up: s.onUp, Life: s.onLife,
	})
	s.onClose(func() error { s.child.stop(); return nil })
	if err := s.child.awaitReady(ctx, 0); err != nil {
		return err
	}
	return s.shop.Resume(ctx)
}

// apiArgs is the command line of the payments API process.
func (s *system) apiArgs(providerURL, webhookURL, secret string) []string {
	args := []string{
		"api", "--control", "--listen", "127.0.0.1:0",
		"--data", filepath.Join(s.options.Data, string(s.options.Side)),
		"--provider", providerURL, "--provider-timeout", rigProviderTimeout.String(), "--provider-attempts", "2",
		"--lease", rigLease.String(), "--busy-wait", rigBusyWait.String(), "--complete-after", "0",
		"--webhook", webhookURL + "/webhooks", "--webhook-secret", secret, "--webhook-timeout", "1s",
	}
	if s.options.Mistake.ID != "" {
		args = append(args, "--mistake", s.options.Mistake.ID)
	}
	return args
}

func (s *system) openProvider() (url string, err error) {
	db, err := s.openDB("provider")
	if err != nil {
		return "", err
	}
	s.book, err = provider.New(provider.Options{
		DB: db, Latency: s.options.Latency, Seen: s.onOperation, Log: s.logger("provider"),
	})
	if err != nil {
		return "", err
	}
	s.onClose(s.book.Close)
	return s.serve(s.book.Handler())
}

// openShop opens the shop and the address of its webhook consumer.
func (s *system) openShop(apiURL, secret string) (url string, err error) {
	db, err := s.openDB("shop")
	if err != nil {
		return "", err
	}
	policy := shopPolicy()
	policy.Random = s.options.Random
	options := shop.Options{
		DB: db, API: always(apiURL), Owner: s.options.Owner, Policy: policy,
		Hooks: s.shopHooks(), Clock: s.patience, Under: s.options.Mistake.Wire,
	}
	s.shop = shop.New(options)
	s.onClose(func() error { s.shop.Close(); return nil })
	return s.serve(s.shop.Webhooks(secret))
}

// openDB opens the durable book of a box that lives in the stage's process.
func (s *system) openDB(box string) (*badgerdb.DB, error) {
	db, err := badgerdb.Open(badgerdb.Options{
		Dir: filepath.Join(s.options.Data, "stage", string(s.options.Side), box), Log: s.logger(box),
	})
	if err != nil {
		return nil, err
	}
	s.onClose(db.Close)
	return db, nil
}

func (s *system) logger(box string) func(string, ...any) {
	return func(format string, args ...any) {
		_, _ = fmt.Fprintf(s.options.Log, string(s.options.Side)+" "+box+": "+format+"\n", args...)
	}
}

// wire opens a network and gives it an address.
func (s *system) wire(into **network.Network, o network.Options) (url string, err error) {
	n := network.New(o)
	*into = n
	url, err = s.serve(n)
	s.onClose(func() error { n.Close(); return nil }) // before its server: it lets go of what it holds back
	return url, err
}

// serve listens on a loopback port of its own.
func (s *system) serve(handler http.Handler) (url string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: quiet}
	go func() { _ = server.Serve(listener) }() // ends with ErrServerClosed
	s.onClose(server.Close)
	return "http://" + listener.Addr().String(), nil
}

func (s *system) onClose(fn func() error) { s.closers = append(s.closers, fn) }

// close ends everything, the last opened first; again, it does nothing. It is
// not safe for concurrent use: the rig guards it.
func (s *system) close() error {
	closers := s.closers
	s.closers = nil
	var all []error
	for _, end := range slices.Backward(closers) {
		all = append(all, end())
	}
	return errors.Join(all...)
}

// naivePrefix stands before the paths of the naive side's API, so that an
// outside client can choose a side; it is stripped before the API sees it.
const naivePrefix = "/naive"

func (s *system) prefix() string {
	if s.options.Side == control.Naive {
		return naivePrefix
	}
	return ""
}

func always(url string) func() string { return func() string { return url } }

// newSecret mints a webhook secret for one life of a system: 24 random bytes.
func newSecret() string {
	bytes := make([]byte, 24)
	_, _ = rand.Read(bytes) // never fails (crypto/rand)
	return "whsec_" + base64.StdEncoding.EncodeToString(bytes)
}
