package components

// Keys is the page of the idempotency records (`/keys?side=&owner=&key=`).
type Keys struct {
	Page    Page
	Side    Side   // whose records
	Sides   []Side // those that can be chosen
	Owner   string // what was asked for; "": all
	Key     string
	Records []KeyRow // newest first; empty: none match
	Record  *Record  // the one asked for; nil: only the list
	Missing bool     // a key was asked for and no record holds it
	Stale   bool     // the API process is down
}

// KeyRow is one record in the list.
type KeyRow struct {
	Owner     string
	Key       KeyRef
	Operation string
	State     string
	Fence     uint64
	Replays   int
	Created   string
}

// Record is one idempotency record, printed as a numbered slip.
type Record struct {
	Owner       string
	OwnerHref   string // the list of its records
	Key         string
	MadeUp      bool // nobody sent this key: the naive side made it up
	Fingerprint string
	Operation   string
	Resource    string
	State       string // claimed, provider_called, done
	Fence       uint64
	LeaseMS     int64 // left when the page was made; 0: ended or released
	Created     string
	Finished    string
	Expires     string
	Replays     int
	Status      int    // of the stored answer; 0: none stored yet
	Bytes       int    // of the stored answer
	Body        string // the stored answer, laid out to be read
	History     []Step
}

// Step is one line in the life of a record.
type Step struct {
	At   string // "+209 ms": since the record was made
	What string
}

// open says that the record still changes, so the page looks again by itself.
func (k Keys) open() bool { return k.Record != nil && k.Record.Finished == "" }
