package web

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"

	"svc/internal/fault"
)

// Limits of the responses that are stored for requests with an Idempotency-Key.
const (
	answersKept     = 10 * time.Minute
	maxAnswersBytes = 16 << 20 // total size of all stored responses
	maxAnswerBytes  = 1 << 20  // larger responses are not stored
	perAnswer       = 512      // approximate size of a response without its body
	maxKeyLength    = 255      // length of an Idempotency-Key in bytes
)

// Repeats executes a change only once if the same request arrives several times with the same
// Idempotency-Key. Browsers and proxies resend requests that got no response, although the server may
// have executed them. The state of Repeats is lost when the process ends.
type Repeats struct {
	mu      sync.Mutex // guards the fields below
	answers map[repeatKey]*keptAnswer
	ended   []repeatKey // keys of the stored responses, oldest first
	bytes   int         // total size of the stored responses
}

// repeatKey is a hash of a request's credential, method, path, query and Idempotency-Key.
type repeatKey [sha256.Size]byte

// keptAnswer is a stored response. It is written before done is closed, and only read afterwards.
type keptAnswer struct {
	done   chan struct{}
	at     time.Time
	status int      // 0 = not stored: the change was refused, or the response is large or not JSON
	tag    []string // value of the header ETag
	body   []byte
}

func (k *keptAnswer) size() int { return perAnswer + len(k.body) }

// Repeatable reports whether the request must be executed only once: it has an Idempotency-Key, its
// method is not GET or HEAD, and its route requires a credential.
func (r *Request) Repeatable() bool {
	return r.Header["Idempotency-Key"] != nil && !r.Route.Access.Open() && r.Method != http.MethodGet && r.Method != http.MethodHead
}

// Answer executes the request, or repeats the response to an earlier copy of the request. If an
// earlier copy is still being executed, Answer waits for it. If the earlier copy was refused,
// Answer executes the request again.
func (p *Repeats) Answer(w http.ResponseWriter, r *Request) error {
	key, err := keyOf(r)
	if err != nil {
		return err
	}
	for {
		kept, first := p.enter(key, r.Received)
		if first {
			return p.keep(key, kept, w, r)
		}
		select {
		case <-kept.done:
		case <-r.Context().Done():
			return r.Context().Err()
		}
		if kept.status != 0 {
			if kept.tag != nil {
				w.Header()["Etag"] = kept.tag
			}
			WriteJSON(w, kept.status, kept.body)
			return nil
		}
	}
}

func keyOf(r *Request) (repeatKey, error) {
	text := strings.Join(r.Header["Idempotency-Key"], ",")
	if text == "" || len(text) > maxKeyLength {
		return repeatKey{}, fault.New(fault.Invalid, "Idempotency-Key must have 1 to %d characters", maxKeyLength)
	}
	parts := []string{
		r.Method, r.URL.RequestURI(), strings.Join(r.Header["Authorization"], ","), strings.Join(r.Header["X-Api-Key"], ","), text,
	}
	return sha256.Sum256([]byte(strings.Join(parts, "\x00"))), nil
}

// enter returns the entry of a request. If first is true, the entry is new, and the caller must
// complete it by calling keep.
func (p *Repeats) enter(key repeatKey, now time.Time) (kept *keptAnswer, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.ended) > 0 && (p.bytes > maxAnswersBytes || now.Sub(p.answers[p.ended[0]].at) > answersKept) {
		p.bytes -= p.answers[p.ended[0]].size()
		delete(p.answers, p.ended[0])
		p.ended = p.ended[1:]
	}
	if kept = p.answers[key]; kept != nil {
		return kept, false
	}
	if p.answers == nil {
		p.answers = map[repeatKey]*keptAnswer{}
	}
	kept = &keptAnswer{done: make(chan struct{}), at: now}
	p.answers[key] = kept
	return kept, true
}

// keep executes the request and stores the response.
func (p *Repeats) keep(key repeatKey, kept *keptAnswer, w http.ResponseWriter, r *Request) (err error) {
	copied := &copyingWriter{ResponseWriter: w}
	answered := false
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		isJSON := w.Header().Get("Content-Type") == ContentTypeJSON[0]
		if answered && isJSON && !copied.tooLarge && copied.status >= 200 && copied.status <= 299 {
			kept.status, kept.body, kept.tag = copied.status, copied.body, w.Header()["Etag"]
			p.ended, p.bytes = append(p.ended, key), p.bytes+kept.size()
		} else {
			delete(p.answers, key)
		}
		close(kept.done)
	}()
	err = r.Route.Handler(copied, r)
	answered = err == nil
	return err
}

// copyingWriter passes a response on and stores a copy of it.
type copyingWriter struct {
	http.ResponseWriter
	status   int
	body     []byte
	tooLarge bool
}

// WriteHeader stores the status and passes it on.
func (w *copyingWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write passes the bytes on and stores a copy of them. If the body exceeds maxAnswerBytes, it drops
// the copy.
func (w *copyingWriter) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.tooLarge = w.tooLarge || len(w.body)+len(b) > maxAnswerBytes; w.tooLarge {
		w.body = nil
	} else {
		w.body = append(w.body, b...)
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *copyingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
