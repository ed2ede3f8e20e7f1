package api

import (
	"strings"

	"chargeonce/idem"
	"chargeonce/ledger"
)

// unknownMessage says what may have happened to whoever asked for a route.
func unknownMessage(route string) string {
	what := "The payment may have gone through. Send the same request with the same key: it finds out, and never charges twice."
	switch _, path, _ := strings.Cut(route, " "); {
	case strings.HasPrefix(path, pathRefunds):
		what = "The refund may have gone through. Send the same request with the same key: it finds out, and never refunds twice."
	case strings.HasPrefix(path, pathCarts):
		what = cartUnknown
	case strings.HasPrefix(path, pathEndpoints):
		what = "The webhook endpoint may have been changed. Send the same request with the same key: it finds out, and never does it twice."
	}
	return what
}

// outcomes is the table for requests that may not run and have nothing to
// replay.
var outcomes = map[idem.Outcome]Code{
	idem.Conflict:      CodeKeyReused,
	idem.Busy:          CodeKeyInUse,
	idem.ResultExpired: CodeResultExpired,
}

// outcomeProblem answers a request for a route that must not run.
func outcomeProblem(route string, print idem.Fingerprint, result ledger.Result) *Problem {
	problem := &Problem{Code: outcomes[result.Outcome]}
	switch result.Outcome {
	case idem.Conflict:
		problem.Param, problem.Message = conflictMessage(result.Record, route, print)
	case idem.Busy:
		problem.RetryAfter = max(leastRetryAfter, result.RetryAfter)
		problem.Message = "Another attempt with this key is at work. Wait, then send the same request with the same key."
	case idem.ResultExpired:
		problem.Charge, problem.Resource = result.Charge, pathOf(madeBy(result))
		problem.Message = "This key's request is done, but its answer is no longer kept. Nothing ran again. The result is at " + problem.Resource + "."
	}
	return problem
}

// conflictMessage names what differs, and never what either request said.
func conflictMessage(holder idem.Record, route string, asked idem.Fingerprint) (param, message string) {
	const advice = " Send the first request again to learn its outcome; a new key is for a new purchase."
	var differing []string
	for _, name := range holder.Fingerprint.Diff(asked) {
		switch name {
		case idem.OperationParam:
			if holder.Operation != route { // then the parameters are bound to differ as well
				return "", "This key was used for " + holder.Operation + "." + advice
			}
			differing = append(differing, "the path")
		case idem.OtherParams:
		default:
			differing = append(differing, name)
		}
	}
	if differing == nil {
		return "", "This key belongs to a request with other parameters." + advice
	}
	if param = differing[0]; param == "the path" { // which is no parameter
		param = strings.Join(differing[1:min(2, len(differing))], "")
	}
	return param, "This key belongs to a request that differs in " + strings.Join(differing, ", ") + "." + advice
}
