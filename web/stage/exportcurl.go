package stage

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"chargeonce/web/control"
	"chargeonce/web/network"
)

// script is a shell script that repeats recorded requests with curl.
type script struct {
	Name    string // of its file, without the ending
	Base    string // URL that is asked unless another is given
	What    string // was recorded: one line
	Mistake string // of the naive side; "": none
	All     []crossing
}

// maxAtOnce bounds how many of the script's requests are under way at a time:
// a laptop's worth of processes.
const maxAtOnce = 20

// exportScript sends the script as a file.
func exportScript(w http.ResponseWriter, s script) {
	download(w, "text/x-shellscript; charset=utf-8", s.Name+".sh", s.write())
}

// write puts the script together, one side after the other: they got the same
// clicks at the same time, and a reader wants to follow one.
func (s script) write() []byte {
	out := &bytes.Buffer{}
	fmt.Fprintf(out, scriptHead, oneLine(s.What), oneLine(s.Name), shellQuote(s.Base))
	if s.Mistake != "" {
		fmt.Fprintf(out, scriptMistake, oneLine(s.Mistake))
	}
	calls := 0
	for _, side := range []control.Side{control.Naive, control.Safe} {
		mine := slices.DeleteFunc(slices.Clone(s.All), func(c crossing) bool { return c.side != side || c.Boundary != "api" })
		if len(mine) > 0 {
			fmt.Fprintf(out, "\necho %s\n", strings.ToUpper(string(side)))
			calls = newRetelling(out, calls).tell(mine)
		}
	}
	out.WriteString(scriptFoot)
	return out.Bytes()
}

// retelling is one side's requests on their way into a script.
type retelling struct {
	out    *bytes.Buffer
	calls  int               // of both sides, so far
	words  []renaming        // recorded names that mean something else when the script runs
	faults map[string]int    // how often a key has met a fault
	known  map[string]string // words by their text
}

// renaming is a recorded name and the shell's words for it.
type renaming struct{ text, shell string }

func newRetelling(out *bytes.Buffer, calls int) *retelling {
	return &retelling{out: out, calls: calls, faults: make(map[string]int), known: make(map[string]string)}
}

// tell writes one side's requests in the order in which they came onto the
// wire. Those that were under way at the same time are sent at the same time.
func (t *retelling) tell(all []crossing) (calls int) {
	var ends time.Time // of what is under way in the script
	open := 0
	for i, one := range all {
		if open > 0 && (!one.Began.Before(ends) || open == maxAtOnce) {
			t.out.WriteString("wait\n")
			open, ends = 0, time.Time{}
		}
		end := one.Began.Add(one.Elapsed)
		together := open > 0 || i+1 < len(all) && all[i+1].Began.Before(end)
		if !t.call(one, together) {
			continue
		}
		if together {
			open++
		}
		ends = maxTime(ends, end)
	}
	if open > 0 {
		t.out.WriteString("wait\n")
	}
	return t.calls
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// call writes one request; false if it cannot be repeated.
func (t *retelling) call(one crossing, together bool) bool {
	body := one.Request.Body
	if one.Request.Size > int64(len(body)) || bytes.IndexByte(body, 0) >= 0 || !utf8.Valid(body) {
		fmt.Fprintf(t.out, "# left out: %s %s, whose body is not text or was not kept whole\n", oneLine(one.Method), oneLine(one.Path))
		return false
	}
	t.names(one)
	t.calls++
	label := cmp.Or(attemptText(one.Attempt, one.Of), "a request")
	fmt.Fprintf(t.out, "send %d %s -X %s", t.calls, shellQuote(label+", "+one.Method+" "+one.Path), shellQuote(one.Method))
	for _, header := range t.headers(one) {
		fmt.Fprintf(t.out, " \\\n\t-H %s", header)
	}
	if len(body) > 0 {
		fmt.Fprintf(t.out, " \\\n\t--data-raw %s", t.shell(string(body)))
	}
	prefix := ""
	if one.side == control.Naive {
		prefix = naivePrefix
	}
	fmt.Fprintf(t.out, " \\\n\t\"$BASE\"%s", t.shell(prefix+one.Path+one.Query))
	if together {
		t.out.WriteString(" &")
	}
	t.out.WriteString("\n")
	t.learn(one)
	return true
}

// notRepeated are headers that curl makes itself, that would be credentials, or
// that name the recorded request and not its repetition.
var notRepeated = map[string]bool{
	"Accept-Encoding": true, "Authorization": true, "Content-Length": true, "Cookie": true, "Expect": true,
	"Host": true, "User-Agent": true, "X-Api-Key": true, network.HeaderFault: true, network.HeaderTrace: true,
}

// headers are a request's, each as a word of the shell, sorted by name.
func (t *retelling) headers(one crossing) (words []string) {
	if one.Owner != "" {
		words = append(words, shellQuote("Authorization: Bearer sk_test_"+one.Owner))
	}
	for _, name := range slices.Sorted(maps.Keys(one.Request.Header)) {
		if notRepeated[name] {
			continue
		}
		for _, value := range one.Request.Header[name] {
			switch {
			case value == "":
				words = append(words, shellQuote(name+";")) // curl's way to send an empty one
			case name == "Idempotency-Key":
				words = append(words, shellQuote(name+": ")+freshKey(value))
			default:
				words = append(words, shellQuote(name+": ")+t.shell(value))
			}
		}
	}
	if fault := t.fault(one); fault != "" {
		words = append(words, shellQuote(network.HeaderFault+": "+fault))
	}
	return words
}
