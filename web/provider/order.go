package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"chargeonce/idem"
)

const (
	// maxBody bounds a request in bytes: the longest legal one is some 400.
	maxBody = 4 << 10
	// MaxAmount is the largest amount in minor units, eight digits as at
	// Stripe. A sum in an int64 then holds 92 billion of them, so no sum wraps.
	MaxAmount = 99_999_999
	// maxChargeID bounds the second half of a reference, in bytes.
	maxChargeID = 128
	// maxTrace bounds the trace header that the hook passes on, in bytes.
	maxTrace = 128
)

// order is a request that was understood and checked: all that a decision
// needs, so that the transaction can run without the client.
type order struct {
	operation string // "POST /captures"
	key       idem.Key
	print     idem.Fingerprint
	amount    int64  // minor units
	currency  string // of a refund: empty, the capture knows it
	card      Card
	reference string
	capture   string // of a refund: the capture to give back
}

// owner is the first half of a reference: whose charge it is.
func owner(reference string) string {
	name, _, _ := strings.Cut(reference, "/")
	return name
}

// decodeCapture reads POST /captures.
func decodeCapture(account string, w http.ResponseWriter, r *http.Request) (order, error) {
	var body struct {
		Amount                    int64
		Currency, Card, Reference string
	}
	key, err := decode(account, w, r, &body)
	if err != nil {
		return order{}, err
	}
	card, known := findCard(body.Card)
	switch {
	case body.Amount < 1 || body.Amount > MaxAmount:
		return order{}, invalid("amount must be 1 to %d minor units", MaxAmount)
	case !validCurrency(body.Currency):
		return order{}, invalid("currency must be three lower-case letters")
	case !validReference(body.Reference):
		return order{}, invalid("reference must be OWNER/CHARGE_ID")
	case !known:
		return order{}, invalid("card must be a test token")
	}
	return order{
		operation: "POST /captures", key: key,
		print: idem.NewFingerprint(http.MethodPost, "/captures", nil, idem.Params{
			"amount": number(body.Amount), "currency": body.Currency,
			"card": body.Card, "reference": body.Reference,
		}),
		amount: body.Amount, currency: body.Currency, card: card, reference: body.Reference,
	}, nil
}

// decodeRefund reads POST /refunds.
func decodeRefund(account string, w http.ResponseWriter, r *http.Request) (order, error) {
	var body struct {
		Capture string
		Amount  int64
	}
	key, err := decode(account, w, r, &body)
	if err != nil {
		return order{}, err
	}
	switch {
	case body.Amount < 1 || body.Amount > MaxAmount:
		return order{}, invalid("amount must be 1 to %d minor units", MaxAmount)
	case !validChargeID(body.Capture):
		return order{}, invalid("capture must be the id of a capture")
	}
	return order{
		operation: "POST /refunds", key: key,
		print: idem.NewFingerprint(http.MethodPost, "/refunds", nil, idem.Params{
			"capture": body.Capture, "amount": number(body.Amount),
		}),
		amount: body.Amount, capture: body.Capture,
	}, nil
}

func number(amount int64) json.Number { return json.Number(strconv.FormatInt(amount, 10)) }

// decode takes the key and reads one JSON object into body. The whole body is
// read first: what a provider has not received in full, it has not received.
func decode(account string, w http.ResponseWriter, r *http.Request, body any) (idem.Key, error) {
	key, err := idem.ParseKey(account, r.Header.Values("Idempotency-Key"))
	if err != nil {
		return idem.Key{}, invalid("%v", err)
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		return idem.Key{}, &refusal{http.StatusRequestEntityTooLarge, codeTooLarge, "the body is too large"}
	} else if err != nil {
		return idem.Key{}, invalid("the body ended early")
	}
	fields := json.NewDecoder(bytes.NewReader(text))
	fields.DisallowUnknownFields()
	if err := fields.Decode(body); err != nil {
		return idem.Key{}, invalid("the body is not the JSON object of this operation")
	}
	if _, err := fields.Token(); !errors.Is(err, io.EOF) {
		return idem.Key{}, invalid("something follows the JSON object")
	}
	return key, nil
}

func validCurrency(code string) bool {
	return len(code) == 3 && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") == ""
}

func validReference(reference string) bool {
	name, charge, both := strings.Cut(reference, "/")
	return both && idem.ValidOwner(name) && validChargeID(charge)
}

// validChargeID keeps separators out of ids, which become parts of store keys.
func validChargeID(id string) bool {
	if id == "" || len(id) > maxChargeID {
		return false
	}
	for _, c := range []byte(id) {
		if c < '!' || c > '~' || c == '/' {
			return false
		}
	}
	return true
}
