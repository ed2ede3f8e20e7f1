package badgerdb

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"chargeonce/idem"
)

// recordVersion stands in every stored record. Raise it when the form changes,
// and keep the decoder of the old one: a record may be a month old.
const recordVersion = 1

// storedRecord is the form on disk. It is separate from [idem.Record], so that
// a field renamed there cannot silently empty the records of running stores;
// the conversions below stop compiling when its parts change.
type storedRecord struct {
	V           int               `json:"v"`
	Owner       string            `json:"owner"`
	Value       string            `json:"key"`
	Fingerprint storedFingerprint `json:"fingerprint"`
	Operation   string            `json:"operation"`
	Resource    string            `json:"resource"`
	Point       idem.Point        `json:"point"`
	Fence       uint64            `json:"fence"`
	LeaseUntil  time.Time         `json:"lease_until"`
	Created     time.Time         `json:"created"`
	Finished    time.Time         `json:"finished"`
	Answer      storedAnswer      `json:"answer"`
	History     []storedStep      `json:"history"`
}

type storedFingerprint struct {
	Sum       string            `json:"sum"`
	Operation string            `json:"operation"`
	Params    map[string]string `json:"params"`
}

type storedAnswer struct {
	Status  int               `json:"status"`
	Header  map[string]string `json:"header"`
	Body    []byte            `json:"body"`
	Request string            `json:"request"`
}

type storedStep struct {
	At   time.Time `json:"at"`
	What string    `json:"what"`
}

func encodeRecord(r idem.Record) ([]byte, error) {
	history := make([]storedStep, len(r.History))
	for i, step := range r.History {
		history[i] = storedStep{wall(step.At), step.What}
	}
	data, err := json.Marshal(storedRecord{
		V: recordVersion, Owner: r.Key.Owner, Value: r.Key.Value,
		Fingerprint: storedFingerprint(r.Fingerprint),
		Operation:   r.Operation, Resource: r.Resource,
		Point: r.Point, Fence: r.Fence,
		LeaseUntil: wall(r.LeaseUntil), Created: wall(r.Created), Finished: wall(r.Finished),
		Answer: storedAnswer(r.Answer), History: history,
	})
	if err != nil {
		return nil, fmt.Errorf("badgerdb: encode record of %v: %w", r.Key, err)
	}
	return data, nil
}

func decodeRecord(data []byte) (idem.Record, error) {
	var s storedRecord
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields() // what a later version added must not get lost
	if err := decoder.Decode(&s); err != nil {
		return idem.Record{}, fmt.Errorf("%w: record: %w", ErrCorrupt, err)
	}
	err := s.check()
	if _, more := decoder.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("data behind the record")
	}
	if err != nil {
		return idem.Record{}, fmt.Errorf("%w: record: %w", ErrCorrupt, err)
	}
	var history []idem.Step
	for _, step := range s.History {
		history = append(history, idem.Step{At: wall(step.At), What: step.What})
	}
	return idem.Record{
		Key:         idem.Key{Owner: s.Owner, Value: s.Value},
		Fingerprint: idem.Fingerprint(s.Fingerprint),
		Operation:   s.Operation, Resource: s.Resource,
		Point: s.Point, Fence: s.Fence,
		LeaseUntil: wall(s.LeaseUntil), Created: wall(s.Created), Finished: wall(s.Finished),
		Answer: idem.Answer(s.Answer), History: history,
	}, nil
}

// check finds records that are JSON but cannot have been written by us.
func (s storedRecord) check() error {
	switch {
	case s.V != recordVersion:
		return fmt.Errorf("version %d, this program reads version %d", s.V, recordVersion)
	case s.Fence == 0 || s.Point == "":
		return errors.New("no fence or no recovery point")
	}
	return nil
}

// wall strips the monotonic reading and the zone, neither of which survives a
// restart.
func wall(t time.Time) time.Time { return t.Round(0).UTC() }
