package stage

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"chargeonce/components"
	"chargeonce/web/control"
	"chargeonce/web/lesson"
	"chargeonce/web/network"
	"chargeonce/web/shop"
)

// The cart of the demo: one thing, €50.00.
const (
	cartAmount   = 5000
	cartCurrency = "eur"
	cartCard     = "pm_card_visa"
)

// orderCookie remembers which order the browser shows, so that a reload or a
// second tab shows the same form with the same key. It authorises nothing.
const orderCookie = "chargeonce_order"

// testCards is what the checkout offers: a few of the provider's test tokens,
// by what they teach.
var testCards = []components.Card{
	{Value: "pm_card_visa", Label: "Visa, pays"},
	{Value: "pm_card_chargeDeclined", Label: "Visa, declined"},
	{Value: "pm_card_chargeDeclinedInsufficientFunds", Label: "Visa, no funds"},
	{Value: "tok_chargeonceSilent", Label: "Provider captures, stays silent"},
	{Value: "tok_chargeonceFails", Label: "Provider fails once"},
}

// current is the order that this browser shows: the one in the journal if it
// was placed, else the draft of its cookie, else a fresh one.
func (s *Stage) current(w http.ResponseWriter, r *http.Request) (shop.Order, error) {
	if cookie, err := r.Cookie(orderCookie); err == nil {
		if draft, ok := readDraft(cookie.Value); ok {
			placed, found, err := s.manual.system(control.Safe).shop().Order(r.Context(), draft.ID)
			if err != nil {
				return shop.Order{}, err
			}
			if found {
				return placed, nil
			}
			return draft, nil
		}
	}
	return s.mint(w), nil
}

