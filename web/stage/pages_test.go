package stage

import (
	"slices"
	"testing"

	"chargeonce/components"
)

func TestAScreenLinksNeitherToItselfNorTwice(t *testing.T) {
	for _, test := range []struct {
		here    string
		offered []components.Link
		want    []string
	}{
		{"/", ways(), []string{"/stage", "/panel", "/books", "/keys", "/help"}},
		{"/panel", nil, []string{"/", "/stage", "/lessons", "/books", "/keys", "/connect", "/help"}},
	} {
		var got []string
		for _, link := range elsewhere(test.here, test.offered) {
			got = append(got, link.Href)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", test.here, got, test.want)
		}
	}
}

func TestTheFirstScreenLeadsToWhereOwnClientsArePointed(t *testing.T) {
	if !slices.Contains(ways(), components.Link{Label: "Point your own client here", Href: "/connect"}) {
		t.Error(ways())
	}
}
