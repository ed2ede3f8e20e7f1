package lesson

import (
	"context"

	"chargeonce/web/control"
)

// redelivery: the box after the API has the API's own problem. What it is told
// is told again, whenever its acknowledgement is lost.
func redelivery() Lesson {
	return Lesson{
		ID: "redelivery", Title: "Redelivered message", Mistake: "no-dedup",
		NaiveLabel: "NAIVE: every message is news", SafeLabel: "SAFE: message and effect in one transaction",
		Lanes:    []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider, control.LaneReceipts},
		Counters: []control.Outcome{control.Attempt, control.Started, control.Captured, control.Receipt},
		Setup:    "One purchase, *paid without trouble*. The API tells the shop's receipts of it.",
		Question: "How many receipts?",
		Answers: []string{
			"None: the message was lost.",
			"One: the API sends each message once.",
			"One or two: it depends on who receives it.",
			"As many as the API has attempts.",
		},
		Right:    3,
		Sentence: "At-least-once delivery needs an idempotent consumer.",
		NotFixed: "Not fixed: an effect *outside of the transaction*, such as a mail that was sent.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "alwaysNews"},
			{Side: control.Safe, Package: "web/shop", Func: "remember"},
			{Side: control.Safe, Package: "web/shop", Func: "(journal).apply"},
		},
		Beats:    redeliveryBeats(),
		Script:   loseAcknowledgement,
		Promises: redeliveryPromises,
	}
}

// taken is the consumer's word that it has taken a message in.
var taken = Cue{Lane: control.LaneReceipts, Kind: control.KindWebhook, Status: 200}

// There is no curtain: who asks here is the API, and it has seen no more than
// the class has.
func redeliveryBeats() []Beat {
	bought := []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, Status: 201}}
	lost := []Cue{taken, {Lane: control.LaneReceipts, Kind: control.KindFault, Outcome: control.Lost}}
	again := []Cue{{Lane: control.LaneReceipts, Kind: control.KindWebhook, Attempt: 2}}
	return []Beat{
		{Say: "The payment is done: *one charge, €50, answered 201.*", Naive: bought, Safe: bought},
		{Say: "The message arrives: one receipt, stock −1. But *its acknowledgement is lost.*", Naive: lost, Safe: lost},
		{Say: "To the API that is silence. You are the API: *you cannot know, so you deliver again.*", Question: true, Naive: again, Safe: again},
		{Say: "NAIVE takes every message for news: *a second receipt, stock −2.*", Naive: []Cue{{End: true}}, Answer: true},
		{Say: "The money is right all the same. *The goods are not.*"},
		{Say: "SAFE finds the row that the first delivery wrote: *known, acknowledged, no effect.*", Safe: []Cue{{End: true}}},
		{Say: "That row and the receipt were *one transaction*: never one without the other."},
	}
}

// loseAcknowledgement waits for the second delivery, which nobody asks for: the
// customer has long gone.
func loseAcknowledgement(ctx context.Context, _ control.Side, rig Rig) error {
	fault := control.Fault{Boundary: "webhook", Kind: "lose-response", How: "silent", Attempts: 1}
	if err := rig.Arm(ctx, fault); err != nil {
		return err
	}
	ticket, err := rig.Buy(ctx, only)
	if err != nil {
		return err
	}
	if err := paid(ctx, ticket); err != nil {
		return err
	}
	second := taken
	second.N = 2
	_, err = rig.Await(ctx, second)
	return err
}

func redeliveryPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, _ := captures(books)
	receipts, stock := shelf(books)
	c.count("captures", 1, captured)
	c.count("charges in our ledger", 1, charges(books))
	c.money(books, price, price, price)
	c.count("deliveries on the wire", 2, books.Owners[""].Wire.Webhook)
	times := 1
	if side == control.Naive {
		times = 2
	}
	c.count("receipts", times, receipts)
	c.count("stock", -times, stock)
	return c.all
}
