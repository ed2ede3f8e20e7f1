package tests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// advance moves free play's retention clock on.
func (c *stageClient) advance(by string) (clock time.Duration) {
	c.t.Helper()
	var moved struct {
		ClockMS int64 `json:"clock_ms"`
	}
	c.post("/stage/clock", map[string]string{"advance": by}, http.StatusOK, &moved)
	return time.Duration(moved.ClockMS) * time.Millisecond
}

// clock is where the stage says that the retention clock stands.
func (c *stageClient) clock() time.Duration {
	c.t.Helper()
	return time.Duration(c.state().ClockMS) * time.Millisecond
}

// asked is what a key's request is answered on one side: its status, and the
// code of a refusal.
func (c *stageClient) asked(side, key string) string {
	c.t.Helper()
	response, body, err := postCharge(c.base+side, "you", key, 5000)
	if err != nil {
		c.t.Fatal(err)
	}
	var problem struct{ Error struct{ Code string } }
	if err := json.Unmarshal(body, &problem); err != nil {
		c.t.Fatalf("%v: %s", err, body)
	}
	said := fmt.Sprint(response.StatusCode, " ", problem.Error.Code)
	if response.Header.Get("Idempotent-Replayed") == "true" {
		said += "replayed"
	}
	return said
}

func (c *stageClient) wantAsked(side, key, want string) {
	c.t.Helper()
	if got := c.asked(side, key); got != want {
		c.t.Errorf("%s%s: %q, want %q", side, key, got, want)
	}
}

// What a request is answered while its key is new, known, and known no longer.
const (
	charged  = "201 "
	replayed = "201 replayed"
	expired  = "409 idempotency_result_expired"

	onSafe  = ""
	onNaive = "/naive"
)

func TestTheClockIsMovedPastTheRetentionAndPastTheTombstone(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.wantAsked(onSafe, "order-1", charged)
	if now := c.advance("23h"); now != 23*time.Hour || c.clock() != now {
		t.Errorf("after 23h the answer says %v, the state %v", now, c.clock())
	}
	c.wantAsked(onSafe, "order-1", replayed)
	if now := c.advance("2h"); now != 25*time.Hour || c.clock() != now {
		t.Errorf("after 25h the answer says %v, the state %v", now, c.clock())
	}
	c.wantAsked(onSafe, "order-1", expired)
	c.wantAsked(onSafe, "order-2", charged) // what is new is kept from now on
	c.wantAsked(onSafe, "order-2", replayed)
	c.chargedTimes("you", 2)
	c.advance("720h")
	c.wantAsked(onSafe, "order-1", charged)
	c.chargedTimes("you", 3)
}

// chargedTimes checks how often the safe side has charged an owner's card.
func (c *stageClient) chargedTimes(owner string, want int) {
	c.t.Helper()
	if books := c.books(owner); books.Captures != want || books.Charges != want {
		c.t.Errorf("%d captures and %d charges, want %d", books.Captures, books.Charges, want)
	}
}

func TestTheClockRefusesWhatIsNoAdvanceAndDoesNotMove(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.advance("1h")
	for _, body := range []any{
		map[string]string{"advance": "-25h"},
		map[string]string{"advance": "0s"},
		map[string]string{"advance": "0"},
		map[string]string{"advance": "soon"},
		map[string]string{"advance": ""},
		map[string]string{},
		map[string]int{"advance": 25},
		map[string]string{"advance": "25h", "side": "safe"},
		[]string{"25h"},
		map[string]string{"advance": "876001h"},   // above a hundred years in all
		map[string]string{"advance": "9999999h"},  // beyond what a duration can hold
		map[string]string{"advance": "1h; reset"}, // no duration
	} {
		var problem struct {
			Error struct{ Param, Message string }
		}
		c.post("/stage/clock", body, http.StatusBadRequest, &problem)
		if problem.Error.Message == "" {
			t.Errorf("%v is refused without a word", body)
		}
		if _, named := body.(map[string]string); named && len(body.(map[string]string)) == 1 && problem.Error.Param != "advance" {
			t.Errorf("%v: the refusal names %q", body, problem.Error.Param)
		}
	}
	if now := c.clock(); now != time.Hour {
		t.Errorf("refused moves have moved the clock to %v", now)
	}
	// Neither has any process been told of one: the next move starts from there.
	if now := c.advance("1h"); now != 2*time.Hour {
		t.Errorf("the next move leads to %v", now)
	}
}

func TestTheClockOutlivesAKill(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.wantAsked(onSafe, "order-1", charged)
	c.advance("25h")
	c.post("/stage/kill", map[string]string{"side": "safe"}, http.StatusOK, nil)
	if now := c.clock(); now != 25*time.Hour {
		t.Errorf("after the kill the clock stands at %v", now)
	}
	c.wantAsked(onSafe, "order-1", expired)
}

func TestTheClockOutlivesAChangeOfTheMistake(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.choose("restart-forgets")
	c.wantAsked(onNaive, "order-1", charged)
	c.advance("25h")
	c.choose("no-fence")
	c.wantAsked(onNaive, "order-1", expired)
	if now := c.advance("1h"); now != 26*time.Hour || c.clock() != now {
		t.Errorf("the next move leads to %v, the state says %v", now, c.clock())
	}
}

func (c *stageClient) choose(mistake string) {
	c.t.Helper()
	c.post("/stage/mistake", map[string]string{"id": mistake}, http.StatusOK, nil)
}

// Either move alone would leave the answers replayable.
func TestTwoMovesAtOnceAddUpOnBothSides(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	c.choose("restart-forgets")
	for _, side := range []string{onSafe, onNaive} {
		c.wantAsked(side, "order-1", charged)
	}
	var both sync.WaitGroup
	moved := make(chan string, 2)
	for range 2 {
		both.Go(func() { moved <- c.tryAdvance("13h") })
	}
	both.Wait()
	if got := []string{<-moved, <-moved}; strings.Join(got, " ") != "13h 26h" && strings.Join(got, " ") != "26h 13h" {
		t.Errorf("the two moves lead to %v", got)
	}
	if now := c.clock(); now != 26*time.Hour {
		t.Errorf("the clock stands at %v", now)
	}
	for _, side := range []string{onSafe, onNaive} {
		c.wantAsked(side, "order-1", expired)
	}
}

// tryAdvance is advance for goroutines, which must not end a test: it says
// where the clock went, or what went wrong.
func (c *stageClient) tryAdvance(by string) string {
	response, err := c.http.Post(c.base+"/stage/clock", "application/json", strings.NewReader(`{"advance":"`+by+`"}`))
	if err != nil {
		return err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	var moved struct {
		ClockMS int64 `json:"clock_ms"`
	}
	if err := json.NewDecoder(response.Body).Decode(&moved); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%dh", moved.ClockMS/time.Hour.Milliseconds())
}
