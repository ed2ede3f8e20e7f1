package control

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// MaxLine bounds one line of the control channel, in bytes. An event is a few
// hundred bytes; a longer line is a bug on the other side, not data.
const MaxLine = 64 << 10

// Up is one line from an API process to the stage.
type Up struct {
	Type  string `json:"type"` // ready, event, held, armed, clock
	URL   string `json:"url,omitempty"`
	Event *Event `json:"event,omitempty"`

	// Of a held request; of a gate that is armed from now on, its id in Hold;
	// of a move of the clock that is made, its number there.
	Hold  string `json:"hold,omitempty"`
	Gate  string `json:"gate,omitempty"`
	Owner string `json:"owner,omitempty"`
	Key   string `json:"key,omitempty"`
	Trace string `json:"trace,omitempty"`

	// Dropped counts events that were thrown away since the last line because
	// the stage read too slowly: the API never waits for its audience.
	Dropped int `json:"dropped,omitempty"`
}

// Down is one line from the stage to an API process. End of input ends the
// process.
type Down struct {
	Type     string `json:"type"` // gate, release, clock, shutdown
	Gate     string `json:"gate,omitempty"`
	Count    int    `json:"count,omitempty"` // 0 disarms and delivers
	Owner    string `json:"owner,omitempty"`
	Freeze   bool   `json:"freeze,omitempty"`
	Hold     string `json:"hold,omitempty"` // of a gate line its id, of a clock line its number: answered by a line of type armed or clock
	Action   string `json:"action,omitempty"`
	MS       int64  `json:"ms,omitempty"`
	OffsetMS int64  `json:"offset_ms,omitempty"`
}

// Write sends one message as a JSON line. It is not safe for concurrent use:
// each side sees to it that one line is written at a time.
func Write(w io.Writer, message any) error {
	line, err := json.Marshal(message)
	if err != nil {
		return fmt.Errorf("encode control line: %w", err)
	}
	if _, err := w.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("write control line: %w", err)
	}
	return nil
}

// Read calls each for every line of r until r ends, and returns nil at its
// end. A line that is not the expected JSON stops it with an error that does
// not repeat the line.
func Read[T any](r io.Reader, each func(T)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), MaxLine)
	for lines.Scan() {
		var message T
		if err := json.Unmarshal(lines.Bytes(), &message); err != nil {
			return fmt.Errorf("decode control line: %w", err)
		}
		each(message)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read control line: %w", err)
	}
	return nil
}
