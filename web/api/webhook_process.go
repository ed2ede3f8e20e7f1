package api

import (
	"context"

	"chargeonce/ledger"
)

// startDeliveries opens the way to the consumer of webhooks, if the process has
// one, and to the endpoints of owners, which may come later.
func (p *process) startDeliveries(trace Tracer) error {
	var sign signer
	if p.config.Webhook != "" {
		var err error
		if sign, err = newSigner(p.config.WebhookSecret); err != nil {
			return err
		}
	}
	p.deliver = startDeliverer(webhookOptions{
		Store: p.store, URL: p.config.Webhook, Sign: sign, Timeout: p.config.WebhookTimeout,
		Pass: p.crash.pass, Log: p.log, Trace: trace,
	})
	p.onClose(func() error { p.deliver.close(); return nil }) // before the store, which was opened first
	return nil
}

// announcing says what goes into the outbox, and lets each commit that puts
// something there tell the deliverer.
func (p *process) announcing(hooks *ledger.Hooks) func(context.Context, ledger.Event, ledger.Work) ledger.Event {
	told := hooks.Committed
	hooks.Committed = func(ctx context.Context, done ledger.Commit) {
		if told != nil {
			told(ctx, done)
		}
		if done.Phase == 2 {
			p.deliver.wake()
		}
	}
	if p.config.Webhook == "" {
		return Announce
	}
	return announcePending
}
