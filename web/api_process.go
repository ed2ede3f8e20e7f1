package web

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"chargeonce/ledger"
	"chargeonce/web/api"
	"chargeonce/web/provider"
)

// serveAPI runs the payments API as a process of its own: for the stage with
// --control, and as a plain server without.
func serveAPI(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	config, err := api.ParseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		_, err = fmt.Fprint(stdout, err)
		return err
	}
	if err != nil {
		return err
	}
	config.Mistakes = decorationOf
	config.Sim = func(dir string) (ledger.Provider, io.Closer, error) {
		return openSim(dir, api.ProviderOptions{Timeout: config.ProviderTimeout, Attempts: config.ProviderAttempts})
	}
	return api.Run(ctx, config, stdin, stdout, stderr)
}

// sim is the simulated card provider inside an API process. It is reached over
// HTTP like any other, so that nothing is easier for it.
type sim struct {
	book   *provider.Provider
	server *http.Server
}

// openSim opens the provider with its book in dir.
func openSim(dir string, options api.ProviderOptions) (ledger.Provider, io.Closer, error) {
	book, err := provider.Open(dir, provider.Options{})
	if err != nil {
		return nil, nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("listen for the simulated provider: %w", err), book.Close())
	}
	s := &sim{book: book, server: &http.Server{Handler: book.Handler(), ReadHeaderTimeout: 10 * time.Second}}
	go func() { _ = s.server.Serve(listener) }() // ends with ErrServerClosed
	options.URL = "http://" + listener.Addr().String()
	client, err := api.NewProvider(options)
	if err != nil {
		return nil, nil, errors.Join(err, s.Close())
	}
	return client, s, nil
}

// Close ends the server, then the book.
func (s *sim) Close() error {
	return errors.Join(s.server.Close(), s.book.Close())
}

// isUsage reports whether an error says that the command line is wrong.
func isUsage(err error) bool { return errors.Is(err, errUsage) || errors.Is(err, api.ErrUsage) }
