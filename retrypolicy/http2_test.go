package retrypolicy_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"chargeonce/retrypolicy"
)

func TestOverHTTP2EveryAttemptSendsTheSameBytesAndKey(t *testing.T) {
	for _, body := range []string{"", "body"} {
		server, _, count := serve(t, func(n int, w http.ResponseWriter, r *http.Request) {
			got, err := io.ReadAll(r.Body)
			if err != nil || string(got) != body || r.Header.Get("Idempotency-Key") != theKey || r.ProtoMajor != 2 {
				t.Errorf("%s, attempt %d: body %q, key %q (%v)", r.Proto, n, got, r.Header.Get("Idempotency-Key"), err)
			}
			if n < 3 {
				w.WriteHeader(503)
				return
			}
			w.WriteHeader(201)
		})
		server.EnableHTTP2 = true
		server.StartTLS()
		client := retrypolicy.Client{Transport: server.Client().Transport, Policy: onLoopback()}
		resp, err := client.Do(request(t, http.MethodPost, server.URL, theKey, body))
		wantStatus(t, resp, err, 201, 3)
		if count.Load() != 3 {
			t.Errorf("%d requests on the wire", count.Load())
		}
	}
}

// refuser speaks just enough HTTP/2 (RFC 9113) to refuse the first stream,
// which says that it was surely not processed, and to answer the others.
type refuser struct{ streams atomic.Int64 }

// The frame types, flags and the code that it needs: RFC 9113, sections 6, 7.
const (
	frameHeaders, frameReset, frameSettings = 1, 3, 4
	flagAck, flagEndStream, flagEndHeaders  = 1, 1, 4
	codeRefused                             = 7
	preface                                 = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	hpackStatus200                          = "\x88" // RFC 7541, appendix A, entry 8
)

func (s *refuser) listen(t *testing.T) (url string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); _ = listener.Close(); group.Wait() })
	group.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
				// It ends with the connection, from either end.
				_ = s.talk(bufio.NewReader(conn), conn)
				stop()
				_ = conn.Close()
			})
		}
	})
	return "http://" + listener.Addr().String()
}

func (s *refuser) talk(r io.Reader, w io.Writer) error {
	if _, err := io.CopyN(io.Discard, r, int64(len(preface))); err != nil {
		return err
	}
	if err := writeFrame(w, frameSettings, 0, 0, ""); err != nil {
		return err
	}
	for {
		kind, flags, stream, err := readFrame(r)
		switch {
		case err != nil:
			return err
		case kind == frameSettings && flags&flagAck == 0:
			err = writeFrame(w, frameSettings, flagAck, 0, "")
		case kind == frameHeaders && s.streams.Add(1) == 1:
			err = writeFrame(w, frameReset, 0, stream, string(binary.BigEndian.AppendUint32(nil, codeRefused)))
		case kind == frameHeaders:
			err = writeFrame(w, frameHeaders, flagEndStream|flagEndHeaders, stream, hpackStatus200)
		}
		if err != nil {
			return err
		}
	}
}

func readFrame(r io.Reader) (kind, flags byte, stream uint32, err error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, 0, 0, fmt.Errorf("read frame: %w", err)
	}
	length := int64(head[0])<<16 | int64(head[1])<<8 | int64(head[2])
	_, err = io.CopyN(io.Discard, r, length)
	return head[3], head[4], binary.BigEndian.Uint32(head[5:]) &^ (1 << 31), err
}

func writeFrame(w io.Writer, kind, flags byte, stream uint32, payload string) error {
	n := len(payload)
	head := []byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags}
	_, err := w.Write(append(binary.BigEndian.AppendUint32(head, stream), payload...))
	return err
}

func clearTextHTTP2(t *testing.T) *http.Transport {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

func TestNetHTTPAloneSendsARefusedStreamTwice(t *testing.T) {
	server := new(refuser)
	req := request(t, http.MethodPost, server.listen(t), theKey, "body")
	resp, err := clearTextHTTP2(t).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if err := resp.Body.Close(); err != nil {
		t.Fatal(err)
	}
	if got := server.streams.Load(); got != 2 {
		t.Errorf("%d streams; the trap is gone, and so may be the defence", got)
	}
}

// Case E14: a refused stream was final although it was surely not processed.
func TestARefusedStreamIsRepeatedAsAnAttemptThatCounts(t *testing.T) {
	for _, body := range []string{"", "body"} {
		server := new(refuser)
		client := retrypolicy.Client{Transport: clearTextHTTP2(t), Policy: onLoopback()}
		resp, err := client.Do(request(t, http.MethodPost, server.listen(t), theKey, body))
		wantStatus(t, resp, err, 200, 2)
		if got := server.streams.Load(); got != 2 {
			t.Errorf("%d streams for 2 attempts", got)
		}
	}
}

// net/http hides the type of a refusal that it may not repeat, and text is not
// judged: so without a key the careful reading stands.
func TestARefusedStreamWithoutAKeyIsNotRepeated(t *testing.T) {
	server := new(refuser)
	client := retrypolicy.Client{Transport: clearTextHTTP2(t), Policy: onLoopback()}
	_, err := client.Do(request(t, http.MethodPost, server.listen(t), "", "body"))
	wantStopped(t, err)
	if got := server.streams.Load(); got != 1 {
		t.Errorf("%d streams", got)
	}
}
