package components

// Books is the page of the books (`/books`): what the money did, read from
// the stores and never from events.
type Books struct {
	Page  Page
	Sides []BookSide
}

// BookSide is one side's books. All sums and times are formatted already.
type BookSide struct {
	Side     Side
	Stale    bool // the API process is down: the ledger's figures are its last
	Owners   []MoneyRow
	Charges  []ChargeRow
	Postings []PostingRow
	Balances []BalanceRow
	Captures []CaptureRow
	Orders   []OrderRow
	Receipts []ReceiptRow
	Shelf    []ShelfRow
}

// MoneyRow is one owner's money in one currency. "" prints a dash: nobody
// knows what an external owner wanted.
type MoneyRow struct {
	Owner       string
	Wanted      string
	Ledger      string
	Captured    string
	Overcharged string
	Unpaid      string
	Wrong       bool // overcharged or unpaid is not zero
	Charges     int
	Captures    int
}

// ChargeRow is a charge as our ledger has it.
type ChargeRow struct {
	ID          string
	Owner       string
	Key         string
	KeyHref     string // the record's page; "": no link
	Amount      string
	Status      string // pending, succeeded, failed
	ProviderKey string
	Capture     string
	At          string
}

// PostingRow is one leg of a double-entry transfer.
type PostingRow struct {
	Transfer string
	Account  string
	Debit    string // one of the two is empty
	Credit   string
	At       string
}

// BalanceRow is one account's balance in one currency.
type BalanceRow struct {
	Account string
	Balance string
}

// CaptureRow is a line of the card provider's own book.
type CaptureRow struct {
	Key       string
	Reference string
	Amount    string
	Status    string
	Seen      int // how often this key was sent to the provider
}

// OrderRow is a line of the shop's journal.
type OrderRow struct {
	ID      string
	Key     string
	KeyHref string
	Amount  string
	Card    string
	State   string
	Charge  string
}

// ReceiptRow is a receipt that the shop has printed: the effect of one event,
// however often it was delivered.
type ReceiptRow struct {
	Event  string // id of the message that caused it
	Owner  string
	Order  string // "": the charge was not the shop's
	Charge string
	Amount string
	At     string
}

// ShelfRow is what the receipts of one owner did to the stock.
type ShelfRow struct {
	Owner    string
	Receipts int
	Stock    int // begins at 0; each receipt takes one
}

// Keys is the page of the idempotency records (`/keys?owner=&key=`).
type Keys struct {
	Page    Page
	Side    Side
	Owner   string // what was asked for; "": all
	Key     string
	Records []KeyRow // newest first; empty: none match
	Record  *Record  // the one asked for; nil: only the list
	Missing bool     // a key was asked for and no record holds it
	Stale   bool     // the API process is down
}

// KeyRow is one record in the list.
type KeyRow struct {
	Owner   string
	Key     string
	Href    string
	State   string
	Fence   uint64
	Replays int
	Created string
}

// Record is one idempotency record, printed as a numbered slip.
type Record struct {
	Owner       string
	Key         string
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
	Body        string // the stored answer
	History     []Step
}

// Step is one line in the life of a record.
type Step struct {
	At   string
	What string
}
