package codehost

import (
	"container/list"
	"net/http"
	"sync"
)

// answers caches responses to GET requests with their ETags, so that requests can be
// conditional. A conditional request does not count against the rate limit if the response is
// unchanged. The least recently used responses are evicted first.
type answers struct {
	mu    sync.Mutex
	byKey map[string]*list.Element // elements of order by key; guarded by mu
	order list.List                // the values are of type *kept, the most recently used first; guarded by mu
	bytes int                      // total size of all bodies; guarded by mu
}

// kept is a cached response to a GET request. It is immutable.
type kept struct {
	key, etag string
	header    http.Header
	body      []byte
}

func (a *answers) get(key string) *kept {
	a.mu.Lock()
	defer a.mu.Unlock()
	e, ok := a.byKey[key]
	if !ok {
		return nil
	}
	a.order.MoveToFront(e)
	return e.Value.(*kept)
}

func (a *answers) put(k *kept) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.byKey == nil {
		a.byKey = map[string]*list.Element{}
	}
	if e, ok := a.byKey[k.key]; ok {
		a.drop(e)
	}
	if k.etag == "" || len(k.body) > maxKept {
		return
	}
	a.byKey[k.key] = a.order.PushFront(k)
	a.bytes += k.size()
	for a.bytes > maxKeptAll {
		a.drop(a.order.Back())
	}
}

// drop removes a response from the cache. The caller must hold a.mu.
func (a *answers) drop(e *list.Element) {
	k := a.order.Remove(e).(*kept)
	delete(a.byKey, k.key)
	a.bytes -= k.size()
}

// size returns the approximate memory that a cached response takes, in bytes.
func (k *kept) size() int { return len(k.body) + 2<<10 }
