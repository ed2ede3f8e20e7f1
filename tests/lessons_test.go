package tests

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"chargeonce/web/control"
	"chargeonce/web/lesson"
	"chargeonce/web/naive"
	"chargeonce/web/stage"
)

// run plays a lesson on a stage to its end.
func (c *stageClient) run(id string) (run lesson.Run) {
	c.t.Helper()
	var started struct{ ID string }
	c.post("/stage/lessons/"+id+"/runs", map[string]any{}, http.StatusAccepted, &started)
	eventually(c.t, id+" ends", func() (bool, any) {
		c.get("/stage/runs/"+started.ID, &run)
		return run.State != lesson.Running, run.State
	})
	return run
}

func TestTheTourHoldsOnAStageAndLeavesFreePlayAlone(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	form, _ := c.checkout()
	c.pay(form, "normal", "pm_card_visa")
	c.awaitPaid()
	before := c.books("shop")
	for _, id := range lesson.Tours()[0].Lessons {
		run := c.run(id)
		if run.State != lesson.Held {
			t.Errorf("%s is %s: %+v", id, run.State, broken(run))
		}
		if len(run.Steps) < 4 || len(run.Events) == 0 {
			t.Errorf("%s is told in %d steps from %d events", id, len(run.Steps), len(run.Events))
		}
	}
	if after := c.books("shop"); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("free play's books changed from %+v to %+v", before, after)
	}
}

func broken(run lesson.Run) (checks []lesson.Check) {
	for _, check := range run.Checks {
		if !check.Held {
			checks = append(checks, check)
		}
	}
	return checks
}

func TestOneRunAtATime(t *testing.T) {
	_, c := startStage(t, t.TempDir())
	var started struct{ ID string }
	c.post("/stage/lessons/kill-lease/runs", map[string]any{}, http.StatusAccepted, &started)
	c.post("/stage/lessons/lost-response/runs", map[string]any{}, http.StatusConflict, nil)
	c.post("/stage/lessons/nonsense/runs", map[string]any{}, http.StatusNotFound, nil)
	eventually(t, "the run ends", func() (bool, any) {
		var run lesson.Run
		c.get("/stage/runs/"+started.ID, &run)
		return run.State != lesson.Running, run.State
	})
	c.run("lost-response")
}

func TestVerifyPrintsALineForEachPromise(t *testing.T) {
	p := launch(t, "verify")
	if code := p.exitCode(); code != 0 {
		t.Errorf("exit code %d\n%s", code, p.log)
	}
	lines := strings.Split(strings.TrimSpace(p.log.String()), "\n")
	if last := lines[len(lines)-1]; last != fmt.Sprintf("%d held, 0 broken", len(lesson.All())) {
		t.Errorf("last line: %q\n%s", last, p.log)
	}
}

// The promises are worth something only if they break: here the naive side is
// repaired.
func TestAPromiseBreaksWhereTheMistakeIsRepaired(t *testing.T) {
	dir := t.TempDir()
	for i, l := range lesson.All() {
		t.Run(l.ID, func(t *testing.T) {
			t.Parallel()
			mistake, _ := naive.ByID(l.Mistake)
			repaired := stage.Mistake{Gates: mistake.Gates} // the script still finds its gates
			l.Mistake = ""
			run, err := stage.RunLesson(t.Context(), stage.RunOptions{
				ID: fmt.Sprint("m", i), Exe: binary, Data: dir, Seed: 1, Mistakes: []stage.Mistake{repaired}, Log: io.Discard,
			}, l)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(broken(run), func(c lesson.Check) bool { return c.Side == control.Naive }) {
				t.Errorf("every promise of the naive side holds without its mistake")
			}
			for _, check := range broken(run) {
				if check.Side == control.Safe {
					t.Errorf("safe side: %+v", check)
				}
			}
		})
	}
}

func TestRunsLeaveNothingBehind(t *testing.T) {
	dir := t.TempDir()
	l, err := lesson.ByID("lost-response")
	if err != nil {
		t.Fatal(err)
	}
	once := func(i int) {
		run, err := stage.RunLesson(t.Context(), stage.RunOptions{
			ID: fmt.Sprint("r", i), Exe: binary, Data: dir, Seed: 1, Mistakes: mistakes(), Log: io.Discard,
		}, l)
		if err != nil || run.State != lesson.Held {
			t.Fatalf("run %d: %v, %+v", i, err, broken(run))
		}
	}
	once(0) // what is opened once and kept is open now
	goroutines, files := runtime.NumGoroutine(), openFiles(t)
	rounds := 5
	if os.Getenv("CHARGEONCE_REQUIRE_ALL") == "1" {
		rounds = 50
	}
	for i := 1; i <= rounds; i++ {
		once(i)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("left on disk: %v, %v", left, err)
	}
	eventually(t, "goroutines and files are back to where they were", func() (bool, any) {
		now, open := runtime.NumGoroutine(), openFiles(t)
		return now <= goroutines && open <= files, fmt.Sprintf("%d goroutines (%d before), %d files (%d before)", now, goroutines, open, files)
	})
	if children := childrenOf(t); len(children) != 0 {
		t.Errorf("left running: %v", children)
	}
}

func mistakes() (all []stage.Mistake) {
	for _, m := range naive.All() {
		all = append(all, stage.Mistake{ID: m.ID, Label: m.Label, Wire: m.Wire, Keyless: m.Keyless, Gates: m.Gates})
	}
	return all
}

// openFiles counts this process's file descriptors, sockets included.
func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("skipped: this system has no /proc (%v)", err)
	}
	return len(entries)
}

// childrenOf lists the chargeonce processes that this process has started.
func childrenOf(t *testing.T) (children []string) {
	t.Helper()
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Skipf("skipped: this system has no /proc (%v)", err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + task.Name() + "/children")
		if err != nil {
			continue // the thread has ended
		}
		for _, pid := range strings.Fields(string(text)) {
			if command, err := os.ReadFile("/proc/" + pid + "/cmdline"); err == nil && strings.HasPrefix(string(command), binary) {
				children = append(children, strings.ReplaceAll(string(command), "\x00", " "))
			}
		}
	}
	return children
}
