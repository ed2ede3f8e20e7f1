package api

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// DefaultWebhookTimeout bounds one attempt at a delivery: a consumer is meant
// to store the message and answer, and to work afterwards.
const DefaultWebhookTimeout = 5 * time.Second

// secretPrefix marks a webhook secret; what follows is base64 (Standard
// Webhooks, "Signature scheme").
const secretPrefix = "whsec_"

// checkWebhook wants a URL and a secret, or neither: an unsigned message could
// come from anybody.
func (c Config) checkWebhook() error {
	if c.Webhook == "" && c.WebhookSecret == "" {
		return nil
	}
	target, err := url.Parse(c.Webhook)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		return fmt.Errorf("%w: --webhook must look like http://HOST:PORT/PATH", ErrUsage)
	}
	if _, err := decodeSecret(c.WebhookSecret); err != nil {
		return err
	}
	return nil
}

// decodeSecret gives the bytes behind the prefix. The bounds are those of
// Standard Webhooks. The error never repeats the secret.
func decodeSecret(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) < 24 || len(key) > 64 {
		return nil, fmt.Errorf("%w: --webhook-secret must be %s and the base64 of 24 to 64 bytes", ErrUsage, secretPrefix)
	}
	return key, nil
}
