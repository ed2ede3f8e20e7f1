package api

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"chargeonce/web/control"
)

// hookServer is a consumer on a real socket that counts effects as one that
// remembers event ids does.
type hookServer struct {
	url string

	mu     sync.Mutex // guards what follows
	status int        // 0: 200
	seen   []sent
}

func newHookServer(t *testing.T) *hookServer {
	h := &hookServer{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		h.seen = append(h.seen, sent{id: r.Header.Get("Webhook-Id"), body: string(body), header: r.Header.Clone()})
		w.WriteHeader(orElse(h.status, http.StatusOK))
	}))
	t.Cleanup(server.Close)
	h.url = server.URL + "/webhooks"
	return h
}

func (h *hookServer) answers(status int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.status = status
}

func (h *hookServer) got() []sent {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.seen)
}

// effects counts different events.
func (h *hookServer) effects() int {
	ids := map[string]bool{}
	for _, one := range h.got() {
		ids[one.id] = true
	}
	return len(ids)
}

func (h *hookServer) config(c *Config) { c.Webhook, c.WebhookSecret = h.url, testSecret }

func TestAProcessDeliversWhatItCommits(t *testing.T) {
	h := newHookServer(t)
	d := direct(t, h.config)
	b := d.bench()
	paid := b.want(http.StatusCreated, ask{header: map[string]string{"Chargeonce-Trace": "tr-1"}}).charge(t)
	eventually(t, "the event arrives", func() bool { return len(h.got()) == 1 })
	got := h.got()[0]
	var event eventObject
	if err := json.Unmarshal([]byte(got.body), &event); err != nil {
		t.Fatal(err)
	}
	if event.ID != got.id || event.Type != "charge.succeeded" || event.PendingWebhooks != 1 || !strings.Contains(string(event.Data.Object), paid.ID) {
		t.Errorf("%s", got.body)
	}
	if got.header.Get("Chargeonce-Trace") != "tr-1" || got.header.Get("Content-Type") != typeJSON {
		t.Errorf("%v", got.header)
	}
	eventually(t, "it is acknowledged", func() bool {
		return b.eventPage("", "").Data[0].PendingWebhooks == 0
	})
	eventually(t, "the panel is told", func() bool {
		d.mu.Lock()
		defer d.mu.Unlock()
		return slices.ContainsFunc(d.told, func(e control.Event) bool { return e.Lane == control.LaneReceipts && e.Trace == "tr-1" })
	})
}

func TestAnEventIsDeliveredWhileItsAnswerIsHeld(t *testing.T) {
	h := newHookServer(t)
	d := direct(t, h.config)
	d.arm(control.Down{Gate: "committed", Count: 1})
	client := d.client(ask{})
	up := d.held()
	eventually(t, "the event arrives", func() bool { return len(h.got()) == 1 })
	d.release(up, fateDrop, 0)
	receive(t, client)
}

func TestUndeliveredEventsAreDeliveredByTheNextProcess(t *testing.T) {
	h, data := newHookServer(t), t.TempDir()
	h.answers(http.StatusServiceUnavailable)
	first := direct(t, func(c *Config) { h.config(c); c.Data = data })
	first.bench().want(http.StatusCreated, ask{})
	eventually(t, "an attempt is made", func() bool { return len(h.got()) > 0 })
	if err := first.stop(); err != nil {
		t.Fatal(err)
	}
	first.ended <- nil // for the cleanup
	attempts := len(h.got())
	h.answers(http.StatusOK)
	second := direct(t, func(c *Config) { h.config(c); c.Data = data })
	eventually(t, "it is acknowledged", func() bool {
		return second.bench().eventPage("", "").Data[0].PendingWebhooks == 0
	})
	if got := h.got(); len(got) <= attempts || h.effects() != 1 || got[0].body != got[len(got)-1].body {
		t.Errorf("%d attempts, %d events", len(got), h.effects())
	}
}

// TestAKillAroundADeliveryRepeatsItAndLosesNone kills the process at each point
// of a charge and of its delivery.
func TestAKillAroundADeliveryRepeatsItAndLosesNone(t *testing.T) { // Q01, Q12
	if testing.Short() {
		t.Skip("starts processes")
	}
	for point, attempts := range map[string]int{
		"provider-called": 1, "committed": 0, // 0: one or two, since the delivery runs beside the answer
		atDelivering: 1, atAcknowledged: 2, atDelivered: 1,
	} {
		t.Run(point, func(t *testing.T) {
			bank, h := newBank(t), newHookServer(t)
			args := []string{
				"--data", t.TempDir(), "--provider", bank.url, "--provider-timeout", "2s", "--provider-attempts", "1", "--lease", "3s",
				"--webhook", h.url, "--webhook-secret", testSecret,
			}
			first := spawn(t, append(args, "--crash-at", point)...)
			b := &bench{t: t, url: first.url, bank: bank}
			_, _ = b.try(ask{}) // answered or not: the process dies
			first.killed(t)
			second := spawn(t, args...)
			b.url = second.url
			eventually(t, "the charge is paid", func() bool { return b.send(ask{}).status == http.StatusCreated })
			eventually(t, "its event is acknowledged", func() bool {
				page := b.eventPage("", "")
				return len(page.Data) == 1 && page.Data[0].PendingWebhooks == 0
			})
			if got := h.got(); h.effects() != 1 || attempts != 0 && len(got) != attempts || len(got) > 2 {
				t.Errorf("%d attempts at %d events, want %d", len(got), h.effects(), attempts)
			}
			interrupt(t, second)
		})
	}
}
