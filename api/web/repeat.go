package web

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"sync"
	"time"

	"svc/internal/fault"
)

// Limits of the answers kept for requests with an Idempotency-Key.
const (
	answersKept     = 10 * time.Minute
	maxAnswersBytes = 16 << 20 // all of them
	maxAnswerBytes  = 1 << 20  // a larger one is not remembered
	perAnswer       = 512      // what one takes beside its body, about
	maxKeyLength    = 255
)

// Repeats makes a change once if its request arrives several times with the same Idempotency-Key.
// Browsers and proxies resend requests that got no answer, although the server may have executed
// them. Its state is lost when the process ends.
type Repeats struct {
	mu      sync.Mutex // guards the fields below
	answers map[repeatKey]*keptAnswer
	ended   []repeatKey // those with an answer, oldest first
	bytes   int         // that they take
}

// repeatKey is a hash of caller, method, path and key.
type repeatKey [sha256.Size]byte

// keptAnswer is written until done is closed, and only read afterwards.
type keptAnswer struct {
	done   chan struct{}
	at     time.Time
	status int      // 0 = there is none: the change was refused, or its answer is large or no JSON
	tag    []string // header ETag
	body   []byte
}

func (k *keptAnswer) size() int { return perAnswer + len(k.body) }

// Repeatable reports whether the request is a change with an Idempotency-Key by a known caller,
// so that it must be made only once.
func (r *Request) Repeatable() bool {
	return r.Header["Idempotency-Key"] != nil && !r.Route.Access.Open() && r.Method != http.MethodGet && r.Method != http.MethodHead
}

// Answer executes the request, or repeats the answer to an earlier copy of it. It waits for a
// copy that is still being executed. A refused request is executed again.
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
// complete it.
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

// keep executes the request and stores the answer.
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

// copyingWriter passes an answer on and keeps a copy of it.
type copyingWriter struct {
	http.ResponseWriter
	status   int
	body     []byte
	tooLarge bool
}

// WriteHeader passes the status on and keeps it.
func (w *copyingWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Write passes the bytes on and keeps them.
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
