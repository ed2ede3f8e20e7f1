package stage

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
	"chargeonce/web/network"
)

// sent is a request of the safe side that took a second and began after so many.
func sent(after int, key, body string) crossing {
	return crossing{control.Safe, network.Exchange{
		Event: network.Event{
			What: network.Answered, Boundary: "api", Owner: "you", Key: key, Method: "POST", Path: "/v1/charges",
			Status: 201, Elapsed: time.Second,
		},
		ID: fmt.Sprint(after), Began: time.UnixMilli(int64(after) * 1000),
		Request:  network.Message{Header: http.Header{"Idempotency-Key": {key}}, Body: []byte(body), Size: int64(len(body))},
		Response: &network.Message{},
	}}
}

// played runs a script with a curl that writes down how it was called and
// answers with an id. It returns the calls, one a line.
func played(t *testing.T, all []crossing) (calls, script string) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	const curl = `#!/bin/sh
for word; do
	case $last in --output) echo '{"id":"made_0123456789"}' >"$word" ;; esac
	last=$word
	line="$line <$word>"
done
printf '%s\n' "$line" >>"$(dirname "$0")/calls"
printf 201
`
	if err := os.WriteFile(filepath.Join(dir, "curl"), []byte(curl), 0o755); err != nil {
		t.Fatal(err)
	}
	text := scriptOf(all)
	cmd := exec.Command("sh", "-s", "http://there/")
	cmd.Stdin, cmd.Env = strings.NewReader(text), append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, text)
	}
	read, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		t.Fatal(err)
	}
	return string(read), text
}

func scriptOf(all []crossing) string {
	return string(script{Name: "x", Base: "http://here", What: "a test", All: all}.write())
}

func TestAScriptSendsWhatWasSentLetterByLetter(t *testing.T) {
	const body = `{"note":"it's $HOME \"quoted\" @file ` + "`x`" + ` \\ €"}`
	one := sent(0, "abc", body)
	one.Query = "?a[]=1&b='"
	one.Request.Header.Set("X-Empty", "")
	one.Request.Header.Set("Content-Type", "application/json")
	one.Request.Header.Set("Authorization", "Bearer …")
	one.Request.Header.Set("Chargeonce-Trace", "tr")
	calls, _ := played(t, []crossing{one})
	for _, want := range []string{
		"<" + body + ">", "<http://there/v1/charges?a[]=1&b='>", "<X-Empty;>", "<Content-Type: application/json>",
		"<Authorization: Bearer sk_test_you>", "<-X> <POST>",
	} {
		if !strings.Contains(calls, want) {
			t.Errorf("no %s in %s", want, calls)
		}
	}
	if strings.Contains(calls, "Trace") || strings.Contains(calls, "…") {
		t.Errorf("what belongs to the recorded request was sent: %s", calls)
	}
}

func TestKeysAreFreshAndStayTheSameForOnePurchase(t *testing.T) {
	order := "amount=1&metadata%5Border%5D=ord_0123456789"
	all := []crossing{sent(0, "key-0123456789", order), sent(2, "key-0123456789", order), sent(4, `"other"`, "")}
	calls, _ := played(t, all)
	lines := strings.Split(strings.TrimSpace(calls), "\n")
	key := func(line string) string {
		_, rest, _ := strings.Cut(line, "<Idempotency-Key: ")
		name, _, _ := strings.Cut(rest, ">")
		return name
	}
	first := key(lines[0])
	if first == "key-0123456789" || !strings.HasSuffix(first, "-key-0123456789") || key(lines[1]) != first {
		t.Errorf("keys %q and %q", first, key(lines[1]))
	}
	if quoted := key(lines[2]); !strings.HasPrefix(quoted, `"`) || !strings.HasSuffix(quoted, `-other"`) {
		t.Errorf("a quoted key became %s", quoted)
	}
	if strings.Contains(calls, "=ord_0123456789") || !strings.Contains(calls, "-ord_0123456789") {
		t.Errorf("the order is still the recorded one: %s", calls)
	}
	again, _ := played(t, all)
	if key(strings.Split(again, "\n")[0]) == first {
		t.Error("a second run of the script uses the same keys")
	}
}

func TestLaterRequestsNameWhatTheScriptHasMade(t *testing.T) {
	made := sent(0, "k1", "amount=1")
	made.Response.Body = []byte(`{"id":"ch_0123456789"}`)
	refund := sent(2, "k2", "charge=ch_0123456789")
	refund.Path = "/v1/charges/ch_0123456789/refunds"
	calls, _ := played(t, []crossing{made, refund})
	if strings.Contains(calls, "ch_0123456789") || !strings.Contains(calls, "<charge=made_0123456789>") || !strings.Contains(calls, "/v1/charges/made_0123456789/refunds>") {
		t.Error(calls)
	}
}

