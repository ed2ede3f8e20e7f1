package web

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"chargeonce/web/stage"
)

// serve runs the stage.
func serve(ctx context.Context, args []string, stdout, stderr io.Writer, source fs.FS) error {
	options, open, err := stageOptions(args, stderr)
	if err != nil {
		return err
	}
	options.Source = source
	if err := os.MkdirAll(options.Data, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	running, err := stage.Open(ctx, options)
	if err != nil {
		return err
	}
	if token := running.Token(); token != "" {
		_, _ = fmt.Fprintf(stderr, "control calls need this token: %s (open %s/?token=%s)\n", token, running.URL(), token)
	}
	// The one line that scripts wait for.
	if _, err := fmt.Fprintf(stdout, "listening on %s\n", running.URL()); err != nil {
		return fmt.Errorf("tell the address: %w", err)
	}
	if open {
		if err := browse(running.URL()); err != nil {
			_, _ = fmt.Fprintf(stderr, "could not open a browser: %v\n", err)
		}
	}
	return running.Serve(ctx)
}

// stageOptions reads the command line of `chargeonce serve`.
func stageOptions(args []string, stderr io.Writer) (o stage.Options, open bool, err error) {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.Listen, "listen", "127.0.0.1:8080", "address of the stage, HOST:PORT; port 0 takes a free one")
	flags.StringVar(&o.Data, "data", "", "folder of the books (default: chargeonce in the user's cache folder)")
	flags.StringVar(&o.Host, "host", "", "Host header to accept, required where --listen is not loopback")
	flags.Uint64Var(&o.Seed, "seed", 0, "seed of the jitter; 0 takes one from the clock")
	flags.BoolVar(&open, "open", false, "open the first screen in the browser")
	if err := parseAll(flags, args); err != nil {
		return o, open, err
	}
	if !loopback(o.Listen) && o.Host == "" {
		return o, open, fmt.Errorf("%w: --listen %s is not a loopback address, so --host NAME must say which Host header to accept", errUsage, o.Listen)
	}
	if o.Data == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return o, open, fmt.Errorf("find the user's cache folder (use --data): %w", err)
		}
		o.Data = filepath.Join(cache, "chargeonce")
	}
	o.Exe, err = os.Executable()
	if err != nil {
		return o, open, fmt.Errorf("find our own binary: %w", err)
	}
	o.Log, o.Mistakes = stderr, mistakes()
	return o, open, nil
}

// loopback reports whether an address can be reached from this machine alone.
// An empty host means every interface.
func loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// browse asks the desktop to open a page. It does not wait for the browser.
func browse(url string) error {
	command := map[string][]string{
		"darwin":  {"open", url},
		"windows": {"rundll32", "url.dll,FileProtocolHandler", url},
	}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open", url}
	}
	opener := exec.Command(command[0], command[1:]...)
	if err := opener.Start(); err != nil {
		return err
	}
	go func() { _ = opener.Wait() }() // it is not ours to judge how the browser ends
	return nil
}
