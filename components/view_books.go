package components

// Books is the page of the books (`/books`): what the money did, read from
// the stores and never from events.
type Books struct {
	Page  Page
	Sides []BookSide
}

// BookSide is one side's books. All sums and times are formatted already, and
// rows are newest first.
type BookSide struct {
	Side     Side
	Verdict  string // one sentence about the money; "": nothing has been bought
	Wrong    bool   // the verdict tells of wrong money
	Stale    bool   // the API process is down: the ledger's figures are its last
	Owners   []MoneyRow
	Charges  []ChargeRow
	Captures []CaptureRow
	Postings []PostingRow
	Balances []BalanceRow
	Totals   []TotalRow
	Orders   []OrderRow
	Receipts []ReceiptRow
	Shelf    []ShelfRow
}

// MoneyRow is one owner's money in one currency. "" prints a dash: nobody
// knows what an external owner wanted.
type MoneyRow struct {
	Owner       string
	Wanted      string
	Ledger      Figure
	Captured    Figure
	Overcharged Figure
	Unpaid      string
	Charges     int
	Captures    int
}

// Figure is a sum that may be wrong: more than was wanted.
type Figure struct {
	Text  string
	Wrong bool
}

// KeyRef is an idempotency key as tables show it: short, with its whole at
// hand and a way to its record.
type KeyRef struct {
	Text string // what people call it
	Full string // as it was sent; "": nobody sent one
	Href string // the record's page; "": there is none
}

// ChargeRow is a charge as our ledger has it.
type ChargeRow struct {
	ID          string
	Owner       string
	Key         KeyRef
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

// TotalRow is the sum of one currency over all accounts, which is 0 or wrong.
type TotalRow struct {
	Currency string // "EUR"
	Sum      Figure
}

// CaptureRow is a line of the card provider's own book.
type CaptureRow struct {
	Key       string
	Reference string
	Amount    string
	Again     bool // the purchase was captured before: wrong money
	Status    string
	Seen      int // how often this key was sent to the provider
	At        string
}

// OrderRow is a line of the shop's journal.
type OrderRow struct {
	ID       string
	Key      KeyRef
	Amount   string
	Card     string
	State    string
	Charge   string
	Captures Figure // how often the card was charged for it, as far as receipts tell
}

// ReceiptRow is a receipt that the shop has printed: the effect of one event,
// however often it was delivered.
type ReceiptRow struct {
	Event  string // id of the message that caused it
	Owner  string
	Order  string // "": the charge was not the shop's
	Charge string
	Amount string
	Again  bool // the order has a receipt already: wrong money
	At     string
}

// ShelfRow is what the receipts of one owner did to the stock.
type ShelfRow struct {
	Owner    string
	Receipts int
	Stock    int // begins at 0; each receipt takes one
}

// empty says that nothing has been bought on either side.
func (b Books) empty() bool {
	for _, side := range b.Sides {
		if len(side.Charges)+len(side.Captures)+len(side.Orders)+len(side.Receipts) > 0 {
			return false
		}
	}
	return true
}
