package stage

import (
	"net/http"
	"slices"
	"time"

	"github.com/a-h/templ"

	"chargeonce/components"
	"chargeonce/static"
	"chargeonce/web/control"
	"chargeonce/web/shop"
)

// pages are what people look at.
func (s *Stage) pages(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", s.screen(components.FirstScreen, true))
	mux.HandleFunc("GET /stage", s.screen(components.StageScreen, true))
	mux.HandleFunc("GET /panel", s.screen(components.PanelScreen, false))
	mux.HandleFunc("GET /books", s.getBooksPage)
	mux.HandleFunc("GET /keys", s.getKeysPage)
	mux.HandleFunc("GET /connect", s.getConnectPage)
	mux.HandleFunc("GET /help", s.getHelpPage)
	mux.HandleFunc("GET /help/errors", s.getHelpErrorsPage)
	mux.HandleFunc("POST /pay", s.postPay)
	mux.HandleFunc("POST /new", s.postNew)
	mux.HandleFunc("POST /kill", s.postKillForm)
	mux.HandleFunc("POST /mistake", s.postMistakeForm)
	mux.Handle("/static/", static.Handler())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.failPage(w, r, http.StatusNotFound, "There is no such page", "The first screen has links to those that exist.")
	})
}

// nav lists the pages that exist beside the one that is shown.
var nav = []components.Link{
	{Label: "First screen", Href: "/"},
	{Label: "Stage", Href: "/stage"},
	{Label: "Panel", Href: "/panel"},
	{Label: "Lessons", Href: "/lessons"},
	{Label: "Books", Href: "/books"},
	{Label: "Keys", Href: "/keys"},
	{Label: "Connect", Href: "/connect"},
	{Label: "Help", Href: "/help"},
}

// elsewhere is nav for the first screen and its kin, which are short of room:
// without the page itself and without what is offered there anyway.
func elsewhere(here string, offered []components.Link) []components.Link {
	var links []components.Link
	for _, link := range nav {
		there := slices.ContainsFunc(offered, func(o components.Link) bool { return o.Href == link.Href })
		if link.Href != here && !there {
			links = append(links, link)
		}
	}
	return links
}

// view names a side as the pages do.
func (s *system) view() components.Side {
	if s.options.Side == control.Naive {
		return components.Side{ID: "naive", Name: "NAIVE", Means: s.options.Mistake.Label}
	}
	return components.Side{ID: "safe", Name: "SAFE", Means: "one key per purchase"}
}

// sides are what the panel shows, from top to bottom.
func (s *Stage) sides() []components.Side {
	var views []components.Side
	for _, system := range s.manual.systems() {
		views = append(views, system.view())
	}
	return views
}

// mistakes are what the naive side of free play can do wrong.
func (s *Stage) mistakes() []components.Option {
	now := s.manual.mistake().ID
	var options []components.Option
	for _, m := range s.options.Mistakes {
		options = append(options, components.Option{ID: m.ID, Label: m.Label, Selected: m.ID == now})
	}
	return options
}

func page(title string) components.Page {
	return components.Page{Title: title, Asset: static.Path, Nav: nav}
}

// screen is a page with the panel, with or without the checkout beside it.
func (s *Stage) screen(render func(components.Screen) templ.Component, withCheckout bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		screen := components.Screen{
			Page:  page("Lose the answer, retry, charge once"),
			Panel: components.Panel{Sides: s.sides(), Mistakes: s.mistakes()},
		}
		if r.URL.Path == "/" {
			screen.Ways = ways()
		}
		screen.Page.Nav = elsewhere(r.URL.Path, screen.Ways)
		if withCheckout {
			order, err := s.current(w, r)
			if err != nil {
				s.fail(w, err)
				return
			}
			screen.Checkout = checkoutView(order)
			screen.Checkout.Notice, err = s.told(r.Context(), order.ID, time.Now())
			if err != nil {
				s.fail(w, err)
				return
			}
		}
		s.show(w, r, http.StatusOK, render(screen))
	}
}

// checkoutView is the customer's view of an order.
func checkoutView(o shop.Order) *components.Checkout {
	view := &components.Checkout{
		OrderID: o.ID, Key: o.Key, Amount: components.Money(o.Amount, o.Currency),
		AmountMinor: o.Amount, Currency: o.Currency,
		Settled: o.Settled(), Checking: o.State == shop.Open,
	}
	for _, card := range testCards {
		card.Selected = card.Value == o.Card
		view.Cards = append(view.Cards, card)
	}
	return view
}

func (s *Stage) getBooksPage(w http.ResponseWriter, r *http.Request) {
	view := components.Books{Page: page("The books")}
	for _, system := range s.manual.systems() {
		side, err := system.booksView(r.Context())
		if err != nil {
			s.fail(w, err)
			return
		}
		view.Sides = append(view.Sides, side)
	}
	s.show(w, r, http.StatusOK, components.BooksPage(view))
}

func (s *Stage) getKeysPage(w http.ResponseWriter, r *http.Request) {
	system, ok := s.sideOf(w, r.URL.Query().Get("side"))
	if !ok {
		return
	}
	owner, key := r.URL.Query().Get("owner"), r.URL.Query().Get("key")
	records, err := system.keyRecords(r.Context(), owner, key)
	view := keysView(records, owner, key, keyPrinter{system.options.Side})
	view.Page, view.Side, view.Stale = page("Idempotency records"), system.view(), err != nil
	view.Sides = s.sides()
	s.show(w, r, http.StatusOK, components.KeysPage(view))
}

// show renders a page whole before it is sent, so that a fault in it is a 500
// and not half a page.
func (s *Stage) show(w http.ResponseWriter, r *http.Request, status int, page templ.Component) {
	w.Header().Set("Cache-Control", "no-store") // Back asks again, and sees what became of the order
	templ.Handler(page, templ.WithStatus(status)).ServeHTTP(w, r)
}

// failPage explains to a person what a form could not do.
func (s *Stage) failPage(w http.ResponseWriter, r *http.Request, status int, head, detail string) {
	s.show(w, r, status, components.ErrorPage(components.Problem{
		Page: page(head), Status: status, Head: head, Detail: detail, Back: components.Link{Label: "Back", Href: s.backTo(r)},
	}))
}

// fail is an error of our own: it is logged, and the client learns no more
// than that.
func (s *Stage) fail(w http.ResponseWriter, err error) {
	s.logf("stage: %v", err)
	refuse(w, http.StatusInternalServerError, "internal_error", "The stage could not do that; its log says why.", "")
}
