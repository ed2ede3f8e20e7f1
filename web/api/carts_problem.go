package api

import (
	"errors"
	"fmt"
	"net/http"

	"chargeonce/ledger"
)

// cartUnknown stands in for the sentence about payments.
const cartUnknown = "The cart may have been changed. Send the same request again: it finds out, and never changes the cart twice."

// cartProblem answers a change that was not made.
func cartProblem(err error) *Problem {
	switch {
	case errors.Is(err, ledger.ErrQuantity):
		return &Problem{
			Code: CodeQuantity, Param: "by",
			Message: fmt.Sprintf("A cart holds 0 to %d of one SKU. Nothing was changed.", ledger.MaxQuantity),
		}
	case errors.Is(err, ledger.ErrCartFull):
		return &Problem{
			Code: CodeCartFull, Param: "sku",
			Message: fmt.Sprintf("A cart holds at most %d SKUs. Nothing was changed.", ledger.MaxCartItems),
		}
	case errors.Is(err, ledger.ErrTooManyCarts):
		return &Problem{
			Code: CodeTooManyCarts, Param: "id",
			Message: fmt.Sprintf("You have %d carts, which is as many as there may be. Nothing was changed.", ledger.MaxCarts),
		}
	}
	problem := problemOf(err)
	if problem.Code == CodeOutcomeUnknown {
		problem.Message = cartUnknown
	}
	return problem
}

// badCartNames refuses a path whose parts cannot be a cart and a SKU. What they
// were is not repeated.
func badCartNames(r *http.Request) *Problem {
	for _, name := range []string{"id", "sku"} {
		// 13 digits are the number of an article (EAN); cards have more today.
		if value := r.PathValue(name); len(value) > 13 && isCardNumberAlone(value) {
			return &Problem{Code: CodeCardNumber, Param: name, Message: fmt.Sprintf("The path's %s looks like a card number. It was not stored.", name)}
		}
		if !ledger.ValidCartName(r.PathValue(name)) {
			return &Problem{
				Code: CodeParamInvalid, Param: name,
				Message: fmt.Sprintf("The path's %s must be 1 to %d letters, digits, '_' or '-'.", name, ledger.MaxCartName),
			}
		}
	}
	return nil
}
