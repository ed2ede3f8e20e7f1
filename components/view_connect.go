package components

import "strconv"

// Connect is the page for people who bring a client of their own (`/connect`).
type Connect struct {
	Page   Page
	Base   string // the safe API as this browser reaches the server, without a slash at the end
	Naive  string // the naive side's, likewise
	Secret string // the test key to send; its name is the owner of all that it makes

	Lose    string // a shell line whose answer is lost
	Repeat  string // the same request again
	Twice   string // both of them against the naive side
	Arm     string // a shell line that loses the next answer to an SDK
	ByToken bool   // control calls, such as Arm, need the token that the stage has printed

	SDKs     []Snippet
	Callers  []Caller // nobody yet: the page waits
	More     int      // callers beyond those listed
	Nameless int      // requests whose credential names no owner
}

// Snippet is a program to copy.
type Snippet struct {
	Name  string // "stripe-go"
	Means string // one sentence: what to mind
	Code  string
}

// Caller is one owner from outside who has sent something since the stage
// started. Sums are formatted; "" is none.
type Caller struct {
	Owner    string
	KeysHref string // its idempotency records
	Safe     Called
	Naive    Called
}

// Called is what a caller did on one side.
type Called struct {
	Requests int
	Captured string
}

// waiting says that nobody has come yet, so the page looks again by itself.
func (c Connect) waiting() bool { return len(c.Callers) == 0 && c.Nameless == 0 }

// arrived is the sentence for the first who came, and for a crowd.
func arrived(c Connect) string {
	switch len(c.Callers) {
	case 0:
		return "A request came, but nobody knows whose."
	case 1:
		return c.Callers[0].Owner + " has sent its first request."
	default:
		return strconv.Itoa(len(c.Callers)+c.More) + " owners have sent requests."
	}
}
