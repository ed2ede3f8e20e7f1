package stage

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/network"
)

// millis prints a length of time as the panel does.
func millis(ms int64) string { return strconv.FormatInt(ms, 10) + " ms" }

// whose names the request by what the client's own wire knows of it, or else by
// what was told.
func whose(view *components.Exchange, hops []network.Exchange, events []control.Event) {
	for _, n := range hops {
		if n.Boundary != "api" {
			continue
		}
		view.Owner, view.Key = n.Owner, n.Request.Header.Get("Idempotency-Key")
		view.Attempt = attemptText(n.Attempt, n.Of)
	}
	for _, e := range events {
		if view.Key == "" && len(hops) == 0 {
			view.Key = e.Key
		}
		view.Owner, view.Attempt = cmp.Or(view.Owner, e.Owner), cmp.Or(view.Attempt, attemptText(e.Attempt, e.Of))
	}
	view.KeyHref = keyHref(view.Owner, view.Key)
	if view.KeyHref != "" {
		view.KeyHref += "&side=" + view.Side.ID
	}
}

func attemptText(n, of int) string {
	switch {
	case n == 0:
		return ""
	case of == 0:
		return fmt.Sprintf("attempt %d", n)
	}
	return fmt.Sprintf("attempt %d of %d", n, of)
}

// wireNames are the boundaries from left to right, with what stands at the far
// end of each.
var wireNames = []struct{ id, name, far string }{
	{"api", "client → payments API", "the payments API"},
	{"provider", "payments API → card provider", "the card provider"},
	{"webhook", "payments API → shop, a message", "the shop"},
}

// hopsView prints the exchanges wire by wire, each in its own time's order: the
// client's apart from those that the API begins by itself.
func hopsView(all []network.Exchange) (hops, beyond []components.Hop) {
	for _, wire := range wireNames {
		for _, n := range all {
			switch {
			case n.Boundary != wire.id:
			case wire.id == "api":
				hops = append(hops, hopView(n, wire.name, wire.far))
			default:
				beyond = append(beyond, hopView(n, wire.name, wire.far))
			}
		}
	}
	return hops, beyond
}

func hopView(n network.Exchange, name, far string) components.Hop {
	hop := components.Hop{Name: name, Fate: wireFate(n, far), Lost: lost(n.What), Notes: notes(n, far)}
	hop.Request = messageView(n.Method+" "+n.Path+n.Query, n.Request)
	for i, line := range hop.Request.Headers {
		if line.Name == "Authorization" && n.Owner != "" {
			hop.Request.Headers[i].Value += " (owner " + n.Owner + ")"
		}
	}
	if n.Response != nil {
		answer := messageView(fmt.Sprintf("%d %s", n.Status, http.StatusText(n.Status)), *n.Response)
		hop.Response = &answer
	}
	if n.What != network.Passed && n.What != network.Delayed {
		hop.Took = millis(n.Elapsed.Milliseconds())
	}
	return hop
}

// lost says that one of the two ends does not know what the other one does.
func lost(what network.What) bool {
	switch what {
	case network.LostRequest, network.LostResponse, network.Truncated, network.Dead, network.Gone:
		return true
	}
	return false
}

// wireFate says what became of a request. A sender that has no answer does not
// know whether the work was done, and no sentence here says that it does.
func wireFate(n network.Exchange, far string) string {
	switch n.What {
	case network.LostRequest:
		return fmt.Sprintf("This request was lost on the way: it never reached %s. Its sender cannot know that.", strings.Replace(far, "the payments API", "the API", 1))
	case network.LostResponse:
		return "This answer was sent but never arrived. Its sender cannot know what was done."
	case network.Truncated:
		return "Only half of this answer arrived, then the connection ended."
	case network.Refused:
		return fmt.Sprintf("A proxy on the way answered this; the request never reached %s.", far)
	case network.Dead:
		return fmt.Sprintf("No answer: %s was not there, or it died before its answer was whole. The connection was reset, and the outcome is unknown to the sender.", far)
	case network.Gone:
		return "This answer came, but its sender had stopped waiting for it."
	case network.Answered:
		return "This answer arrived."
	case network.Delayed:
		return "The request is held back by the network; it has not been delivered yet."
	}
	return "The request is under way: there is no answer yet."
}

// notes are what the network did beside the fate.
func notes(n network.Exchange, far string) []string {
	var all []string
	if n.Fault != "" {
		text := "A fault was armed for it: " + string(n.Fault)
		if n.How != "" {
			text += " (" + string(n.How) + ")"
		}
		all = append(all, text+".")
	}
	if n.Copied != 0 {
		all = append(all, fmt.Sprintf("The network delivered a copy as well; %s answered it with %d, which nobody received.", far, n.Copied))
	}
	return all
}

// messageView prints a message; header lines are sorted, since their order on
// the wire is not kept.
func messageView(first string, m network.Message) components.HTTPMessage {
	view := components.HTTPMessage{First: strings.TrimSpace(first), Body: string(m.Body)}
	for name, values := range m.Header {
		for _, value := range values {
			view.Headers = append(view.Headers, components.HeaderLine{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(view.Headers, func(a, b components.HeaderLine) int { return strings.Compare(a.Name, b.Name) })
	if rest := m.Size - int64(len(m.Body)); rest > 0 && len(m.Body) >= network.MaxShown {
		view.Rest = fmt.Sprintf("The first %d of %d bytes.", network.MaxShown, m.Size)
	}
	// A body that is cut may end within a letter, which is not worth a word.
	if whole := strings.ToValidUTF8(view.Body, ""); len(view.Body)-len(whole) > utf8.UTFMax {
		view.Body, view.Rest = "", fmt.Sprintf("%d bytes that are not text.", m.Size)
	} else {
		view.Body = whole
	}
	return view
}

func decidedView(e control.Event) components.Decided {
	view := components.Decided{Outcome: string(e.Outcome), Text: e.Text}
	if e.Reason != "" && !strings.Contains(e.Text, e.Reason) {
		view.Why = e.Reason
	}
	if e.Fence != 0 {
		view.Fence = strconv.FormatUint(e.Fence, 10)
	}
	if e.LeaseMS > 0 {
		view.Lease = millis(e.LeaseMS)
	}
	return view
}

func writtenView(e control.Event) components.Written {
	view := components.Written{Text: e.Text}
	if e.Fence != 0 {
		view.Fence = strconv.FormatUint(e.Fence, 10)
	}
	for row := range strings.FieldsSeq(e.Reason) {
		view.Rows = append(view.Rows, components.RowName{Key: row, Means: rowMeans(row)})
	}
	return view
}

// rowKinds say what a row of the ledger holds, by the first part of its key.
var rowKinds = map[string]string{
	"k": "the idempotency record, under a hash of its key", "c": "the charge", "l": "the charge, in its owner’s list",
	"r": "the refund", "rl": "the refund, in its owner’s list", "rc": "the refund, in its charge’s list",
	"i": "the payment intent", "il": "the payment intent, in its owner’s list",
	"ct": "the cart", "w": "the webhook endpoint", "wl": "the webhook endpoint, in its owner’s list",
	"o": "its owner’s totals", "t": "the transfer: it makes the postings unique", "p": "a posting",
	"b": "a balance", "e": "an event of the outbox", "x": "the event, in its owner’s list", "xt": "the event, in its owner’s list by type",
	"q": "the event is still to be delivered", "a": "when the record is due", "n": "a counter", "nc": "how many carts its owner has",
}

func rowMeans(row string) string {
	kind, _, _ := strings.Cut(row, "/")
	return rowKinds[kind]
}
