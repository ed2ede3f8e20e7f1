package lesson

import (
	"context"
	"fmt"
	"maps"
	"strconv"
)

// otherPrice is that of another request under the same key, in minor units:
// €80.00.
const otherPrice = 8000

// requestOf is the request that pays for an order which was placed: the bytes
// and the key that its shop sends, for somebody who sends them bare.
func requestOf(ctx context.Context, rig Rig, p Purchase) (Request, error) {
	books, err := rig.Figures(ctx)
	if err != nil {
		return Request{}, err
	}
	if len(books.Orders) != 1 {
		return Request{}, fmt.Errorf("%w: %d orders are placed", errOrders, len(books.Orders))
	}
	return Request{
		Owner: p.Owner, Method: "POST", Path: "/v1/charges", KeyOf: p.Order,
		Form: map[string]string{
			"amount": strconv.FormatInt(p.Amount, 10), "currency": p.Currency, "source": p.Card,
			"metadata[order]": books.Orders[0].ID,
		},
	}, nil
}

// with is the same request but for one parameter.
func (q Request) with(name, value string) Request {
	q.Form = maps.Clone(q.Form)
	q.Form[name] = value
	return q
}

// answered sends a request to which there must be an answer, whatever it says:
// where nothing is lost on purpose, silence means that the machine is too slow
// for the experiment. Whoever is told to come again is told when.
func answered(ctx context.Context, rig Rig, request Request) (Answer, error) {
	answer, err := rig.Send(ctx, request)
	switch {
	case err != nil:
		return Answer{}, err
	case answer.Status == 0:
		return Answer{}, fmt.Errorf("%w: %s %s", errNoAnswer, request.Method, request.Path)
	case answer.Header.Get("Stripe-Should-Retry") == "true" && answer.Header.Get("Retry-After") == "":
		return Answer{}, fmt.Errorf("%w: %d without a Retry-After", errNoAnswer, answer.Status)
	}
	return answer, nil
}
