// Package components holds the pages of the stage: templ files and the plain
// structs that they print. It decides nothing and imports nothing of ours; a
// caller fills a struct and renders. Everything a struct holds is escaped on
// its way out. Values are read only, so one struct may be rendered from
// several goroutines.
package components

// Page is what every page has around its content.
type Page struct {
	Title string // of the document, without the product's name
	Theme string // "light" or "dark" forces one; "": the browser's wish, or the switch

	// Asset turns the name of an embedded file ("stage.css") into its URL.
	// It is called a few times per rendering. Nil prints "/static/" and the
	// name.
	Asset func(name string) string

	// Nav lists the pages that exist beside this one. A page that is not
	// built yet is simply not in the list, so no link is ever dead.
	Nav []Link
}

// Link is a labelled address on this host.
type Link struct {
	Label string
	Href  string
}

// Screen is the first screen (`/`), the projector's page (`/stage`) and the
// panel alone (`/panel`); they differ in their layout.
type Screen struct {
	Page     Page
	Checkout *Checkout // nil: none (the panel alone)
	Panel    Panel
	Ways     []Link // tours, lessons, "Point your own client here"; empty: not shown
}

// Checkout is the customer's view of one order. The key is minted when the
// order is made and travels in the form, so a double click, a reload and Back
// all send the same one.
type Checkout struct {
	OrderID     string
	Key         string // the whole idempotency key, as the form posts it
	KeyShort    string // as printed; "": ShortKey(Key)
	Amount      string // formatted, see Money: "€50.00"
	AmountMinor int64  // minor units, as the form posts it
	Currency    string // ISO 4217 in lower case
	Cards       []Card // test cards only; nobody can type a number

	Notice   string // what the customer is told; "": nothing yet
	Settled  bool   // the outcome is known: paid or declined
	Checking bool   // the outcome is unknown and the shop is asking; the page looks again by itself
}

// Card is one test card of the list.
type Card struct {
	Value    string // the token, "pm_card_visa"
	Label    string // "Visa, pays"
	Selected bool
}

// Panel is the live panel. Its figures and drawings arrive over the websocket.
type Panel struct {
	Sides    []Side // top to bottom: naive above safe; today the safe one alone
	LivePath string // websocket; "": "/stage/live"
	Sentence string // what happened last, *bold* parts between asterisks; "": nothing yet
	// Mistakes are what the naive side can do wrong; empty: there is no choice.
	Mistakes []Option
}

// Option is one of a list to choose from.
type Option struct {
	ID       string // as a command names it: "no-key"
	Label    string // "no key"
	Selected bool
}

// Side is one of the two systems that the panel compares.
type Side struct {
	ID    string // "safe" or "naive", as events name it
	Name  string // "SAFE"
	Means string // "one key per purchase"
}

// Problem is the error page.
type Problem struct {
	Page   Page
	Status int    // HTTP status
	Head   string // one line: "No such order"
	Detail string // what happened and what to do; holds no secret
	Code   string // the error document's code; "": none
	Back   Link   // where to go on; zero: the first screen
}
