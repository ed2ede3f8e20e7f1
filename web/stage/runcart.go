package stage

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"chargeonce/web/lesson"
)

// fills reports whether a request is about the lesson's cart.
func fills(path string) bool { return strings.HasPrefix(path, "/v1/carts/"+lesson.Cart) }

// cart reads an owner's cart from the API process itself, as it stands in the
// store: neither wires nor mistakes of clients lie in between.
func (s *system) cart(ctx context.Context, owner string) (items map[string]int64, err error) {
	base := s.child.URL()
	if base == "" {
		return nil, errChildDown
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/v1/carts/"+lesson.Cart, nil)
	if err != nil {
		return nil, fmt.Errorf("read the cart: %w", err)
	}
	request.Header.Set("Authorization", "Bearer sk_test_"+owner)
	response, err := inspector.Do(request)
	if err != nil {
		return nil, fmt.Errorf("read the cart: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read the cart: status %d", response.StatusCode)
	}
	return cartItems(io.LimitReader(response.Body, inspectLimit))
}

// cartItems reads the quantities of a cart by SKU.
func cartItems(body io.Reader) (map[string]int64, error) {
	var cart struct {
		Items []struct {
			SKU      string `json:"sku"`
			Quantity int64  `json:"quantity"`
		} `json:"items"`
	}
	if err := json.NewDecoder(body).Decode(&cart); err != nil {
		return nil, fmt.Errorf("read the cart: %w", err)
	}
	items := make(map[string]int64, len(cart.Items))
	for _, item := range cart.Items {
		items[item.SKU] = item.Quantity
	}
	return items, nil
}
