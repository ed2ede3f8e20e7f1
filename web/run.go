// Package web puts the program together: it is the only place that knows the
// stage, the payments API process and the card provider at once.
package web

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
)

// usage is what `chargeonce help` prints.
const usage = `chargeonce shows why a retry can charge a card twice, and what makes it safe.

  chargeonce [serve]   the stage: checkout, payments API, card provider, live panel
  chargeonce api       the payments API alone, as a plain server
  chargeonce charge    one purchase from the terminal, each attempt on a line
  chargeonce verify    every lesson's promise, checked without a browser
  chargeonce audit     the books of a payments API at rest, held against themselves
  chargeonce version   what this binary was built from

Each takes --help. One idempotency key stands for one logical action: mint it
once and send it with every attempt of that action.
`

// Exit codes of the program.
const (
	exitOK    = 0
	exitFault = 1 // it ran and failed
	exitUsage = 2 // the command line is wrong
)

// Run is the whole program: args are those behind the program's name. It
// returns the exit code. It ends when ctx does; source is the repository's own
// code, which the lessons show.
func Run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, source fs.FS) int {
	name, rest := command(args)
	var err error
	switch name {
	case "serve":
		err = serve(ctx, rest, stdout, stderr, source)
	case "api":
		err = serveAPI(ctx, rest, stdin, stdout, stderr)
	case "charge":
		err = charge(ctx, rest, stdout, stderr)
	case "verify":
		err = verify(ctx, rest, stdout, stderr)
	case "audit":
		err = audit(ctx, rest, stdout, stderr)
	case "version":
		_, err = fmt.Fprintln(stdout, version())
	case "help":
		_, err = io.WriteString(stdout, usage)
	default:
		err = fmt.Errorf("%w: there is no command %q; see chargeonce help", errUsage, name)
	}
	return exitCode(err, stderr)
}

// command splits a command line: what comes first is the command, unless it is
// a flag of `serve`. Programs are asked for their version by a flag as well.
func command(args []string) (name string, rest []string) {
	switch {
	case len(args) == 0 || args[0] == "":
		return "serve", args
	case args[0] == "--version" || args[0] == "-version":
		return "version", args[1:]
	case args[0][0] == '-':
		return "serve", args
	}
	return args[0], args[1:]
}

// errUsage says that the command line is wrong.
var errUsage = errors.New("usage")

// parse reads a command line. The error is [flag.ErrHelp], which is no fault,
// or errUsage.
func parse(flags *flag.FlagSet, args []string) error {
	err := flags.Parse(args)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	return fmt.Errorf("%w: %w", errUsage, err)
}

// parseAll is parse for commands that take flags and nothing else.
func parseAll(flags *flag.FlagSet, args []string) error {
	if err := parse(flags, args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%w: %q is too much; flags begin with --", errUsage, flags.Arg(0))
	}
	return nil
}

func exitCode(err error, stderr io.Writer) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case isUsage(err):
		_, _ = fmt.Fprintln(stderr, "chargeonce:", err)
		return exitUsage
	default:
		_, _ = fmt.Fprintln(stderr, "chargeonce:", err)
		return exitFault
	}
}

// version names the module's version and, where the build knows it, the
// commit.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "chargeonce (unknown build)"
	}
	text := "chargeonce " + info.Main.Version + " " + info.GoVersion
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			text += " " + setting.Value
		}
	}
	return text
}
