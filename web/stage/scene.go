package stage

import (
	"strconv"

	"chargeonce/web/control"
)

// maxScenes bounds the stories that are remembered; the oldest is forgotten.
const maxScenes = 512

// scenes finds out which story an event belongs to. The shop names its orders;
// the API, the network and the provider know nothing of orders and are joined
// by the trace of a request, by the key, and by the provider's key. It is not
// safe for concurrent use: the run log guards it.
type scenes struct {
	stories map[string]*story
	order   []string          // scene names, oldest first
	names   map[string]string // side and trace, key or provider key → scene
	latest  map[control.Side]string
}

func newScenes() *scenes {
	return &scenes{
		stories: make(map[string]*story), names: make(map[string]string),
		latest: make(map[control.Side]string),
	}
}

// place sets the event's scene and returns its story, which has taken the
// event in.
func (s *scenes) place(e *control.Event) *story {
	if e.Scene == "" {
		e.Scene = s.find(e)
	}
	if e.Scene == "" {
		return nil
	}
	st := s.stories[e.Scene]
	if st == nil {
		st = s.begin(e.Scene)
	}
	for _, handle := range handles(e) {
		if _, known := s.names[handle]; !known {
			s.names[handle] = e.Scene
			st.handles = append(st.handles, handle)
		}
	}
	s.latest[e.Side] = e.Scene
	st.number(e)
	st.take(*e)
	return st
}

// find looks for the scene of an event that does not name one. What happens to
// a process belongs to the story that was going on there.
func (s *scenes) find(e *control.Event) string {
	if e.Kind == control.KindProcess {
		return s.latest[e.Side]
	}
	for _, handle := range handles(e) {
		if scene, known := s.names[handle]; known {
			return scene
		}
	}
	if e.Key != "" {
		return e.Owner + "/" + e.Key
	}
	return e.Trace
}

// begin makes room for a story, in which the oldest is forgotten.
func (s *scenes) begin(scene string) *story {
	if len(s.order) == maxScenes {
		oldest := s.order[0]
		for _, handle := range s.stories[oldest].handles {
			delete(s.names, handle)
		}
		delete(s.stories, oldest)
		s.order = s.order[1:]
	}
	st := &story{}
	s.stories[scene] = st
	s.order = append(s.order, scene)
	return st
}

// handles are the names by which an event can be joined to others, the surest
// first. The owner's length stands before it, since clients choose owners and
// keys: no two pairs may read alike.
func handles(e *control.Event) []string {
	var all []string
	add := func(kind, value string) {
		if value != "" {
			all = append(all, kind+"/"+string(e.Side)+"/"+value)
		}
	}
	add("trace", e.Trace)
	if e.Key != "" {
		add("key", strconv.Itoa(len(e.Owner))+"/"+e.Owner+"/"+e.Key)
	}
	add("provider", e.ProviderKey)
	return all
}
