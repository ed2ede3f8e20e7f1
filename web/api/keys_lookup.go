package api

import (
	"context"
	"net/http"
	"strings"
	"time"

	"chargeonce/idem"
	"chargeonce/ledger"
)

const pathKeys = "/v1/idempotency_keys"

// keyObject is what an owner may know of a key of their own. There is nothing
// like it at Stripe. Times are the wall clock's, in seconds since the Unix
// epoch.
type keyObject struct {
	Object    string    `json:"object"`
	Key       string    `json:"key"`
	State     string    `json:"state"`     // a recovery point (claimed, provider_called), done, or result_expired
	Operation string    `json:"operation"` // "POST /v1/charges"
	Resource  *string   `json:"resource"`  // path of what the key made, or is making; null: it was refused
	Status    *int      `json:"status"`    // of the stored answer; null while open
	Fence     uint64    `json:"fence"`     // raised by each attempt that took the key over
	Created   int64     `json:"created"`
	Finished  *int64    `json:"finished"` // null while open
	Expires   *int64    `json:"expires"`  // until when the answer is replayed; null while open
	Replays   int       `json:"replays"`  // since this process began
	History   []keyStep `json:"history"`  // oldest first
}

// keyStep is one entry of a record's history.
type keyStep struct {
	At   int64  `json:"at"`
	What string `json:"what"`
}

// lookUpKey is GET /v1/idempotency_keys?key=KEY: what became of a key, for its
// owner. It reads, and so never claims anything: a key that is not there is a
// 404, and stays free.
func (s *server) lookUpKey(ctx context.Context, c *call) reply {
	key, problem := askedKey(c)
	if problem != nil {
		return refuse(problem)
	}
	var record idem.Record
	var found bool
	err := s.Store.View(ctx, func(books ledger.Reader) (err error) {
		record, found, err = books.Record(key)
		return err
	})
	switch {
	case err != nil:
		return s.unreadable(c, err)
	case !found:
		return refuse(&Problem{Code: CodeResourceMissing, Param: "key", Message: "You have no idempotency key of this value, or no longer."})
	}
	return jsonReply(s.keyOf(record, time.Now()))
}

// askedKey takes the key as the header does, so that nobody has to spell it in
// two ways.
func askedKey(c *call) (idem.Key, *Problem) {
	query, problem := queryOf(c.r)
	if problem != nil {
		return idem.Key{}, problem
	}
	value := query.text("key", idem.MaxKeyLength+2) // the draft's quotes come on top
	if value == "" {
		query.missing("key")
	}
	if _, problem = query.finish(); problem != nil {
		return idem.Key{}, problem
	}
	key, err := idem.ParseKey(c.owner, []string{value})
	if err != nil {
		return idem.Key{}, &Problem{Code: CodeParamInvalid, Param: "key", Message: "The parameter \"key\" is not an idempotency key."}
	}
	return key, nil
}

// keyOf shows a record at an instant of the wall clock.
func (s *server) keyOf(record idem.Record, wall time.Time) keyObject {
	object := keyObject{
		Object: "idempotency_key", Key: record.Key.Value, State: string(record.Point), Operation: record.Operation,
		Resource: resourceOf(record), Fence: record.Fence, Created: record.Created.Unix(),
		Replays: s.replays.of(record.Key), History: make([]keyStep, 0, len(record.History)),
	}
	for _, step := range record.History {
		object.History = append(object.History, keyStep{step.At.Unix(), step.What})
	}
	if record.Open() {
		return object
	}
	offset := s.Offset()
	finished, ends := record.Finished.Add(-offset), record.Expires(s.Terms).Add(-offset)
	if !wall.Before(ends) {
		object.State = "result_expired"
	}
	object.Status, object.Finished, object.Expires = &record.Answer.Status, unix(finished), unix(ends)
	return object
}

// resourceOf is where the key's object can be read. What was claimed and then
// refused (too large a refund, an increment that the cart has no room for, a
// confirmation of a paid intent) left none, and what was deleted is gone.
func resourceOf(record idem.Record) *string {
	if record.Answer.Status == http.StatusBadRequest || strings.HasPrefix(record.Operation, http.MethodDelete+" ") {
		return nil
	}
	return optional(pathOf(record.Resource))
}

func unix(at time.Time) *int64 {
	seconds := at.Unix()
	return &seconds
}
