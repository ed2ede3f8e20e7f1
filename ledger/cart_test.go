package ledger_test

import (
	"context"
	"strings"
	"testing"

	"chargeonce/idem"
	"chargeonce/ledger"
)

func TestCartNamesAreShortAndPlain(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "A-z_09": true, strings.Repeat("x", ledger.MaxCartName): true,
		"": false, "a/b": false, "a.b": false, "ä": false, "a\n": false, strings.Repeat("x", ledger.MaxCartName+1): false,
	} {
		if got := ledger.ValidCartName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestNoNameOfACartLeadsToACharge(t *testing.T) {
	if _, ok := ledger.CartOf("ch_1"); ok {
		t.Error("a charge is taken for a cart")
	}
	if id, ok := ledger.CartOf("cart:ch_1"); !ok || id != "ch_1" {
		t.Errorf("%q, %v", id, ok)
	}
}

// lostCart shows books in which a cart is not what was stored.
type lostCart struct {
	ledger.Reader
	quantity int64 // of socks; 0: the cart is not there
}

func (l lostCart) Cart(owner, id string) (ledger.Cart, bool, error) {
	c := ledger.Cart{ID: id, Owner: owner, Items: map[string]int64{"socks": l.quantity}}
	return c, l.quantity != 0, nil
}

func TestTheAuditSeesACartThatIsGoneOrOutOfBounds(t *testing.T) {
	ctx, store := context.Background(), ledger.OpenMemory()
	l, err := ledger.New(ledger.Options{Store: store, Provider: noProvider{}})
	if err != nil {
		t.Fatal(err)
	}
	result, err := l.Increment(ctx, ledger.IncrementRequest{
		Key: idem.Key{Owner: "shop", Value: "k"}, Fingerprint: idem.NewFingerprint("POST", "/", nil, nil),
		Cart: "basket", SKU: "socks", By: 1,
	})
	if err != nil || result.Record.Answer.Status != 200 || result.Cart != "basket" {
		t.Fatalf("%+v, %v", result, err)
	}
	for quantity, want := range map[int64]int{0: 1, 1: 0, ledger.MaxQuantity + 1: 1} {
		err := store.View(ctx, func(r ledger.Reader) error {
			breaches, err := ledger.Audit(ctx, lostCart{r, quantity})
			if len(breaches) != want {
				t.Errorf("%d: %v", quantity, breaches)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(ctx); err != nil {
		t.Error(err)
	}
}

// noProvider is never asked: it would panic.
type noProvider struct{ ledger.Provider }
