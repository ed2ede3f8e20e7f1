package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// createCharge is POST /v1/charges: decode, one call of the ledger, render.
func (s *server) createCharge(ctx context.Context, c *call) reply {
	if problem := noQuery(c.r); problem != nil {
		return refuse(problem)
	}
	decoded, problem := decodeBody(c.w, c.r)
	if problem != nil {
		return refuse(problem)
	}
	request, problem := chargeRequest(c, decoded)
	if problem != nil {
		return refuse(problem)
	}
	c.amount, c.currency = request.Amount, request.Currency
	s.trace(requestEvent(c))
	result, err := s.Charger.Charge(withCall(ctx, c), request)
	if err != nil {
		return s.undecided(c, result, err)
	}
	return s.decided(request, result)
}

// undecided answers a charge that came to no end. Its record, if there is one,
// is open and waits for the same key.
func (s *server) undecided(c *call, result ledger.Result, err error) reply {
	s.Log.Warn("charge not decided", "request", c.id, "key", c.key.String(), "error", err.Error())
	var panicked *ledger.PanicError
	if errors.As(err, &panicked) {
		s.Log.Error("an attempt panicked", "request", c.id, "stack", string(panicked.Stack))
	}
	problem := problemOf(err)
	if result.RetryAfter > 0 && problem.ShouldRetry() {
		problem.RetryAfter = result.RetryAfter
	}
	if result.Charge != "" { // where the truth will be
		problem.Charge, problem.Resource = result.Charge, pathOf(result.Charge)
	}
	answer := refuse(problem)
	if result.Record.Key != (idem.Key{}) {
		answer.header = map[string]string{headerExpires: s.expires(result.Record)}
		answer.decision, answer.charge = result.Outcome.String(), result.Charge
	}
	return answer
}

// decided turns what the key's record led to into an answer.
func (s *server) decided(request ledger.ChargeRequest, result ledger.Result) reply {
	answer := reply{
		header:   map[string]string{headerExpires: s.expires(result.Record)},
		decision: result.Outcome.String(), charge: result.Charge,
	}
	if _, refused := outcomes[result.Outcome]; refused {
		answer.problem = outcomeProblem(request, result)
		return answer
	}
	stored := result.Record.Answer
	answer.status, answer.body = stored.Status, stored.Body
	for _, name := range []string{"Content-Type", "Location"} { // all that may be replayed
		if value := stored.Header[name]; value != "" {
			answer.header[name] = value
		}
	}
	if result.Outcome == idem.Replay {
		s.replays.add(request.Key)
		answer.header[headerReplayed] = "true"
		if stored.Request != "" {
			answer.header[headerOriginal] = stored.Request
		}
	}
	return answer
}

// expires says until when the record's answer is kept, as an HTTP date. An
// open record's retention has not begun: it is kept at least so long from now.
// The retention clock may be ahead; what goes out is the wall clock's time, as
// the client's own clock shows it.
func (s *server) expires(record idem.Record) string {
	offset := s.Offset()
	if record.Open() {
		record.Point, record.Finished = idem.Done, time.Now().Add(offset)
	}
	return record.Expires(s.Terms).Add(-offset).UTC().Format(http.TimeFormat)
}

// getCharge is GET /v1/charges/{id}. Another owner's charge does not exist.
func (s *server) getCharge(ctx context.Context, c *call) reply {
	if problem := noQuery(c.r); problem != nil {
		return refuse(problem)
	}
	id := c.r.PathValue("id")
	var charge ledger.Charge
	var found bool
	if chargeIDs.plausible(id) {
		if err := s.Store.View(ctx, func(books ledger.Reader) (err error) {
			charge, found, err = books.Charge(id)
			return err
		}); err != nil {
			return s.unreadable(c, err)
		}
	}
	if !found || charge.Owner != c.owner {
		return refuse(chargeIDs.missing())
	}
	return jsonReply(chargeOf(charge))
}

// listCharges is GET /v1/charges, newest first.
func (s *server) listCharges(ctx context.Context, c *call) reply {
	page, problem := pageOf(c.r, chargeIDs)
	if problem != nil {
		return refuse(problem)
	}
	list := listObject[chargeObject]{Object: "list", URL: pathCharges}
	err := s.Store.View(ctx, func(books ledger.Reader) error {
		charges, more, err := books.Charges(c.owner, page)
		list.HasMore, list.Data = more, make([]chargeObject, 0, len(charges))
		for _, charge := range charges {
			list.Data = append(list.Data, chargeOf(charge))
		}
		return err
	})
	if errors.Is(err, ledger.ErrNotFound) {
		return refuse(chargeIDs.noSuchCursor(page))
	}
	if err != nil {
		return s.unreadable(c, err)
	}
	return jsonReply(list)
}

// unreadable answers a read that failed.
func (s *server) unreadable(c *call, err error) reply {
	s.Log.Warn("read failed", "request", c.id, "route", c.route, "error", err.Error())
	return refuse(problemOf(err))
}

func jsonReply(value any) reply {
	return reply{status: http.StatusOK, header: map[string]string{"Content-Type": typeJSON}, body: mustJSON(value)}
}
