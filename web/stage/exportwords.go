package stage

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"chargeonce/web/network"
)

// scriptHead begins a script: what was recorded, its name, the default base.
// The fresh prefix makes each run of it a purchase of its own, while two
// requests with one key stay two requests with one key.
const scriptHead = `#!/bin/sh
# Requests to a chargeonce, as they stood on the wire: %s.
# usage: sh %s.sh [BASE_URL]
# Each run uses keys of its own, so it can be run again. It repeats requests and
# faults of the network; gates and kills are the stage's own, and are not in it.

BASE=${1:-%s}
BASE=${BASE%%/}
PREFIX=$(date +%%s)-$$-
DIR=$(mktemp -d) || exit 1
trap 'rm -rf "$DIR"' EXIT

# send N LABEL CURL-OPTIONS… URL: an answer's body goes to a file. No answer is
# an unknown outcome, and the script goes on as a client with a key may.
send() {
	n=$1 label=$2
	shift 2
	if status=$(curl --disable --silent --globoff --path-as-is --http1.1 --max-time 3 -H 'Expect:' \
		--output "$DIR/$n" --write-out '%%{http_code}' "$@"); then
		printf '  %%s: %%s\n' "$label" "$status"
		echo "$status" >"$DIR/$n.status"
	else
		printf '  %%s: no answer, the outcome is unknown\n' "$label"
	fi
}

# id N: what the answer to request N named, for those that came later.
id() { sed -n 's/^{"id": *"\([A-Za-z0-9_]*\)".*/\1/p' "$DIR/$1" 2>/dev/null; }
`

// scriptMistake names the mistake of the recorded naive side.
const scriptMistake = `
# The naive side made this mistake when its requests were recorded: %[1]s.
# A stage makes it too after:
#   curl -d '{"id":"%[1]s"}' "$BASE/stage/mistake"
`

const scriptFoot = `
set -- "$DIR"/*.status
[ -e "$1" ] || { echo "$BASE has answered nothing" >&2; exit 1; }
`

// shellQuote makes one word of the shell of any text without NUL.
func shellQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// oneLine keeps a text within a comment.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}

// longestKey leaves room for the prefix within the 255 bytes of a key.
const longestKey = 200

// freshKey is a recorded key behind the prefix, within the quotes of a
// structured field's string where there are some (RFC 8941 section 3.3.3).
func freshKey(value string) string {
	quote := ""
	if inner, quoted := strings.CutPrefix(value, `"`); quoted {
		quote, value = `'"'`, inner
	}
	if len(value) > longestKey { // as good a name, since equal keys stay equal
		sum := sha256.Sum256([]byte(value))
		value = hex.EncodeToString(sum[:])
		if quote != "" {
			value += `"`
		}
	}
	return quote + `"$PREFIX"` + shellQuote(value)
}

// shortestWord is what may be looked for in paths and bodies: a key of few
// letters would be found in every other word.
const shortestWord = 8

// names learns a request's key and order, which belong to the recorded run.
func (t *retelling) names(one crossing) {
	key := strings.Trim(one.Request.Header.Get("Idempotency-Key"), `"`)
	if len(key) <= longestKey {
		t.learnWord(key, `"$PREFIX"`+shellQuote(key))
	}
	if form, err := url.ParseQuery(string(one.Request.Body)); err == nil {
		order := form.Get("metadata[order]")
		t.learnWord(order, `"$PREFIX"`+shellQuote(order))
	}
}

// learn takes the id from an answer that arrived, so that later requests can
// name what the script itself has made.
func (t *retelling) learn(one crossing) {
	var named struct {
		ID string `json:"id"`
	}
	if one.What != network.Answered || one.Response == nil || json.Unmarshal(one.Response.Body, &named) != nil {
		return
	}
	t.learnWord(named.ID, fmt.Sprintf(`"$(id %d)"`, t.calls))
}

func (t *retelling) learnWord(text, shell string) {
	if _, known := t.known[text]; known || len(text) < shortestWord {
		return
	}
	t.known[text] = shell
	t.words = append(t.words, renaming{text, shell})
}

// shell writes a text with the words that were learnt, of two that begin at
// one place the longer.
func (t *retelling) shell(text string) string {
	var out strings.Builder
	from := 0
	for i := 0; i < len(text); i++ {
		var best renaming
		for _, w := range t.words {
			if len(w.text) > len(best.text) && strings.HasPrefix(text[i:], w.text) {
				best = w
			}
		}
		if best.text == "" {
			continue
		}
		if from < i {
			out.WriteString(shellQuote(text[from:i]))
		}
		out.WriteString(best.shell)
		i += len(best.text) - 1
		from = i + 1
	}
	if from < len(text) || text == "" {
		out.WriteString(shellQuote(text[from:]))
	}
	return out.String()
}

// fault scripts what the network did to a request; "" is nothing. The network
// counts how often a key has met one fault and lets a repetition pass, so the
// nth asks for n.
func (t *retelling) fault(one crossing) string {
	if one.Fault == "" {
		return ""
	}
	text := string(one.Fault)
	switch one.Fault {
	case network.LoseRequest, network.LoseResponse:
		if one.How != "" {
			text += ";how=" + string(one.How)
		}
	case network.Delay:
		text += fmt.Sprintf(";ms=%d", max(1, one.Held.Milliseconds()))
	case network.Status:
		text += fmt.Sprintf(";status=%d", one.Status)
		if one.Response != nil {
			if after := one.Response.Header.Get("Retry-After"); after != "" {
				text += ";retry-after=" + after
			}
		}
	}
	met := one.Owner + " " + one.Key + " " + text
	t.faults[met]++
	if n := t.faults[met]; n > 1 {
		text += fmt.Sprintf(";attempts=%d", n)
	}
	return text
}
