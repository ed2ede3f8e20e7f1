package stage

import (
	"net"
	"net/url"
	"strings"

	"chargeonce/components"
)

// The programs of /connect are whole: what is copied runs. The tests run them.
// None of them holds anything that a visitor chose.

// shellPatience is how long curl waits for an answer, in seconds: longer than
// an undisturbed charge takes, and not too long to sit through.
const shellPatience = "3"

// shellCharge is one charge by curl. The lost one says by itself how it is to
// be lost; the other shows its headers, since they say that it is a replay.
func shellCharge(base, secret, key string, lost bool) string {
	first := "curl -i "
	if lost {
		first = "curl -H 'Chargeonce-Fault: lose-response' "
	}
	return strings.Join([]string{
		first + "--max-time " + shellPatience,
		"  " + base + "/v1/charges -u " + secret + ":",
		"  -H 'Idempotency-Key: " + key + "'",
		"  -d amount=5000 -d currency=eur -d source=tok_visa",
	}, " \\\n")
}

// shellArm loses the next answer to the owner, whoever asks. It is reset rather
// than silent, so that no SDK sits out its timeout of more than a minute.
func shellArm(base string, byToken bool) string {
	lines := []string{"curl " + base + "/stage/faults"}
	if byToken {
		lines = append(lines, "  -H 'Authorization: Bearer TOKEN'")
	}
	lines = append(lines, `  -d '{"boundary":"api","side":"safe","owner":"you","kind":"lose-response","how":"reset","attempts":1}'`)
	return strings.Join(lines, " \\\n")
}

// sdkSnippets are one charge each, by the SDKs with which the API is used.
func sdkSnippets(base, secret string) []components.Snippet {
	host, port := hostAndPort(base)
	fill := strings.NewReplacer("{base}", base, "{host}", host, "{port}", port, "{secret}", secret)
	return []components.Snippet{
		{
			Name: "stripe-node", Means: "Its address is a host and a port without a path, so it reaches the SAFE side alone.",
			Code: fill.Replace(nodeSnippet),
		},
		{Name: "stripe-go", Means: "URL takes the NAIVE address as well.", Code: fill.Replace(goSnippet)},
	}
}

// hostAndPort splits a base URL for who wants the parts.
func hostAndPort(base string) (host, port string) {
	rest := strings.TrimPrefix(base, "http://")
	if host, port, err := net.SplitHostPort(rest); err == nil {
		return host, port
	}
	if parsed, err := url.Parse(base); err == nil {
		rest = parsed.Hostname()
	}
	return rest, "80" // of plain HTTP, RFC 9110, section 4.2.1
}

// Lines stay below 66 characters, which is what half the page has room for.
const nodeSnippet = `import Stripe from 'stripe';

const stripe = new Stripe('{secret}', {
  protocol: 'http',
  host: '{host}',
  port: {port},
  maxNetworkRetries: 2,
});

const charge = await stripe.charges.create({
  amount: 5000, currency: 'eur', source: 'tok_visa',
});
const replayed = charge.lastResponse.headers['idempotent-replayed'];
console.log(charge.id, 'replayed:', replayed === 'true');
`

const goSnippet = `package main

import (
	"context"
	"fmt"
	"log"

	"github.com/stripe/stripe-go/v82"
)

func main() {
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		URL:               stripe.String("{base}"),
		MaxNetworkRetries: stripe.Int64(2),
	})
	client := stripe.NewClient("{secret}",
		stripe.WithBackends(backends))

	params := &stripe.ChargeCreateParams{
		Amount:   stripe.Int64(5000),
		Currency: stripe.String("eur"),
	}
	if err := params.SetSource("tok_visa"); err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	charge, err := client.V1Charges.Create(ctx, params)
	if err != nil {
		log.Fatal(err)
	}
	replayed := charge.LastResponse.Header.Get("Idempotent-Replayed")
	fmt.Println(charge.ID, "replayed:", replayed == "true")
}
`
