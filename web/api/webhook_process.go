package api

import (
	"context"

	"chargeonce/ledger"
)

// startDeliveries opens the way to the consumer of webhooks, if there is one.
func (p *process) startDeliveries(trace Tracer) error {
	if p.config.Webhook == "" {
		return nil
	}
	sign, err := newSigner(p.config.WebhookSecret)
	if err != nil {
		return err
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
	if p.deliver == nil {
		return Announce
	}
	told := hooks.Committed
	hooks.Committed = func(ctx context.Context, done ledger.Commit) {
		if told != nil {
			told(ctx, done)
		}
		if done.Phase == 2 {
			p.deliver.wake()
		}
	}
	return announcePending
}
