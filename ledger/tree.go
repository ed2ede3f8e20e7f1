package ledger

import (
	"hash/maphash"
	"iter"
)

// node is the root of an ordered map that never changes: a write returns
// another root, which shares all but the path to what was written. Whoever
// holds a root holds a snapshot, for nothing and for as long as they like. nil
// is the empty map.
//
// It is a treap: a search tree by key that is a heap by priority. Priorities
// are hashes of the keys, so no order of arrival can make it deep. Source:
// Seidel and Aragon, "Randomized Search Trees" (1996).
type node[V any] struct {
	key         string
	value       V
	priority    uint64
	left, right *node[V]
}

// treapSeed is the process's own, so that nobody outside can choose keys that
// make a tree deep.
var treapSeed = maphash.MakeSeed()

func (n *node[V]) get(key string) (value V, found bool) {
	for n != nil {
		switch {
		case key < n.key:
			n = n.left
		case key > n.key:
			n = n.right
		default:
			return n.value, true
		}
	}
	return value, false
}

// with is the map in which the key has this value.
func (n *node[V]) with(key string, value V) *node[V] {
	less, more := n.split(key)
	leaf := &node[V]{key: key, value: value, priority: maphash.String(treapSeed, key)}
	return less.join(leaf).join(more)
}

// without is the map in which the key is missing.
func (n *node[V]) without(key string) *node[V] {
	less, more := n.split(key)
	return less.join(more)
}

// split is the keys below and those above the given one, which is left out. It
// copies the path that it cuts and nothing else.
func (n *node[V]) split(key string) (less, more *node[V]) {
	if n == nil {
		return nil, nil
	}
	switch cut := *n; {
	case n.key < key:
		cut.right, more = n.right.split(key)
		return &cut, more
	case n.key > key:
		less, cut.left = n.left.split(key)
		return less, &cut
	}
	return n.left, n.right
}

// join puts together two maps of which the first has the lower keys.
func (n *node[V]) join(more *node[V]) *node[V] {
	switch {
	case n == nil:
		return more
	case more == nil:
		return n
	case n.priority > more.priority:
		root := *n
		root.right = n.right.join(more)
		return &root
	default:
		root := *more
		root.left = n.join(more.left)
		return &root
	}
}

// up goes through the keys in ascending order, without those for which below
// is true. Where it is true for a key, it must be so for all smaller ones.
func (n *node[V]) up(below func(key string) bool) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) { n.ascend(below, yield) }
}

func (n *node[V]) ascend(below func(string) bool, yield func(string, V) bool) bool {
	if n == nil {
		return true
	}
	if !below(n.key) {
		if !n.left.ascend(below, yield) || !yield(n.key, n.value) {
			return false
		}
	}
	return n.right.ascend(below, yield)
}

// down goes through the keys in descending order, without those for which
// above is true. Where it is true for a key, it must be so for all greater
// ones.
func (n *node[V]) down(above func(key string) bool) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) { n.descend(above, yield) }
}

func (n *node[V]) descend(above func(string) bool, yield func(string, V) bool) bool {
	if n == nil {
		return true
	}
	if !above(n.key) {
		if !n.right.descend(above, yield) || !yield(n.key, n.value) {
			return false
		}
	}
	return n.left.descend(above, yield)
}
