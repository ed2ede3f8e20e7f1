package lesson

import (
	"fmt"
	"strconv"
)

// The two clicks of a race, and the steps that each takes on the naive side.
// On the safe side the same three releases claim, charge and commit.
var (
	clicks    = []string{"A", "B"}
	raceSteps = []string{"look", "charge", "insert"}
)

// Orders returns every order in which two requests of three steps each can
// interleave, C(6,3) = 20, in lexical order of the clicks: AAABBB is the
// first, BBBAAA the last. Each has an owner of its own, so books of its own.
func Orders() []Order {
	var all []Order
	var walk func(taken [2]int, steps []string)
	walk = func(taken [2]int, steps []string) {
		if len(steps) == len(clicks)*len(raceSteps) {
			n := len(all) + 1
			all = append(all, Order{Name: strconv.Itoa(n), Owner: fmt.Sprintf("o%02d", n), Steps: steps})
			return
		}
		for i, click := range clicks {
			if taken[i] == len(raceSteps) {
				continue
			}
			next := taken
			next[i]++
			// A fresh slice for each branch: append alone would share one.
			walk(next, append(steps[:len(steps):len(steps)], click+"."+raceSteps[taken[i]]))
		}
	}
	walk([2]int{}, nil)
	return all
}

// click is whose step it is.
func click(step string) string { return step[:1] }

// Letters is the order in one word: "ABABAB".
func (o Order) Letters() string {
	var word []byte
	for _, step := range o.Steps {
		word = append(word, step[0])
	}
	return string(word)
}
