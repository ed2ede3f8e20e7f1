package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// endpoint is a request for a place that is told of these events.
func endpoint(key string, events ...string) ledger.EndpointRequest {
	return ledger.EndpointRequest{
		Key: idem.Key{Owner: "shop", Value: key}, Operation: "POST /v1/webhook_endpoints", Request: "req_" + key,
		Fingerprint: idem.NewFingerprint("POST", "/v1/webhook_endpoints", nil, idem.Params{"events": fmt.Sprint(events)}),
		URL:         "http://127.0.0.1:9/hooks", Events: events,
	}
}

func (b *bench) endpoint(req ledger.EndpointRequest) answer {
	result, err := b.ledger.CreateEndpoint(context.Background(), req)
	return answer{result, err}
}

// changeOf asks that an endpoint become what change makes of it.
func changeOf(id, key string, change func(*ledger.EndpointChange)) ledger.EndpointChange {
	req := ledger.EndpointChange{
		Key: idem.Key{Owner: "shop", Value: key}, Operation: "POST /v1/webhook_endpoints/{id}", Request: "req_" + key,
		Fingerprint: idem.NewFingerprint("POST", "/v1/webhook_endpoints/"+id, nil, idem.Params{"change": key}), Endpoint: id,
	}
	change(&req)
	return req
}

func (b *bench) change(req ledger.EndpointChange) answer {
	result, err := b.ledger.UpdateEndpoint(context.Background(), req)
	return answer{result, err}
}

// endpointNow reads an endpoint as it stands.
func (b *bench) endpointNow(id string) (e ledger.Endpoint) {
	b.t.Helper()
	b.view(func(r ledger.Reader) (err error) {
		e, _, err = r.Endpoint(id)
		return err
	})
	return e
}

// queue is who is to be told of what, in order.
func (b *bench) queue() (all []ledger.Queued) {
	b.t.Helper()
	b.outbox(func(r ledger.EventReader) (err error) {
		all, err = r.Pending(0, 1000)
		return err
	})
	return all
}

// queueFor lists the types of the events that wait for an endpoint.
func (b *bench) queueFor(endpoint string) string {
	b.t.Helper()
	var types []string
	for _, q := range b.queue() {
		if q.Endpoint != endpoint {
			continue
		}
		b.outbox(func(r ledger.EventReader) error {
			e, _, err := r.Event(q.ID)
			types = append(types, e.Type)
			return err
		})
	}
	return strings.Join(types, " ")
}

