package stage

import (
	"bytes"
	"encoding/json"
	"net/url"
	"regexp"
	"strconv"

	"chargeonce/components"
	"chargeonce/web/control"
)

// madeUpKey is a key that the naive side gave to the ledger beneath it because
// that needs one: a random part, a tilde, and the name that people know.
var madeUpKey = regexp.MustCompile(`^[A-Z2-7]{26,}~(.*)$`)

// keyPrinter prints keys of one side.
type keyPrinter struct{ side control.Side }

// recorded is a key that the ledger holds a record of. Nobody sent a key that
// was made up, so it is printed by its name and leads nowhere.
func (p keyPrinter) recorded(owner, key string) components.KeyRef {
	if name, made := madeUp(key); made && p.side == control.Naive {
		if name == "none" {
			name = "no key"
		}
		return components.KeyRef{Text: name}
	}
	return components.KeyRef{Text: components.ShortKey(key), Full: key, Href: p.href(owner, key)}
}

func madeUp(key string) (name string, made bool) {
	found := madeUpKey.FindStringSubmatch(key)
	if found == nil {
		return "", false
	}
	return found[1], true
}

func (p keyPrinter) href(owner, key string) string {
	href := keyHref(owner, key)
	if href != "" && p.side == control.Naive {
		href += "&side=" + string(control.Naive)
	}
	return href
}

func keyHref(owner, key string) string {
	if owner == "" || key == "" {
		return ""
	}
	return "/keys?" + url.Values{"owner": {owner}, "key": {key}}.Encode()
}

// keysView prints records; the one asked for is shown whole.
func keysView(records []control.KeyRecord, owner, key string, keys keyPrinter) components.Keys {
	view := components.Keys{Owner: owner, Key: key, Missing: key != "" && len(records) == 0}
	for _, r := range records {
		// Here a record is looked for, so even a made-up key leads to its own.
		ref := keys.recorded(r.Owner, r.Key)
		ref.Full, ref.Href = r.Key, keys.href(r.Owner, r.Key)
		view.Records = append(view.Records, components.KeyRow{
			Owner: r.Owner, Key: ref, Operation: r.Operation, State: r.State,
			Fence: r.Fence, Replays: r.Replays, Created: clock(r.CreatedMS),
		})
	}
	if key != "" && len(records) == 1 {
		view.Record = recordView(records[0], keys)
	}
	return view
}

func recordView(r control.KeyRecord, keys keyPrinter) *components.Record {
	_, made := madeUp(r.Key)
	view := &components.Record{
		Owner: r.Owner, OwnerHref: "/keys?" + url.Values{"owner": {r.Owner}, "side": {string(keys.side)}}.Encode(),
		Key: r.Key, MadeUp: made && keys.side == control.Naive,
		Fingerprint: r.Fingerprint, Operation: r.Operation, Resource: r.Resource,
		State: r.State, Fence: r.Fence, LeaseMS: r.LeaseMS, Created: clock(r.CreatedMS),
		Finished: clock(r.FinishedMS), Expires: clock(r.ExpiresMS),
		Replays: r.Replays, Status: r.Status, Bytes: len(r.Body), Body: laidOut(r.Body),
	}
	for _, step := range r.History {
		view.History = append(view.History, components.Step{
			At: "+" + strconv.FormatInt(step.AtMS-r.CreatedMS, 10) + " ms", What: step.What,
		})
	}
	return view
}

// laidOut indents a stored answer for the eye; what is no JSON stays as it is.
func laidOut(body string) string {
	var out bytes.Buffer
	if json.Indent(&out, []byte(body), "", "  ") != nil {
		return body
	}
	return out.String()
}
