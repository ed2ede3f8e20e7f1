package network

import (
	"net/http"
	"reflect"
	"testing"
)

func TestOnlyEndToEndHeadersCross(t *testing.T) {
	sent := http.Header{
		"Connection": {"close, X-Hop", "x-other"}, "X-Hop": {"1"}, "X-Other": {"1"},
		"Keep-Alive": {"1"}, "Te": {"trailers"}, "Trailer": {"X"}, "Transfer-Encoding": {"chunked"},
		"Upgrade": {"websocket"}, "Proxy-Authorization": {"x"}, "Proxy-Connection": {"x"}, "Proxy-Authenticate": {"x"},
		"Idempotency-Key": {"k"}, "Authorization": {"Bearer x"}, "X-Kept": {"a", "b"},
	}
	want := http.Header{"Idempotency-Key": {"k"}, "Authorization": {"Bearer x"}, "X-Kept": {"a", "b"}}
	if got := endToEnd(sent); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if sent.Get("X-Hop") != "1" {
		t.Error("the original was changed")
	}
}
