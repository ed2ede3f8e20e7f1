package stage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
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
	Record  func(network.Exchange)

	Shop     lesson.ShopPolicy
	Complete time.Duration // see [rigOptions]
	Offset   time.Duration // of the retention clock at the start
}

// system is one side of a rig: shop, wires, payments API process and card
// provider, each with data of its own.
type system struct {
	options  systemOptions
	child    *child
	api      *network.Network          // shop and outside clients → payments API
	provider *network.Network          // payments API → card provider
	webhook  *network.Network          // payments API → shop
	shops    atomic.Pointer[shop.Shop] // see [system.shop]

	shopOptions shop.Options // of each life of the shop
	jitterless  bool         // the shop's backoff has no jitter; set before each of its lives
	book        *provider.Provider
	gates       *gates
	patience    *patience
	owners      *ownerMemory
	ledger      ledgerCache
	clock       retentionClock
	closers     []func() error // in the order of opening
}

// openSystem starts everything from the right-most box to the left. On an
// error what was opened is closed again.
func openSystem(ctx context.Context, o systemOptions) (*system, error) {
	s := &system{options: o, owners: newOwnerMemory(), patience: newPatience()}
	s.gates = newGates(s)
	s.clock.offset = o.Offset
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open the %s side: %w", o.Side, err), s.close())
	}
	return s, nil
}

// open goes from right to left, so that each box is there before the first that
// asks it: the wires and the shop before the process that delivers to them, and
// the open orders last, since they ask at once.
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
	return s.shop().Resume(ctx)
}

// apiArgs is the command line of the payments API process.
func (s *system) apiArgs(providerURL, webhookURL, secret string) []string {
	args := []string{
		"api", "--control", "--listen", "127.0.0.1:0",
		"--data", filepath.Join(s.options.Data, string(s.options.Side)),
		"--provider", providerURL, "--provider-timeout", rigProviderTimeout.String(), "--provider-attempts", "2",
		"--lease", rigLease.String(), "--busy-wait", rigBusyWait.String(), "--complete-after", s.options.Complete.String(),
		"--clock-offset", s.clock.now().String(),
		"--webhook", webhookURL + "/webhooks", "--webhook-secret", secret, "--webhook-timeout", "1s",
	}
	if s.options.Mistake.ID != "" {
		args = append(args, "--mistake", s.options.Mistake.ID)
	}
	return args
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