// endpointRules: who else is told.
var endpointRules = []rule{
	{"an endpoint is made once per key, in one commit, with a secret of its own", func(t *testing.T, b *bench) {
		first := b.check(b.endpoint(endpoint("a", "*")), idem.Started, 201)
		again := b.check(b.endpoint(endpoint("a", "*")), idem.Replay, 201)
		other := b.check(b.endpoint(endpoint("b", "*")), idem.Started, 201)
		if again.Endpoint != first.Endpoint || string(again.Record.Answer.Body) != string(first.Record.Answer.Body) || b.log.count("committed 1") != 0 {
			t.Errorf("%+v and %+v", first.Result, again.Result)
		}
		b.view(func(r ledger.Reader) error {
			all, _, err := r.Endpoints("shop", ledger.Page{})
			if len(all) != 2 || all[0].ID != other.Endpoint || all[0].Secret == all[1].Secret || len(all[1].Secret) != len("whsec_")+32 {
				t.Errorf("endpoints %+v", all)
			}
			return err
		})
	}},
	{"each endpoint is queued for what it wants, of its owner's, from then on", func(t *testing.T, b *bench) {
		b.must(request("before"), idem.Started, 201)
		everything := b.check(b.endpoint(endpoint("a", "*")), idem.Started, 201).Endpoint
		failures := b.check(b.endpoint(endpoint("b", ledger.ChargeFailed)), idem.Started, 201).Endpoint
		b.provider.Script(Act{}, Act{Decline: "lost_card"})
		charge := b.must(request("k"), idem.Started, 201).Charge
		b.must(request("l"), idem.Started, 402)
		b.mustRefund(refundOf(charge, "r", 1), idem.Started, 201)
		b.must(request("other", owner("anna")), idem.Started, 201)
		if got := b.queueFor(everything); got != "charge.succeeded charge.failed refund.created charge.refunded" {
			t.Errorf("everything: %s", got)
		}
		if got := b.queueFor(failures); got != "charge.failed" {
			t.Errorf("failures: %s", got)
		}
	}},
	{"each acknowledges for itself, and once", func(t *testing.T, b *bench) {
		one := b.check(b.endpoint(endpoint("a", "*")), idem.Started, 201).Endpoint
		two := b.check(b.endpoint(endpoint("b", "*")), idem.Started, 201).Endpoint
		b.must(request("k"), idem.Started, 201)
		queue := b.queue() // the suite's own consumer, and two endpoints
		if len(queue) != 3 || queue[0].Endpoint != "" || queue[1].Endpoint != one || queue[2].Endpoint != two {
			t.Fatalf("the queue is %+v", queue)
		}
		stale := b.events("shop")[0]
		for range 2 {
			if err := ledger.AcknowledgeTo(context.Background(), b.store, queue[1]); err != nil {
				t.Fatal(err)
			}
		}
		if err := ledger.Acknowledge(context.Background(), b.store, stale, b.clock.Now()); err != nil { // read before
			t.Fatal(err)
		}
		same(t, queue[2:], b.queue())
		if e := b.events("shop")[0]; len(e.Waiting) != 1 || e.Waiting[0] != two || e.Pending {
			t.Errorf("the event is %+v", e)
		}
		unknown := queue[2]
		unknown.ID = "evt_none"
		if err := ledger.AcknowledgeTo(context.Background(), b.store, unknown); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("an event that is not there: %v", err)
		}
	}},
	{"a deleted endpoint is gone, and is told of nothing that comes", func(t *testing.T, b *bench) {
		id := b.check(b.endpoint(endpoint("a", "*")), idem.Started, 201).Endpoint
		if err := b.ledger.DeleteEndpoint(context.Background(), "anna", id); !errors.Is(err, ledger.ErrNotFound) {
			t.Errorf("by another owner: %v", err)
		}
		for i, want := range []error{nil, ledger.ErrNotFound} {
			if err := b.ledger.DeleteEndpoint(context.Background(), "shop", id); !errors.Is(err, want) {
				t.Errorf("time %d: %v", i+1, err)
			}
		}
		b.must(request("k"), idem.Started, 201)
		if got := b.queueFor(id); got != "" {
			t.Errorf("queued: %s", got)
		}
	}},
	{"a removal under a key is made once, and replayed though the endpoint is gone", func(t *testing.T, b *bench) {
		id := b.check(b.endpoint(endpoint("a", "*")), idem.Started, 201).Endpoint
		remove := func(owner, key, id string) answer {
			result, err := b.ledger.RemoveEndpoint(context.Background(), ledger.EndpointRemoval{
				Key: idem.Key{Owner: owner, Value: key}, Operation: "DELETE /v1/webhook_endpoints/{id}", Request: "req_" + key, Endpoint: id,
				Fingerprint: idem.NewFingerprint("DELETE", "/v1/webhook_endpoints/"+id, nil, nil),
			})
			return answer{result, err}
		}
		if got := remove("anna", "r", id); !errors.Is(got.err, ledger.ErrNotFound) {
			t.Errorf("by another owner: %v", got.err)
		}
		first := b.check(remove("shop", "r", id), idem.Started, 200)
		again := b.check(remove("shop", "r", id), idem.Replay, 200)
		if string(again.Record.Answer.Body) != string(first.Record.Answer.Body) || first.Record.Answer.Request != "req_r" || b.endpointNow(id).ID != "" {
			t.Errorf("%+v and %+v", first.Result, again.Result)
		}
		var invalid *ledger.InvalidError
		if got := remove("shop", "other", ""); !errors.As(got.err, &invalid) || invalid.Param != "id" {
			t.Errorf("without an id: %v", got.err)
		}
	}},
	{"a change is made once per key, is one commit, and keeps what it does not name", func(t *testing.T, b *bench) {
		id := b.check(b.endpoint(endpoint("a", "*")), idem.Started, 201).Endpoint
		before := b.endpointNow(id)
		change := changeOf(id, "c", func(r *ledger.EndpointChange) { r.URL = "http://127.0.0.1:9/other" })
		first := b.check(b.change(change), idem.Started, 200)
		again := b.check(b.change(change), idem.Replay, 200)
		if again.Endpoint != id || string(again.Record.Answer.Body) != string(first.Record.Answer.Body) || first.Record.Answer.Request != "req_c" || b.log.count("committed 1") != 0 {
			t.Errorf("%+v and %+v", first.Result, again.Result)
		}
		want := before
		want.URL = "http://127.0.0.1:9/other"
		same(t, want, b.endpointNow(id))
		b.check(b.change(changeOf(id, "d", func(r *ledger.EndpointChange) { r.Events = []string{ledger.ChargeFailed} })), idem.Started, 200)
		b.must(request("k"), idem.Started, 201)
		if got := b.queueFor(id); got != "" {
			t.Errorf("queued: %s", got)
		}
	}},
	{"a disabled endpoint is told of nothing that comes, until it is enabled again", func(t *testing.T, b *bench) {
		id := b.check(b.endpoint(endpoint("a", "*")), idem.Started, 201).Endpoint
		for i, disabled := range []bool{true, false} {
			set := func(r *ledger.EndpointChange) { r.Disabled = &disabled }
			b.check(b.change(changeOf(id, fmt.Sprint("c", i), set)), idem.Started, 200)
			b.must(request(fmt.Sprint("k", i)), idem.Started, 201)
		}
		if got := b.queueFor(id); got != "charge.succeeded" {
			t.Errorf("queued: %s", got)
		}
	}},
	{"what waited for an endpoint when it was disabled is dropped, though it is enabled at once", func(t *testing.T, b *bench) {
		id := b.check(b.endpoint(endpoint("a", "*")), idem.Started, 201).Endpoint
		b.must(request("before"), idem.Started, 201)
		for i, disabled := range []bool{true, false} {
			b.check(b.change(changeOf(id, fmt.Sprint("c", i), func(r *ledger.EndpointChange) { r.Disabled = &disabled })), idem.Started, 200)
		}
		b.must(request("after"), idem.Started, 201)
		b.check(b.change(changeOf(id, "d", func(r *ledger.EndpointChange) { r.Events = []string{"*"} })), idem.Started, 200)
		e, events := b.endpointNow(id), b.events("shop")
		for _, q := range b.queue() {
			if q.Endpoint == id && e.Awaits(q.Seq) != (q.ID == events[1].ID) {
				t.Errorf("%s awaits seq %d of %s: %v", id, q.Seq, q.ID, e.Awaits(q.Seq))
			}
		}
		if e.Awaits(events[0].Seq) || !e.Awaits(events[1].Seq) {
			t.Errorf("events at %d and %d, dropped up to %d", events[0].Seq, events[1].Seq, e.Dropped)
		}
	}},
	{"nobody changes another's endpoint, one that is gone, or whose it is", func(t *testing.T, b *bench) {
		id := b.check(b.endpoint(endpoint("a", "*")), idem.Started, 201).Endpoint
		stranger := func(r *ledger.EndpointChange) { r.Key.Owner, r.URL = "anna", "http://127.0.0.1:9/" }
		for name, req := range map[string]ledger.EndpointChange{"another's": changeOf(id, "k", stranger), "none": changeOf("we_none", "k", func(*ledger.EndpointChange) {})} {
			if got := b.change(req); !errors.Is(got.err, ledger.ErrNotFound) {
				t.Errorf("%s: %v", name, got.err)
			}
		}
		for param, change := range map[string]func(*ledger.EndpointChange){
			"url":            func(r *ledger.EndpointChange) { r.URL = "http://example.com/" },
			"enabled_events": func(r *ledger.EndpointChange) { r.Events = []string{} },
			"description": func(r *ledger.EndpointChange) {
				long := strings.Repeat("x", ledger.MaxDescription+1)
				r.Description = &long
			},
			"id": func(r *ledger.EndpointChange) { r.Endpoint = "" },
		} {
			var invalid *ledger.InvalidError
			if got := b.change(changeOf(id, "k", change)); !errors.As(got.err, &invalid) || invalid.Param != param {
				t.Errorf("%s: %v", param, got.err)
			}
		}
		other := b.endpointNow(id)
		other.Secret = "whsec_other"
		if err := b.update(func(tx ledger.Tx) error { return tx.PutEndpoint(other) }); !errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("another secret: %v", err)
		}
	}},
	{"an owner has 16 endpoints at most; one too many is a stored answer", func(t *testing.T, b *bench) {
		var last string
		for i := range ledger.MaxEndpoints {
			last = b.check(b.endpoint(endpoint(fmt.Sprint("k", i), "*")), idem.Started, 201).Endpoint
		}
		b.check(b.endpoint(endpoint("more", "*")), idem.Started, 400)
		if err := b.ledger.DeleteEndpoint(context.Background(), "shop", last); err != nil {
			t.Fatal(err)
		}
		b.check(b.endpoint(endpoint("more", "*")), idem.Replay, 400)
		b.check(b.endpoint(endpoint("again", "*")), idem.Started, 201)
	}},
	{"what is malformed makes no endpoint", func(t *testing.T, b *bench) {
		for param, change := range map[string]func(*ledger.EndpointRequest){
			"url":            func(r *ledger.EndpointRequest) { r.URL = "http://example.com/" },
			"enabled_events": func(r *ledger.EndpointRequest) { r.Events = []string{"charge.invented"} },
			"description":    func(r *ledger.EndpointRequest) { r.Description = strings.Repeat("x", ledger.MaxDescription+1) },
			"fingerprint":    func(r *ledger.EndpointRequest) { r.Fingerprint = idem.Fingerprint{} },
		} {
			req := endpoint("k", "*")
			change(&req)
			var invalid *ledger.InvalidError
			if got := b.endpoint(req); !errors.As(got.err, &invalid) || invalid.Param != param {
				t.Errorf("%s: %v", param, got.err)
			}
		}
	}},
}
