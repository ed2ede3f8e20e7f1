package provider

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// model is the provider as a map: what each key was first used for, and what
// came of it.
type model struct {
	first    map[string]string // key → path and body
	answers  map[string]reply
	captured map[string]int64 // capture id → minor units
	refunded map[string]int64
	ids      []string // of captures, oldest first
}

// send is the whole rule once more, in a few lines: it says what status must
// come, and learns from what came.
func (m *model) send(t *rapid.T, p *Provider, path, key, body string, fresh func(reply) int) {
	got := post(p, path, key, body)
	used, known := m.first[key]
	switch {
	case known && used != path+body:
		if got.status != 409 {
			t.Fatalf("%s reused for %s: %d, want 409", key, body, got.status)
		}
	case known:
		if was := m.answers[key]; got.status != was.status || got.body != was.body || !got.replayed() {
			t.Fatalf("%s again: %d %s, want the replay of %d %s", key, got.status, got.body, was.status, was.body)
		}
	default:
		if want := fresh(got); got.status != want || got.replayed() {
			t.Fatalf("%s for %s: %d %s, want a fresh %d", key, body, got.status, got.body, want)
		}
		if got.status == 201 || got.status == 402 {
			m.first[key], m.answers[key] = path+body, got
		}
	}
}

func (m *model) capture(t *rapid.T, p *Provider) {
	key := rapid.SampledFrom([]string{"a", "b", "c", "d"}).Draw(t, "key")
	card := rapid.SampledFrom([]string{"tok_visa", "tok_chargeDeclined"}).Draw(t, "card")
	amount := rapid.Int64Range(1, 3).Draw(t, "amount")
	m.send(t, p, "/captures", key, orderOf(amount, "eur", card, "shop/"+key), func(got reply) int {
		if card == "tok_chargeDeclined" {
			return 402
		}
		id := got.document(t).ID
		m.captured[id], m.ids = amount, append(m.ids, id)
		return 201
	})
}

func (m *model) refund(t *rapid.T, p *Provider) {
	if len(m.ids) == 0 {
		t.Skip("nothing to refund")
	}
	key := rapid.SampledFrom([]string{"a", "r", "s", "t"}).Draw(t, "key")
	id := rapid.SampledFrom(m.ids).Draw(t, "capture")
	amount := rapid.Int64Range(1, 3).Draw(t, "amount")
	m.send(t, p, "/refunds", key, refundOf(id, amount), func(reply) int {
		if m.refunded[id]+amount > m.captured[id] {
			return 402
		}
		m.refunded[id] += amount
		return 201
	})
}

// check compares the money in the book with the model's.
func (m *model) check(t *rapid.T, p *Provider) {
	var want int64
	for id, amount := range m.captured {
		want += amount - m.refunded[id]
	}
	captured, captures, err := p.Totals()
	if err != nil || captured["shop"]["eur"] != want || captures["shop"] != len(m.ids) {
		t.Fatalf("charged %v over %v captures (%v), want %d over %d", captured, captures, err, want, len(m.ids))
	}
}

func TestAnySequenceOfRequestsAgreesWithTheModel(t *testing.T) {
	db, account := memory(t), 0
	rapid.Check(t, func(t *rapid.T) {
		account++ // a book of its own for each sequence
		p, err := New(Options{DB: db, Account: fmt.Sprintf("m%d", account)})
		if err != nil {
			t.Fatal(err)
		}
		m := &model{first: map[string]string{}, answers: map[string]reply{}, captured: map[string]int64{}, refunded: map[string]int64{}}
		t.Repeat(map[string]func(*rapid.T){
			"capture": func(t *rapid.T) { m.capture(t, p) },
			"refund":  func(t *rapid.T) { m.refund(t, p) },
			"":        func(t *rapid.T) { m.check(t, p) },
		})
	})
}