// mint makes a new order with a new key and remembers it in the browser.
func (s *Stage) mint(w http.ResponseWriter) shop.Order {
	draft := shop.Draft(cartAmount, cartCurrency, cartCard)
	http.SetCookie(w, &http.Cookie{
		Name: orderCookie, Value: draft.ID + "." + draft.Key, Path: "/",
		HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	return draft
}

func readDraft(value string) (shop.Order, bool) {
	id, key, _ := strings.Cut(value, ".")
	draft := shop.Order{ID: id, Key: key, Amount: cartAmount, Currency: cartCurrency, Card: cartCard}
	return draft, draft.Validate() == nil
}

// postPay places the order that the form describes and sends it. It answers
// with a redirect as soon as the order is journalled: a reload then fetches
// the page and pays nothing.
func (s *Stage) postPay(w http.ResponseWriter, r *http.Request) {
	order, ok := s.formOrder(w, r)
	if !ok {
		return
	}
	disarm := func() {}
	switch how := r.PostForm.Get("how"); how {
	case "lose":
		var err error
		if disarm, err = s.loseNextAnswer(order); err != nil {
			s.failPage(w, r, http.StatusServiceUnavailable, "The fault could not be armed", err.Error())
			return
		}
	case "normal", "": // Enter in the form submits without a button
	default:
		s.failPage(w, r, http.StatusBadRequest, "That button does not exist", "how must be lose or normal.")
		return
	}
	err := s.payBoth(r.Context(), order)
	if err != nil { // nothing was sent, so nothing will take the fault
		disarm()
	}
	switch {
	case errors.Is(err, shop.ErrDiffers):
		s.explainDiffers(w, r, err)
	case errors.Is(err, shop.ErrTooManyRuns):
		s.failPage(w, r, http.StatusTooManyRequests, "Too many clicks for one order",
			fmt.Sprintf("At most %d requests of one order run at a time. None of them can charge twice.", shop.MaxRuns))
	case errors.Is(err, shop.ErrClosed):
		s.failPage(w, r, http.StatusServiceUnavailable, "The shop was closed meanwhile",
			"It is opened anew after a reset or a change of mistake. Go back and press the button again: the key stays the same.")
	case err != nil:
		s.fail(w, err)
	default:
		http.Redirect(w, r, s.backTo(r), http.StatusSeeOther)
	}
}

func (s *Stage) formOrder(w http.ResponseWriter, r *http.Request) (shop.Order, bool) {
	r.Body = http.MaxBytesReader(w, r.Body, maxCommand)
	if err := r.ParseForm(); err != nil {
		s.failPage(w, r, http.StatusBadRequest, "The form could not be read", "Go back and press the button again.")
		return shop.Order{}, false
	}
	amount, ok := parseAmount(r.PostForm.Get("amount"))
	card := r.PostForm.Get("card")
	if !ok || !offered(card) {
		s.failPage(w, r, http.StatusBadRequest, "That is not on offer", "Choose a test card from the list; nobody can type a card number here.")
		return shop.Order{}, false
	}
	order := shop.Order{
		ID: r.PostForm.Get("order"), Key: r.PostForm.Get("key"),
		Amount: amount, Currency: cartCurrency, Card: card,
	}
	if err := order.Validate(); err != nil {
		s.failPage(w, r, http.StatusBadRequest, "That is not an order", err.Error())
		return shop.Order{}, false
	}
	return order, true
}

func offered(token string) bool {
	for _, card := range testCards {
		if card.Value == token {
			return true
		}
	}
	return false
}

// payBoth gives the same click to both sides. The safe shop's word counts: a
// naive shop that takes no more clicks is only logged.
func (s *Stage) payBoth(ctx context.Context, order shop.Order) error {
	for _, system := range s.manual.systems() {
		if _, err := system.shop().Pay(ctx, order); err != nil {
			if system.options.Side == control.Safe {
				return err
			}
			s.logf("naive shop: %v", err)
		}
	}
	return nil
}

// loseNextAnswer arms the fault of the first button on both sides: the next
// answer to a request of this order is lost after the work is done. disarm
// takes back what no request has met.
func (s *Stage) loseNextAnswer(order shop.Order) (disarm func(), err error) {
	var undo []func()
	disarm = func() {
		for _, fn := range undo {
			fn()
		}
	}
	for _, system := range s.manual.systems() {
		id, err := system.api.Arm(network.Fault{
			Owner: system.shop().Owner(), Key: system.aim(order),
			Kind: network.LoseResponse, How: network.Silent, Attempts: 1,
		})
		if err != nil {
			disarm()
			return nil, err
		}
		undo = append(undo, func() { system.api.Disarm(id) })
	}
	return disarm, nil
}

// told is what both shops tell the customer about an order: one sentence if
// they agree.
func (s *Stage) told(ctx context.Context, id string, now time.Time) (string, error) {
	var texts []string
	for _, system := range s.manual.systems() {
		order, found, err := system.shop().Order(ctx, id)
		if err != nil {
			return "", err
		}
		if !found {
			continue
		}
		late := now.Sub(order.Created) > shopPolicy(lesson.ShopPolicy{}).AttemptTimeout
		texts = append(texts, customerText(order, late))
	}
	if len(texts) == 2 && texts[0] != texts[1] {
		return "NAIVE: " + texts[0] + " SAFE: " + texts[1], nil
	}
	return strings.Join(slices.Compact(texts), " "), nil
}

// explainDiffers says why a changed form is not sent: the first intent has the
// key, and its outcome must be known before another one begins.
func (s *Stage) explainDiffers(w http.ResponseWriter, r *http.Request, err error) {
	var differs *shop.DiffersError
	if !errors.As(err, &differs) {
		s.fail(w, err)
		return
	}
	placed := components.Money(differs.Placed.Amount, differs.Placed.Currency)
	wanted := components.Money(differs.Wanted.Amount, differs.Wanted.Currency)
	detail := fmt.Sprintf("Its outcome is known: %s Press New order for a new intent with a key of its own.", customerText(differs.Placed, false))
	if !differs.Placed.Settled() {
		detail = fmt.Sprintf("Checking the %s payment before charging %s.", placed, wanted)
		if differs.Placed.Amount == differs.Wanted.Amount {
			detail = fmt.Sprintf("Checking the %s payment with the first card before another card is charged.", placed)
		}
	}
	s.failPage(w, r, http.StatusConflict, "This order was placed with other contents", detail)
}

// postNew starts a new order: a new intent, so a new key.
func (s *Stage) postNew(w http.ResponseWriter, r *http.Request) {
	s.mint(w)
	http.Redirect(w, r, s.backTo(r), http.StatusSeeOther)
}

// postKillForm is the kill button without JavaScript.
func (s *Stage) postKillForm(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxCommand)
	system, ok := s.sideOf(w, r.PostFormValue("side"))
	if !ok {
		return
	}
	if err := system.kill(r.Context()); err != nil {
		s.refuseDown(w, err)
		return
	}
	http.Redirect(w, r, s.backTo(r), http.StatusSeeOther)
}

// postMistakeForm is the choice of the mistake without JavaScript.
func (s *Stage) postMistakeForm(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxCommand)
	mistake, ok := mistakeByID(s.options.Mistakes, r.PostFormValue("id"))
	if !ok {
		s.failPage(w, r, http.StatusBadRequest, "There is no such mistake", "Choose one of the list.")
		return
	}
	if err := s.choose(r.Context(), mistake); err != nil {
		s.fail(w, err)
		return
	}
	http.Redirect(w, r, s.backTo(r), http.StatusSeeOther)
}

// backTo is the page of ours on which a form was: the first screen or the
// projector's.
func (s *Stage) backTo(r *http.Request) string {
	from, err := url.Parse(r.Referer())
	if err == nil && (from.Path == "/stage" || from.Path == "/panel") {
		return from.Path
	}
	return "/"
}
