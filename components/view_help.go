package components

// Errors is the page of the error codes (`/help/errors`), to which the type of
// every error document leads.
type Errors struct {
	Page  Page
	Parts []ErrorPart
}

// ErrorPart is one speaker's codes.
type ErrorPart struct {
	Head   string
	Errors []ErrorEntry
}

// ErrorEntry explains one code. Its place on the page is #CODE.
type ErrorEntry struct {
	Code     string
	Status   int // HTTP status
	Title    string
	Happened string
	Do       string
	Retry    bool // the same request with the same key may be sent again
}

// mark is one shape of the drawing with its word and what it means.
type mark struct{ shape, word, means string }

// marks is the legend: the counters in their order, then the marks that are
// drawn but not counted.
func marks() []mark {
	var all []mark
	for _, entry := range legend {
		all = append(all, mark{entry.outcome, entry.word, explained[entry.outcome]})
	}
	return append(all, uncounted...)
}

// explained says what each outcome of the legend is, once.
var explained = map[string]string{
	"attempt":        "A client sends a request: attempt n of at most m, all with one key.",
	"silence":        "No answer came in time. Whether the payment went through is unknown, so this is no red cross.",
	"started":        "The first request of its key: it claims the key, and the work begins.",
	"resumed":        "An attempt takes over where an earlier one stopped, at its recovery point and with a higher fence.",
	"replay":         "The work is done already: the stored answer is sent again, byte by byte.",
	"conflict":       "The key belongs to a request that said something else. Nothing runs; waiting does not mend it.",
	"busy":           "Another attempt with this key is at work. This one waits, then reads its answer or is told to come back.",
	"killed":         "The API’s process was killed with signal 9. What it had committed stays.",
	"declined":       "The card was refused. That is a definite answer, and it is stored like any other.",
	"refunded":       "Money of a capture that went back to the card.",
	"unknown":        "The card provider did not answer. It is asked by key before anything is sent again.",
	"result_expired": "The work was done, but its answer is no longer kept. It does not run again.",
	"fenced":         "A late attempt of an old claim wanted to write and was turned away.",
	"breaker_open":   "Too many requests failed, so none are sent for a while.",
}

// uncounted are the other marks.
var uncounted = []mark{
	{"captured", "CAPTURED", "The card provider took the money. A filled box is money taken again."},
	{"receipt", "RECEIPT", "The shop printed a receipt, once for each event however often that was delivered."},
	{"held", "HELD", "A request stands at a gate until somebody decides its fate."},
	{"lost", "LOST", "The network swallowed a request or an answer here."},
	{"reset", "RESET", "The connection was cut: its client knows at once that no answer comes, and nothing more."},
	{"wait", "WAITS", "The backoff before the next attempt, with full jitter."},
	{"commit", "COMMIT", "A transaction became durable. Nothing is announced before it."},
}

// shortcut is a key: its names as data-keys spells them, what is printed on it
// and what it does.
type shortcut struct{ names, cap, does string }

// lessonKeys are the keys of lessons and of recorded runs.
var lessonKeys = []shortcut{
	{"pagedown space", "PgDn", "next step; Space too, while no button has the focus"},
	{"pageup", "PgUp", "one step back; from a moment, back to the telling"},
	{"1 2 3 4", "1–4", "answer the question; PgDn goes on either way"},
	{"s arrowright arrowleft", "S", "one event on; the arrows go on and back"},
	{"p", "P", "play the recording from here, or pause it"},
	{"v", "V", "curtain: hides what the client cannot see, money included"},
	{"u", "U", "both sides, naive alone, safe alone"},
	{". b", ".", "blank the screen; b too"},
	{"r", "R", "make a new run of this lesson; the one before keeps its address"},
	{"e", "E", "export: one page that plays the run by itself"},
	{"escape", "Esc", "close a sheet"},
	{"?", "?", "this help"},
}

// panelKeys are the keys of free play.
var panelKeys = []shortcut{
	{"g", "G", "deliver what is held at a gate"},
	{"d", "D", "drop it: its client is reset"},
	{"k", "K", "kill -9 its process; hold the key down"},
	{"s", "S", "step: deliver it and hold it at the next gate"},
	{"escape", "Esc", "close a sheet, or else disarm everything and deliver what is held"},
	{"v", "V", "curtain: hides what the client cannot see, money included"},
	{"u", "U", "both sides, naive alone, safe alone"},
	{"p", "P", "pause the picture; what happens meanwhile is shown afterwards"},
	{". b", ".", "blank the screen; b too"},
	{"r", "R", "reset: fresh books and records; for 10 s a button takes it back"},
	{"e", "E", "export what the panel shows"},
	{"?", "?", "this help"},
}

// term is one entry of the glossary.
type term struct{ name, means string }

// glossary holds the field's words as this program uses them, in the order in
// which a purchase meets them.
var glossary = []term{
	{"idempotency key", "A name that a client mints for one intended action and sends with every attempt of it. Requests under one key have one effect."},
	{"attempt", "One sending of a request, counted from 1: attempt 2 of 5 is the first that repeats."},
	{"unknown outcome", "What a client has after a timeout: the action may or may not have happened. Sending the same request with the same key finds out."},
	{"fingerprint", "A hash of what a request asks for. The same key with another fingerprint is a conflict, since one of the two must be a mistake."},
	{"record", "What the server keeps of a key: its fingerprint, how far the work came, and the answer."},
	{"claim", "Writing the record before the work, in a transaction that only one attempt can win."},
	{"lease", "How long a claim holds without a sign of life. An attempt at work renews it; after its end another may take over."},
	{"fence", "A number that grows with each claim. A write with an old one is refused, so a worker that wakes up late changes nothing."},
	{"recovery point", "The last step that is known to be durable: claimed, provider called, done. Work is resumed from there, never from the start."},
	{"replay", "Answering from the record instead of working again."},
	{"conflict", "The key is known, and its request said something else (key mismatch)."},
	{"busy", "The key is known, and another attempt is at work at this moment (in progress)."},
	{"retention", "How long the answer of a key is kept: longer than any client goes on retrying."},
	{"tombstone", "What stays of a record when its answer is gone, so that the action cannot run again."},
	{"minor units", "Whole numbers of a currency’s smallest coin: €50.00 is 5000, ¥500 is 500, KWD 12.345 is 12345."},
	{"charge", "Our ledger’s entry that a customer pays. It can be pending, succeeded or failed."},
	{"capture", "The card provider’s act of taking the money. Two captures for one purchase are what all this is about."},
	{"refund", "Money given back of a charge. All refunds of a charge together never exceed it."},
	{"posting", "One leg of a transfer, on one account. The postings of a transfer sum to 0."},
	{"account, balance", "Where postings stand, and their sum. Over all accounts each currency sums to 0."},
	{"outbox", "Messages that are stored in the same transaction as what they tell, and sent afterwards until they are acknowledged."},
	{"webhook", "A message to the shop that something happened. It can come twice, so the shop counts its effects by event id."},
	{"backoff, full jitter", "The wait before the next attempt: a random time below a limit that doubles, so that clients do not come back all at once."},
	{"retry budget", "A share of the requests that may be repeats. When it is used up, nobody adds to an overload by retrying."},
	{"circuit breaker", "Counts failures and stops sending: closed lets all pass, open none, half-open a few to see whether it is over."},
}
