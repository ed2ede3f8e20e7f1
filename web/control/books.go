package control

// Sums maps a currency in lower case to minor units ("eur": 5000 is €50.00).
type Sums map[string]int64

// Wire counts requests that reached a boundary's far end or died on the way:
// every request that some client put on that wire.
type Wire struct {
	API      int `json:"api"`
	Provider int `json:"provider"`
	Webhook  int `json:"webhook"`
}

// OwnerBooks are one owner's figures on one side, read from the stored books
// and never from events.
type OwnerBooks struct {
	Wanted      Sums `json:"wanted"`      // from shop orders; nil: an external owner, whose wish nobody knows
	Ledger      Sums `json:"ledger"`      // what our ledger says the card was charged
	Captured    Sums `json:"captured"`    // the card provider's own book
	Overcharged Sums `json:"overcharged"` // nil where Wanted is nil
	Unpaid      Sums `json:"unpaid"`      // nil where Wanted is nil
	Charges     int  `json:"charges"`
	Refunds     int  `json:"refunds"`
	Captures    int  `json:"captures"`
	Receipts    int  `json:"receipts"`
	Stock       int  `json:"stock"`
	Wire        Wire `json:"wire"`
}

// SideBooks are all owners of one side. Stale says that the API process was
// down and the ledger's figures are the last that it gave.
type SideBooks struct {
	Owners map[string]OwnerBooks `json:"owners"`
	Stale  bool                  `json:"stale,omitempty"`
}

// Books is the answer of GET /stage/books.
type Books struct {
	Sides map[Side]SideBooks `json:"sides"`
}

// LedgerBooks is what an API process tells the stage about its ledger
// (GET /-/books).
type LedgerBooks struct {
	Owners   map[string]LedgerOwner `json:"owners"`
	Postings []Posting              `json:"postings"` // newest first, bounded
	Balances map[string]Sums        `json:"balances"` // account → sums; over all accounts each currency is 0
}

// LedgerOwner is one owner's share of a ledger.
type LedgerOwner struct {
	Charged Sums     `json:"charged"` // minor units of succeeded charges, less refunds
	Charges int      `json:"charges"` // succeeded
	Refunds int      `json:"refunds"`
	List    []Charge `json:"list"` // newest first, bounded
}

// Charge is a line of the ledger's charge list.
type Charge struct {
	ID          string `json:"id"`
	Owner       string `json:"owner"`
	Key         string `json:"key"`
	Amount      int64  `json:"amount"`
	Currency    string `json:"currency"`
	Status      string `json:"status"` // pending, succeeded, failed
	ProviderKey string `json:"provider_key"`
	Capture     string `json:"capture,omitempty"` // the provider's id
	CreatedMS   int64  `json:"created_ms"`
}

// Posting is one leg of a double-entry transfer: the legs of one transfer sum
// to 0 in each currency.
type Posting struct {
	Transfer string `json:"transfer"`
	Account  string `json:"account"`
	Amount   int64  `json:"amount"` // minor units; positive debits, negative credits
	Currency string `json:"currency"`
	AtMS     int64  `json:"at_ms"`
}

// KeyRecord is one idempotency record as /keys and GET /-/keys show it.
type KeyRecord struct {
	Owner       string       `json:"owner"`
	Key         string       `json:"key"`
	Fingerprint string       `json:"fingerprint"` // "v1:" and hexadecimal digits
	Operation   string       `json:"operation"`   // "POST /v1/charges"
	Resource    string       `json:"resource"`    // id of what the request made
	State       string       `json:"state"`       // claimed, provider_called, done
	Fence       uint64       `json:"fence"`
	LeaseMS     int64        `json:"lease_ms"` // left now; 0: ended or released
	CreatedMS   int64        `json:"created_ms"`
	FinishedMS  int64        `json:"finished_ms,omitempty"`
	ExpiresMS   int64        `json:"expires_ms,omitempty"`
	Replays     int          `json:"replays"`
	Status      int          `json:"status,omitempty"` // of the stored answer
	Body        string       `json:"body,omitempty"`
	History     []KeyHistory `json:"history,omitempty"`
}

// KeyHistory is one step in the life of a record.
type KeyHistory struct {
	AtMS int64  `json:"at_ms"`
	What string `json:"what"`
}

// Capture is a line of the card provider's own book.
type Capture struct {
	Key       string `json:"key"`
	Reference string `json:"reference"` // OWNER/CHARGE_ID
	Amount    int64  `json:"amount"`
	Currency  string `json:"currency"`
	Status    string `json:"status"` // captured, declined
	Seen      int    `json:"seen"`   // how often this key was sent to the provider
}

// Order is a line of the shop's journal.
type Order struct {
	ID       string `json:"id"`
	Owner    string `json:"owner"`
	Key      string `json:"key"`
	Amount   int64  `json:"amount"`
	Currency string `json:"currency"`
	Card     string `json:"card"` // a test token's label, never a number
	State    string `json:"state"`
	Charge   string `json:"charge,omitempty"`
	Reason   string `json:"reason,omitempty"` // why it was declined or refused
}
