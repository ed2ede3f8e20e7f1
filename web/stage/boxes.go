package stage

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
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

// openProvider opens the card provider and the address of its captures.
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
	policy := shopPolicy(s.options.Shop)
	policy.Random = s.options.Random
	s.shopOptions = shop.Options{
		DB: db, API: always(apiURL), Owner: s.options.Owner, Policy: policy, Recheck: s.options.Shop.Recheck,
		Hooks: s.shopHooks(), Clock: s.patience, Under: s.options.Mistake.Wire,
	}
	s.startShop()
	s.onClose(func() error { s.shop().Close(); return nil })
	return s.serve(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.shop().Webhooks(secret).ServeHTTP(w, r)
	}))
}

// startShop begins a life of the shop. It asks nobody yet.
func (s *system) startShop() {
	options := s.shopOptions
	options.Breaker, options.Budget = s.newBreaker(), budgetOf(s.options.Shop)
	if s.options.Mistake.Shop != nil {
		options = s.options.Mistake.Shop(options)
	}
	s.jitterless = options.Policy.Jitter == retrypolicy.JitterNone
	s.shops.Store(shop.New(options))
}

// newBreaker makes the circuit breaker of one life of the shop, where a lesson
// asks for one.
func (s *system) newBreaker() *retrypolicy.Breaker {
	wish := s.options.Shop
	if wish.BreakAfter == 0 {
		return nil
	}
	return &retrypolicy.Breaker{
		MinVolume: wish.BreakAfter, FailureRatio: 1, Cooldown: wish.BreakFor,
		OnChange: func(change retrypolicy.Change) { s.emit(fromBreaker(change, wish)) },
	}
}

// shop is the shop that lives now.
func (s *system) shop() *shop.Shop { return s.shops.Load() }

// rebootShop ends the shop in the middle of whatever it does and starts it
// again on the same journal. It returns once the new one has begun to ask about
// its open orders. It is not safe for concurrent use with itself.
func (s *system) rebootShop(ctx context.Context) error {
	s.shop().Close()
	s.emit(control.Event{
		Lane: control.LaneShop, Kind: control.KindProcess, Outcome: control.Killed,
		Text: "The shop loses its memory: all that it still has is what its journal holds.",
	})
	s.startShop()
	s.emit(control.Event{
		Lane: control.LaneShop, Kind: control.KindProcess, Outcome: control.Ready,
		Text: "The shop starts again and reads its journal.",
	})
	return s.shop().Resume(ctx)
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
	o.Record = s.options.Record
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

func always(url string) func() string { return func() string { return url } }

// newSecret mints a webhook secret for one life of a system: 24 random bytes.
func newSecret() string {
	bytes := make([]byte, 24)
	_, _ = rand.Read(bytes) // never fails (crypto/rand)
	return "whsec_" + base64.StdEncoding.EncodeToString(bytes)
}
