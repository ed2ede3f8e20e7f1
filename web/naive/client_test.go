package naive

import (
	"errors"
	"testing"

	"chargeonce/retrypolicy"
	"chargeonce/web/shop"
)

func TestAKeyInMemoryIsAnotherOneAfterTheRestartAndOnlyThen(t *testing.T) {
	o := keyInMemory().Shop(shop.Options{})
	order := shop.Draft(5000, "eur", "tok_visa")
	again := o.Resumed(order)
	if again.Key == order.Key {
		t.Error("the key has outlived the process")
	}
	again.Key = order.Key
	if again != order {
		t.Errorf("%+v became %+v: more than the key is forgotten", order, again)
	}
	if o.Exhausted != nil || o.Under != nil {
		t.Error("the mistake is made where no restart is")
	}
}

func TestAShopThatGivesUpCallsAnUnknownOutcomeAFailureAndStartsAnew(t *testing.T) {
	var told []shop.Order
	o := givesUp().Shop(shop.Options{Hooks: shop.Hooks{Answered: func(o shop.Order) { told = append(told, o) }}})
	order := shop.Draft(5000, "eur", "tok_visa")
	order.State = shop.Open
	o.Hooks.Unconfirmed(order, errors.New("three silences"))
	if len(told) != 1 || told[0].State != shop.Refused || told[0].ID != order.ID {
		t.Errorf("the customer is told of %+v", told)
	}
	if again := o.Exhausted(order); again.Key == order.Key || again.ID != order.ID {
		t.Errorf("%+v is tried again as %+v", order, again)
	}
	if o.Resumed != nil {
		t.Error("a restart is not this mistake")
	}
	silent := givesUp().Shop(shop.Options{})
	silent.Hooks.Unconfirmed(order, nil) // nobody looks: nothing happens
}

func TestAShopWithoutABreakerHasNone(t *testing.T) {
	if o := noBreaker().Shop(shop.Options{Owner: "a", Breaker: &retrypolicy.Breaker{}}); o.Breaker != nil || o.Owner != "a" {
		t.Errorf("%+v", o)
	}
}
