// Command chargeonce shows why a retry can charge a card twice, and what makes
// it safe. Run it and open the address that it prints.
package main

import (
	"context"
	"embed"
	"os"
	"os/signal"
	"syscall"

	"chargeonce/web"
)

// source is the code that decides, shown beside what it does.
//
//go:embed idem/*.go ledger/*.go retrypolicy/*.go web/naive/*.go web/shop/*.go
var source embed.FS

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := web.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, source)
	stop()
	os.Exit(code)
}
