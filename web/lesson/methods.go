package lesson

import (
	"context"
	"fmt"

	"chargeonce/web/control"
)

const (
	// Cart is the id of the one cart that a lesson may fill.
	Cart = "basket"
	// thrice is how often each request is sent.
	thrice = 3
)

// methods: not every request needs a key. Some say how things shall be, and
// that can be said as often as one likes.
func methods() Lesson {
	return Lesson{
		ID: "methods", Title: "Born idempotent", Mistake: "no-key",
		NaiveLabel: "NAIVE: no keys", SafeLabel: "SAFE: a key on each POST",
		Lanes:    []control.Lane{control.LaneShop, control.LaneAPI, control.LaneProvider},
		Counters: []control.Outcome{control.Attempt, control.Started, control.Replay, control.Captured},
		Setup:    "Four requests, *each sent three times*: PUT, GET, and two kinds of POST.",
		Question: "Which of these needs a key?",
		Answers:  []string{"All four.", "PUT and both POSTs.", "Both POSTs.", "Only the charge."},
		Right:    3,
		Sentence: "Some operations are born idempotent, others are engineered.",
		NotFixed: "Idempotent is about *repeats, not about order*: a late PUT overwrites a newer one.",
		Code: []CodeRef{
			{Side: control.Naive, Package: "web/naive", Func: "ignoreKey"},
			{Side: control.Safe, Package: "ledger", Func: "(*Ledger).SetQuantity"},
			{Side: control.Safe, Package: "ledger", Func: "(*Ledger).Increment"},
		},
		Beats:    methodsBeats(),
		Script:   sendEachThrice,
		Promises: methodsPromises,
	}
}

func methodsBeats() []Beat {
	answers := func(requests int) []Cue {
		return []Cue{{Lane: control.LaneShop, Kind: control.KindResponse, N: thrice * requests}}
	}
	return []Beat{
		{Say: "PUT quantity=2, three times: *two mugs in the cart*, each time.", Naive: answers(1), Safe: answers(1)},
		{Say: "GET, three times: *looking changes nothing.*", Naive: answers(2), Safe: answers(2)},
		{Say: "Now POST: *a charge of €50*, and *one pen more* in the cart. Three times each.", Question: true},
		{Say: "NAIVE charges without a key: *three POSTs, three charges, €150.*", Naive: answers(3)},
		{Say: "And one pen more, and one more, and one more: *three pens instead of one.*", Naive: []Cue{{End: true}}},
		{Say: "SAFE puts one key on all three: *STARTED, REPLAY, REPLAY.* One charge.", Safe: answers(3), Answer: true},
		{Say: "The keyed increment as well: *one pen*, and two replays that say so.", Safe: []Cue{{End: true}}},
	}
}

// sendEachThrice repeats each request as if its answer had been lost, one after
// the other: races are another lesson.
func sendEachThrice(ctx context.Context, _ control.Side, rig Rig) error {
	items := "/v1/carts/" + Cart + "/items/"
	put := Request{Method: "PUT", Path: items + "mug", Form: map[string]string{"quantity": "2"}}
	get := Request{Method: "GET", Path: "/v1/carts/" + Cart}
	increment := Request{Method: "POST", Path: items + "pen/increment", Form: map[string]string{"by": "1"}, Key: "one-pen-more"}
	for _, request := range []Request{put, get} {
		if err := sendThrice(ctx, rig, request); err != nil {
			return err
		}
	}
	for range thrice {
		ticket, err := rig.Buy(ctx, only)
		if err != nil {
			return err
		}
		if err := paid(ctx, ticket); err != nil {
			return err
		}
	}
	return sendThrice(ctx, rig, increment)
}

func sendThrice(ctx context.Context, rig Rig, request Request) error {
	for range thrice {
		answer, err := answered(ctx, rig, request)
		if err != nil {
			return err
		}
		if answer.Status != 200 {
			return fmt.Errorf("%w: %s %s gives %d", errAnswer, request.Method, request.Path, answer.Status)
		}
	}
	return nil
}

func methodsPromises(side control.Side, books Figures) []Check {
	c := checks{side: side}
	captured, _ := captures(books)
	times := 1
	if side == control.Naive {
		times = thrice
	} else {
		c.replays(books, 2*(thrice-1))
	}
	c.count("mugs in the cart, after PUT quantity=2", 2, int(books.Cart["mug"]))
	c.count("pens in the cart, after POST increment", times, int(books.Cart["pen"]))
	c.count("captures", times, captured)
	c.count("charges in our ledger", times, charges(books))
	c.money(books, price, int64(times)*price, int64(times)*price)
	c.count("requests on the API's wire", 4*thrice, books.Owners[""].Wire.API)
	return c.all
}
