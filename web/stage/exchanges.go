package stage

import (
	"net/http"
	"slices"
	"sync"

	"chargeonce/web/api"
	"chargeonce/web/control"
	"chargeonce/web/network"
)

// Bounds of what is kept of the traffic of one run, or of free play: a storm of
// some hundred clients, or a few lost in talk, and never more than a small part
// of the machine, fifty runs taken together. The oldest is forgotten.
const (
	maxExchanges     = 1024
	maxExchangeBytes = 2 << 20 // bodies and headers
)

// crossing is an exchange with the side on whose wire it was.
type crossing struct {
	side control.Side
	network.Exchange
}

// exchanges are what the wires of a rig have carried, as far as it is kept. The
// zero value is empty. It is safe for concurrent use.
type exchanges struct {
	mu    sync.Mutex // guards what follows
	kept  map[string]crossing
	order []string // ids, oldest first
	bytes int
}

// add takes in the latest word about an exchange, which replaces the earlier
// ones.
func (x *exchanges) add(side control.Side, n network.Exchange) {
	one := crossing{side, presentable(n)}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.kept == nil {
		x.kept = make(map[string]crossing)
	}
	if before, known := x.kept[n.ID]; known {
		x.bytes -= before.weight()
	} else {
		x.order = append(x.order, n.ID)
	}
	x.kept[n.ID] = one
	x.bytes += one.weight()
	// What was just said stays, however large it is: it is the one that
	// somebody is about to look at.
	for len(x.order) > 1 && (len(x.order) > maxExchanges || x.bytes > maxExchangeBytes) {
		x.bytes -= x.kept[x.order[0]].weight()
		delete(x.kept, x.order[0])
		x.order = x.order[1:]
	}
}

// of lists the exchanges of a trace, as they came onto the wires.
func (x *exchanges) of(side control.Side, trace string) []network.Exchange {
	var found []network.Exchange
	for _, one := range x.all() {
		if one.side == side && one.Trace == trace {
			found = append(found, one.Exchange)
		}
	}
	return found
}

// all lists everything that is kept, as it came onto the wires.
func (x *exchanges) all() []crossing {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := make([]crossing, 0, len(x.order))
	for _, id := range x.order {
		list = append(list, x.kept[id])
	}
	slices.SortStableFunc(list, func(a, b crossing) int { return a.Began.Compare(b.Began) })
	return list
}

// swap exchanges everything that is kept for something else.
func (x *exchanges) swap(with []crossing) (before []crossing) {
	before = x.all()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.kept, x.order, x.bytes = make(map[string]crossing, len(with)), nil, 0
	for _, one := range with {
		x.kept[one.ID] = one
		x.order = append(x.order, one.ID)
		x.bytes += one.weight()
	}
	return before
}

// weight is what an exchange takes of the bound, in bytes.
func (c crossing) weight() int {
	total := len(c.Path) + len(c.Query) + weigh(c.Request)
	if c.Response != nil {
		total += weigh(*c.Response)
	}
	return total
}

func weigh(m network.Message) int {
	total := len(m.Body)
	for name, values := range m.Header {
		for _, value := range values {
			total += len(name) + len(value)
		}
	}
	return total
}

// presentable hides what the API would refuse to store: somebody may have sent
// a card number before it could be refused.
func presentable(n network.Exchange) network.Exchange {
	n.Path, n.Query, n.Key = api.HideCardNumbers(n.Path), api.HideCardNumbers(n.Query), api.HideCardNumbers(n.Key)
	n.Request = presentableMessage(n.Request)
	if n.Response != nil {
		answer := presentableMessage(*n.Response)
		n.Response = &answer
	}
	return n
}

func presentableMessage(m network.Message) network.Message {
	body := api.HideCardNumbers(string(m.Body))
	if m.Size > int64(len(m.Body)) {
		body = api.HideCutNumber(body)
	}
	header := make(http.Header, len(m.Header))
	for name, values := range m.Header {
		for _, value := range values {
			header[name] = append(header[name], api.HideCardNumbers(value))
		}
	}
	return network.Message{Header: header, Body: []byte(body), Size: m.Size}
}
