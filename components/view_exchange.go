package components

// Exchange is everything that is known of one request: what stood on each wire
// that it crossed, what the API decided, and what it wrote. It is printed as a
// part of a page, for the panel's sheet, or as a page of its own.
type Exchange struct {
	Page    Page // of the page alone
	Side    Side
	Trace   string
	Owner   string // "": nobody could be identified
	Key     string // "": none was sent
	KeyHref string // of its record; "": there is none to show
	Attempt string // "attempt 2 of 10"; "": the sender does not count

	Hops    []Hop     // between the client and the API; usually one
	Beyond  []Hop     // on the wires behind the API, in their order, then in time's
	Decided []Decided // what the API decided, in time's order
	Written []Written // its transactions
	Told    []Step    // everything that was told of this request; At is since its first event
}

// Hop is one request on one wire.
type Hop struct {
	Name     string // "client → payments API"
	Request  HTTPMessage
	Response *HTTPMessage // nil: none was sent
	Fate     string       // what became of it, one sentence
	Lost     bool         // the sender never had this answer, or the far side never this request
	Took     string       // "43 ms", until its fate; "": it is under way
	Notes    []string     // what else the network did to it
}

// HTTPMessage is a request or a response as it stood on the wire.
type HTTPMessage struct {
	First   string // "POST /v1/charges", "201 Created"
	Headers []HeaderLine
	Body    string
	Rest    string // about the part of the body that is not shown; "": all of it is
}

// HeaderLine is one line of a header. What would be a credential is hidden.
type HeaderLine struct{ Name, Value string }

// Decided is one decision on the key.
type Decided struct {
	Outcome string // as events name it
	Text    string
	Why     string // "": the text says it
	Fence   string // "": there is none
	Lease   string // left at the time; "": none
}

// Written is one transaction and the rows that it wrote, all or none.
type Written struct {
	Text  string
	Fence string
	Rows  []RowName
}

// RowName is the key of a row, and what stands in it; Means is "" where nobody
// has said.
type RowName struct{ Key, Means string }
