package web

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"chargeonce/ledger"
	"chargeonce/ledger/badgerdb"
	"chargeonce/web/control"
)

// errBreached says that the books contradict themselves. The lines have said
// where.
var errBreached = errors.New("the books contradict themselves")

// audit holds the books of a payments API that is not running against
// themselves: one line a breach, then a summary. Any breach is an error.
func audit(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	folder, err := auditArgs(args, stderr)
	if err != nil {
		return err
	}
	store, err := ledger.OpenBadger(badgerdb.Options{
		Dir: folder,
		Log: func(format string, args ...any) { _, _ = fmt.Fprintf(stderr, format+"\n", args...) },
	})
	if err != nil {
		return err
	}
	err = store.View(ctx, func(books ledger.Reader) error { return auditBooks(ctx, books, stdout) })
	return errors.Join(err, store.Close())
}

// auditArgs reads the command line of `chargeonce audit`. The folder must be
// there: to open one that is not would make empty books, and find no fault.
func auditArgs(args []string, stderr io.Writer) (folder string, err error) {
	flags := flag.NewFlagSet("audit", flag.ContinueOnError)
	flags.SetOutput(stderr)
	data := flags.String("data", "", "folder as given to chargeonce api, which must not be running (required)")
	if err := parse(flags, args); err != nil {
		return "", err
	}
	if *data == "" || flags.NArg() > 0 {
		return "", fmt.Errorf("%w: audit wants --data DIR and nothing else", errUsage)
	}
	folder = filepath.Join(*data, "ledger")
	if !isFolder(folder) {
		return "", fmt.Errorf("%w: there is no ledger in %s%s", errUsage, *data, sidesIn(*data))
	}
	return folder, nil
}

// sidesIn is a hint at the ledgers that lie one folder deeper, as they do in a
// stage's data; "" where there are none.
func sidesIn(data string) string {
	var sides []string
	for _, side := range []control.Side{control.Safe, control.Naive} {
		if folder := filepath.Join(data, string(side)); isFolder(filepath.Join(folder, "ledger")) {
			sides = append(sides, "--data "+folder)
		}
	}
	if len(sides) == 0 {
		return ""
	}
	return "; it is a stage’s folder, which has one for each side: " + strings.Join(sides, " or ")
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// auditBooks prints what it has found before it reports that it could not find
// all: a breach is worth knowing even if the rest cannot be read.
func auditBooks(ctx context.Context, books ledger.Reader, stdout io.Writer) error {
	breaches, err := ledger.Audit(ctx, books)
	for _, breach := range breaches {
		if _, err := fmt.Fprintf(stdout, "BREACH %v\n", breach); err != nil {
			return err
		}
	}
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	owners, err := books.Owners(math.MaxInt32)
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	charges := 0
	for _, owner := range owners {
		charges += owner.Pending + owner.Succeeded + owner.Failed
	}
	if _, err := fmt.Fprintf(stdout, "breaches: %d, charges: %d, owners: %d\n", len(breaches), charges, len(owners)); err != nil {
		return err
	}
	if len(breaches) > 0 {
		return errBreached
	}
	return nil
}
