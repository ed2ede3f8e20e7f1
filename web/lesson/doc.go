// Package lesson holds the lessons as data, runs them, and tells what
// happened.
//
// A lesson is one scripted experiment, made twice at the same time: on the
// naive side, where one named mistake is switched on, and on the safe side.
// Both get the same script. What a script may do to a side is the interface
// [Rig], which the stage implements with real processes and real HTTP; this
// package knows no process, no socket and no page.
//
//	lesson.go    what a lesson is: texts, beats, script, promises
//	rig.go       what a script may do to one side
//	run.go       what is left of a run: checks, books, events, steps, board
//	execute.go   the runner: script on both sides, books, promises
//	recording.go when the recording is whole
//	tell.go      the pure telling: events and beats → steps
//	fold.go      money and counters as of a step, from events
//	board.go     all orders of a race, judged by their books; orders.go, race.go
//	             make them
//	catalogue.go the lessons and tours; one file for each lesson
//
// A promise is judged from stored books alone, never from the events that
// draw the picture; that the picture equals the books is a check of its own.
package lesson
