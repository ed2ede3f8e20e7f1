package ledger

import (
	"maps"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// everything is a bound that leaves nothing out.
func everything(string) bool { return false }

func listed(n *node[int]) (all []string) {
	for key := range n.up(everything) {
		all = append(all, key)
	}
	return all
}

func TestATreeIsASortedMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var root *node[int]
		model := make(map[string]int)
		key := rapid.StringMatching(`[ab/]{0,4}`)
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				k, v := key.Draw(t, "key"), rapid.Int().Draw(t, "value")
				root, model[k] = root.with(k, v), v
			},
			"delete": func(t *rapid.T) {
				k := key.Draw(t, "key")
				root = root.without(k)
				delete(model, k)
			},
			"": func(t *rapid.T) {
				want := slices.Sorted(maps.Keys(model))
				if got := listed(root); !slices.Equal(got, want) {
					t.Fatalf("ascending %q, want %q", got, want)
				}
				for k, v := range model {
					if got, found := root.get(k); !found || got != v {
						t.Fatalf("%q holds %d, %v; want %d", k, got, found, v)
					}
				}
				edge := key.Draw(t, "edge")
				if _, found := root.get(edge); found != slices.Contains(want, edge) {
					t.Fatalf("%q is found: %v", edge, found)
				}
				checkBounds(t, root, want, edge)
			},
		})
	})
}

func checkBounds(t *rapid.T, root *node[int], all []string, edge string) {
	var up, down []string
	for key := range root.up(func(key string) bool { return key < edge }) {
		up = append(up, key)
	}
	for key := range root.down(func(key string) bool { return key >= edge }) {
		down = append(down, key)
	}
	slices.Reverse(down)
	if got := append(down, up...); !slices.Equal(got, all) {
		t.Fatalf("cut at %q and put together: %q, want %q", edge, got, all)
	}
}

func TestATreeThatIsHeldNeverChanges(t *testing.T) {
	var root *node[int]
	for i := range 100 {
		root = root.with(strconv.Itoa(i), i)
	}
	before := listed(root)
	next := root.with("new", 1).without("50").with("7", 8)
	if got, _ := root.get("7"); got != 7 || !slices.Equal(listed(root), before) {
		t.Error("a write has changed the tree that it was made on")
	}
	if got, _ := next.get("7"); got != 8 || len(listed(next)) != 100 {
		t.Error("the write is missing from the tree that it returned")
	}
}

func TestATreeStaysShallowWhateverTheOrder(t *testing.T) {
	var root *node[int]
	const n = 4096
	for i := range n {
		root = root.with(ordinal(uint64(i)), i) // ascending: the worst order for a plain tree
	}
	if depth := root.depth(); depth > 60 { // log2 is 12; a treap's depth is some 2.5 times that
		t.Errorf("%d keys lie up to %d deep", n, depth)
	}
}

func (n *node[V]) depth() int {
	if n == nil {
		return 0
	}
	return 1 + max(n.left.depth(), n.right.depth())
}

func TestAWalkEndsWhenItsReaderHasEnough(t *testing.T) {
	var root *node[int]
	for i := range 10 {
		root = root.with(strconv.Itoa(i), i)
	}
	for name, walk := range map[string]func() int{
		"up":   func() int { return first(root.up(everything)) },
		"down": func() int { return 9 - first(root.down(everything)) },
	} {
		if got := walk(); got != 0 {
			t.Errorf("%s begins at %d", name, got)
		}
	}
}

func first(all func(func(string, int) bool)) int {
	for _, value := range all {
		return value
	}
	return -1
}
