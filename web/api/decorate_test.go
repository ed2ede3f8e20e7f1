package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"chargeonce/ledger"
	"chargeonce/web/control"
)

// wrapped notes what passes its wrappers.
type wrapped struct {
	log lockedBuffer
}

func (w *wrapped) note(what string) { _, _ = io.WriteString(&w.log, what+"\n") }

type wrappedStore struct {
	ledger.Store
	by *wrapped
}

func (s wrappedStore) Update(ctx context.Context, fn func(ledger.Tx) error) error {
	s.by.note("store")
	return s.Store.Update(ctx, fn)
}

type wrappedCharger struct {
	Options
	by *wrapped
}

func (c wrappedCharger) Charge(ctx context.Context, request ledger.ChargeRequest) (ledger.Result, error) {
	c.by.note("charger")
	c.Trace(Event(ctx, control.KindNote, "Told by a wrapper."))
	c.Gate(ctx, "looked")
	return c.Charger.Charge(ctx, request)
}

func (w *wrapped) decorate() Decorate {
	return Decorate{
		Trace: func(next Tracer) Tracer {
			return func(event control.Event) {
				event.Text += " Retold."
				next(event)
			}
		},
		Gate: func(next Gate) Gate {
			return func(ctx context.Context, point string) {
				w.note("gate " + point)
				next(ctx, point)
			}
		},
		Store:   func(next ledger.Store) ledger.Store { return wrappedStore{next, w} },
		Charger: func(o Options) Charger { return wrappedCharger{o, w} },
		Handler: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
				w.note("handler")
				next.ServeHTTP(rw, r)
			})
		},
	}
}

func TestAMistakeWrapsEveryBoundaryOfTheProcess(t *testing.T) {
	bank, w := newBank(t), &wrapped{}
	r := start(t, Config{Provider: bank.url, Control: true, Mistake: "wrong", Mistakes: func(name string) (Decorate, bool) {
		return w.decorate(), name == "wrong"
	}})
	r.url = r.ups(func(up control.Up) bool { return up.Type == "ready" }).URL
	if got := r.post("k"); got.status != http.StatusCreated {
		t.Fatalf("%d %s", got.status, got.body)
	}
	told := r.ups(func(up control.Up) bool { return up.Event != nil && strings.HasPrefix(up.Event.Text, "Told") }).Event
	if told.Owner != "shop" || told.Key != "k" || told.Text != "Told by a wrapper. Retold." {
		t.Errorf("%+v", told)
	}
	passed := strings.Fields(strings.ReplaceAll(w.log.String(), "gate ", "gate:"))
	want := []string{
		"handler", "gate:received", "charger", "gate:looked", "gate:begin", "store",
		"gate:claimed", "gate:provider-called", "store", "gate:committed",
	}
	if len(passed) < len(want) || !slices.Equal(passed[:len(want)], want) {
		t.Errorf("got  %v\nwant %v", passed, want)
	}
}

func TestAnUnknownMistakeIsARefusedCommandLine(t *testing.T) {
	for what, config := range map[string]Config{
		"none known": {Mistake: "wrong"},
		"another":    {Mistake: "wrong", Mistakes: func(string) (Decorate, bool) { return Decorate{}, false }},
	} {
		config.Data, config.Listen, config.Provider = t.TempDir(), "127.0.0.1:0", "http://127.0.0.1:9"
		if err := Run(t.Context(), config, nil, io.Discard, io.Discard); !errors.Is(err, ErrUsage) || !strings.Contains(err.Error(), "--mistake") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
