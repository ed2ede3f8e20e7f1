package idem

import "sync"

// DefaultMaxWaiters bounds the requests that wait for one key. A double click
// makes one; a hundred is a client in a loop, and a busy answer serves it
// better than a held connection.
const DefaultMaxWaiters = 100

// Waiters lets busy requests wait for the attempt at work instead of being
// sent away at once. A waiter that is woken learns only that something
// changed: it must ask [Begin] again and never copies what the other attempt
// found. The zero value is ready; it is safe for concurrent use.
type Waiters struct {
	Max int // waiters a key; 0: [DefaultMaxWaiters]

	mu   sync.Mutex // guards keys
	keys map[Key]*waiting
}

// waiting are the requests that wait for one key. The channel is closed to
// wake them all.
type waiting struct {
	woken chan struct{}
	count int
}

// Join enters the queue of a key. woken is closed by the next [Waiters.Wake];
// leave must be called when the waiting is over, woken or not. A caller joins first and asks [Begin]
// afterwards: a wake that falls between the two is then not lost. It returns
// [ErrTooManyWaiters] if the queue is full.
func (w *Waiters) Join(key Key) (woken <-chan struct{}, leave func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keys == nil {
		w.keys = make(map[Key]*waiting)
	}
	queue := w.keys[key]
	if queue == nil {
		queue = &waiting{woken: make(chan struct{})}
		w.keys[key] = queue
	}
	if queue.count >= w.limit() {
		return nil, nil, ErrTooManyWaiters
	}
	queue.count++
	return queue.woken, sync.OnceFunc(func() { w.leave(key, queue) }), nil
}

// Wake lets every waiter of the key look again. It is called after the commit
// that finished or released the record.
func (w *Waiters) Wake(key Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if queue := w.keys[key]; queue != nil {
		close(queue.woken)
		delete(w.keys, key)
	}
}

// leave forgets an empty queue, so that keys nobody waits for cost nothing.
func (w *Waiters) leave(key Key, queue *waiting) {
	w.mu.Lock()
	defer w.mu.Unlock()
	queue.count--
	if queue.count == 0 && w.keys[key] == queue {
		delete(w.keys, key)
	}
}

func (w *Waiters) limit() int {
	if w.Max > 0 {
		return w.Max
	}
	return DefaultMaxWaiters
}