func TestFaultsTravelAsHeadersAndAreCounted(t *testing.T) {
	faulty := func(after int, kind network.Kind, how network.How) crossing {
		c := sent(after, "k", "")
		c.Fault, c.How, c.Held, c.Status = kind, how, 1500*time.Millisecond, 503
		c.Response.Header = http.Header{"Retry-After": {"2"}}
		return c
	}
	text := scriptOf([]crossing{
		faulty(0, network.LoseResponse, network.Reset), faulty(2, network.LoseResponse, network.Reset),
		faulty(4, network.Delay, ""), faulty(6, network.Status, ""), faulty(8, network.Truncate, network.Reset), sent(10, "k", ""),
	})
	for _, want := range []string{
		"'Chargeonce-Fault: lose-response;how=reset'", "'Chargeonce-Fault: lose-response;how=reset;attempts=2'",
		"'Chargeonce-Fault: delay;ms=1500'", "'Chargeonce-Fault: status;status=503;retry-after=2'", "'Chargeonce-Fault: truncate'",
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("no %s in %s", want, text)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if _, value, found := strings.Cut(line, "'Chargeonce-Fault: "); found {
			value, _, _ = strings.Cut(value, "'")
			if _, err := network.ParseHeader(value); err != nil {
				t.Errorf("the network would refuse it: %v", err)
			}
		}
	}
}

func TestRequestsThatOverlappedAreSentTogether(t *testing.T) {
	apart := scriptOf([]crossing{sent(0, "k", ""), sent(2, "k", "")})
	if strings.Contains(apart, " &\n") || strings.Contains(apart, "wait\n") {
		t.Errorf("one after the other: %s", apart)
	}
	long := sent(0, "k", "")
	long.Elapsed = 3 * time.Second
	together := scriptOf([]crossing{long, sent(1, "k", ""), sent(9, "k", "")})
	if strings.Count(together, " &\n") != 2 || strings.Count(together, "wait\n") != 1 || strings.LastIndex(together, "send ") < strings.Index(together, "wait\n") {
		t.Errorf("two together, then one: %s", together)
	}
	var storm []crossing
	for range 3 * maxAtOnce {
		storm = append(storm, long)
	}
	if got := strings.Count(scriptOf(storm), "wait\n"); got != 3 {
		t.Errorf("%d waits in a storm, want one for each %d requests", got, maxAtOnce)
	}
}

func TestABodyThatCannotBeRepeatedIsLeftOutAloud(t *testing.T) {
	binary, cut := sent(0, "k", "a\x00b"), sent(2, "k", "abc")
	cut.Request.Size = 9000
	cut.Path = "/v1/charges\nrm -rf /"
	text := scriptOf([]crossing{binary, cut})
	if strings.Count(text, "# left out: POST ") != 2 || strings.Contains(text, "\nrm") || strings.Contains(text, "send 1") {
		t.Error(text)
	}
}

func exportStageOf(t *testing.T, kept ...*oneRun) http.Handler {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	s := &Stage{options: Options{Source: repository(), Log: io.Discard}, log: newRunLog(), runs: &runs{all: make(map[string]*oneRun)}}
	for _, one := range kept {
		s.runs.keep(one.run.ID, one)
	}
	s.listener = listener
	mux := http.NewServeMux()
	s.exports(mux)
	return mux
}

func TestARunIsExportedWholeOrNotAtAll(t *testing.T) {
	done := raced()
	done.log = newRunLog()
	done.run.Events = []control.Event{{Seq: 1, Side: control.Safe, Text: "a </script> & b"}, {Seq: 2, Side: control.Naive, Text: "two"}}
	now := &oneRun{log: newRunLog(), run: lesson.Run{ID: "now", Lesson: "lost-response", State: lesson.Running}}
	h := exportStageOf(t, done, now)
	for _, name := range []string{"export.html", "events.jsonl", "requests.sh"} {
		for id, want := range map[string]int{"none": http.StatusNotFound, "now": http.StatusConflict, "abc": http.StatusOK} {
			status, _, header := visit(t, h, "/runs/"+id+"/"+name)
			kept := strings.HasPrefix(header.Get("Content-Disposition"), "attachment; filename=")
			if status != want || kept != (want == http.StatusOK) {
				t.Errorf("%s of %s: %d, kept as a file: %v", name, id, status, kept)
			}
		}
	}
	_, lines, _ := visit(t, h, "/runs/abc/events.jsonl")
	var second control.Event
	if err := json.Unmarshal([]byte(strings.Split(lines, "\n")[1]), &second); err != nil || second.Text != "two" {
		t.Errorf("%v in %s", err, lines)
	}
	_, page, _ := visit(t, h, "/runs/abc/export.html")
	if strings.Contains(page, "/static/") || strings.Contains(page, "a </script>") || !strings.Contains(page, `a \u003c/script`) {
		t.Error("the page is not self-contained, or an event's text breaks out of it")
	}
}

func TestAStormsExchangesAreExportedUpToABound(t *testing.T) {
	log := newRunLog()
	var events []control.Event
	for i := range maxExchangeBytes / network.MaxShown {
		trace := fmt.Sprint("tr", i)
		// Quotes take five times their size in HTML, so that they pass the bound.
		log.exchanges.add(control.Safe, word(trace, trace, network.Answered, strings.Repeat(`"`, network.MaxShown)))
		events = append(events, control.Event{Side: control.Safe, Trace: trace})
	}
	all, total := fragments(t.Context(), log, events), 0
	for _, html := range all {
		total += len(html)
	}
	if total < maxFragments || total > maxFragments+8*network.MaxShown || all["safe/tr5"] == "" {
		t.Errorf("%d of %d exchanges in %d bytes, the bound is %d", len(all), len(events), total, maxFragments)
	}
}
