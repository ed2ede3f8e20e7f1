package provider

import (
	"fmt"
	"sync"
	"testing"
)

// Case G05: two refunds that fit alone and not together.
func TestTwoRefundsAtOnceNeverExceedTheCapture(t *testing.T) {
	p := start(t, Options{})
	for round := range 200 {
		reference := fmt.Sprintf("shop/ch_%d", round)
		capture := post(p, "/captures", "cap_"+reference, orderOf(100, "eur", "tok_visa", reference)).document(t)
		var answers [2]reply
		var both sync.WaitGroup
		for i := range answers {
			both.Go(func() {
				answers[i] = post(p, "/refunds", fmt.Sprintf("ref_%d_%d", round, i), refundOf(capture.ID, 60))
			})
		}
		both.Wait()
		if answers[0].status+answers[1].status != 201+402 {
			t.Fatalf("round %d: %d and %d, want one 201 and one 402", round, answers[0].status, answers[1].status)
		}
	}
	captured, captures, err := p.Totals()
	if err != nil || captured["shop"]["eur"] != 200*40 || captures["shop"] != 200 {
		t.Errorf("totals %v, %v, %v; want 8000 over 200 captures", captured, captures, err)
	}
}

// Case G08: the answer of a partial refund is lost, and it is sent again.
func TestRefundSentAgainIsPaidOnce(t *testing.T) {
	p := start(t, Options{})
	capture := post(p, "/captures", "c", order50("tok_visa")).document(t)
	first := post(p, "/refunds", "r", refundOf(capture.ID, 4000))
	again := post(p, "/refunds", "r", refundOf(capture.ID, 4000))
	if first.status != 201 || again.body != first.body || !again.replayed() {
		t.Errorf("%d %s, then %d %s; want 201 and its replay", first.status, first.body, again.status, again.body)
	}
	doc := first.document(t)
	if doc.Status != StatusRefunded || doc.Capture != capture.ID || doc.Currency != "eur" || doc.Reference != "shop/ch_1" {
		t.Errorf("refund %+v does not name its capture, currency and charge", doc)
	}
	if captured, _, err := p.Totals(); err != nil || captured["shop"]["eur"] != 1000 {
		t.Errorf("the card stays charged %v (%v), want 1000", captured, err)
	}
}

func TestRefundBeyondTheCaptureIsADefiniteNo(t *testing.T) {
	p := start(t, Options{})
	capture := post(p, "/captures", "c", order50("tok_visa")).document(t)
	post(p, "/refunds", "part", refundOf(capture.ID, 2000))
	no := post(p, "/refunds", "too-much", refundOf(capture.ID, 3001))
	if no.status != 402 || no.document(t).DeclineCode != "refund_exceeds_capture" {
		t.Errorf("3001 of 3000: %d %s, want 402 refund_exceeds_capture", no.status, no.body)
	}
	if rest := post(p, "/refunds", "rest", refundOf(capture.ID, 3000)); rest.status != 201 {
		t.Errorf("3000 of 3000: %d %s, want 201", rest.status, rest.body)
	}
	if again := post(p, "/refunds", "too-much", refundOf(capture.ID, 3001)); again.body != no.body || !again.replayed() {
		t.Errorf("the no was not kept: %d %s", again.status, again.body)
	}
}

func TestOnlyCapturesCanBeRefunded(t *testing.T) {
	p := start(t, Options{})
	capture := post(p, "/captures", "c", order50("tok_visa")).document(t)
	declined := post(p, "/captures", "d", order50("tok_chargeDeclined")).document(t)
	refund := post(p, "/refunds", "r", refundOf(capture.ID, 1)).document(t)
	for _, id := range []string{"cpt_unknown", declined.ID, refund.ID} {
		got := post(p, "/refunds", "r2", refundOf(id, 1))
		if got.status != 404 || got.problem(t).Code != "capture_unknown" {
			t.Errorf("%s: %d %s, want 404 capture_unknown", id, got.status, got.body)
		}
	}
	// Nothing was kept of the three: the key is still free.
	if got := post(p, "/refunds", "r2", refundOf(capture.ID, 1)); got.status != 201 || got.replayed() {
		t.Errorf("the key of the refused refunds: %d %s, want a fresh 201", got.status, got.body)
	}
}
