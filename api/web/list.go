package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// pieceBytes is the size in bytes at which a piece of an encoded list is sent. Smaller lists are
// sent as a single body.
const pieceBytes = 64 << 10

// MaxUnheld is the maximum size in bytes of the records of a page that can be read and encoded
// without reserving memory in Answers, which limits the memory of large responses.
const MaxUnheld = pieceBytes

// List is a page of a list. It is encoded record by record. If it exceeds MaxUnheld, it is sent in
// pieces, so that memory never contains the whole response.
type List struct {
	Total    int   // number of all matches
	Estimate bool  // Total is an upper bound
	Sizes    []int // approximate size in bytes of each record of the page
	// Encode returns the JSON of record i of the page. It returns an empty slice if the record has
	// been deleted since the list was made.
	Encode func(i int) ([]byte, error)
}

// NewList returns a page of records that are already in memory. Their total size must not exceed
// MaxUnheld, unless they belong to a shared snapshot.
func NewList[R, V any](total int, page []R, view func(R) V) List {
	return List{Total: total, Sizes: make([]int, len(page)), Encode: func(i int) ([]byte, error) { return Encode(view(page[i])) }}
}

// Listed returns a handler that responds with the page that the function answer returns. If the
// handler returns an error after the response has begun, the caller of the handler must abort the
// response.
func Listed(answer func(*Request) (List, error)) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		list, err := answer(r)
		if err != nil {
			return err
		}
		if list.isLarge() {
			if err := list.hold(r); err != nil {
				return err
			}
			encode := list.Encode
			list.Encode = func(i int) ([]byte, error) {
				return r.Route.Answers.inTurn(func() ([]byte, error) { return encode(i) })
			}
		}
		return list.encode(r.Context(), NewPieces(w))
	}
}

// isLarge reports whether encoding the list requires memory reserved in Answers.
func (l List) isLarge() bool {
	all := 0
	for _, size := range l.Sizes {
		all += size
	}
	return all > MaxUnheld
}

// hold reserves the memory that encode needs, which is the size of the largest record and one
// piece.
func (l List) hold(r *Request) error { return r.Hold(slices.Max(l.Sizes) + pieceBytes) }

// encode writes the list as JSON. It stops early and returns an error if the client has
// disconnected.
func (l List) encode(ctx context.Context, to *Pieces) error {
	b := strconv.AppendInt(append(to.piece, `{"total":`...), int64(l.Total), 10)
	if l.Estimate {
		b = append(b, `,"total_is_estimate":true`...)
	}
	to.piece = append(b, `,"data":[`...)
	first := true
	for i := range l.Sizes {
		if ctx.Err() != nil {
			return errGone
		}
		record, err := l.Encode(i)
		if err != nil {
			return err
		}
		if len(record) == 0 {
			continue
		}
		if !first {
			to.piece = append(to.piece, ',')
		}
		first = false
		if err := to.Add(record); err != nil {
			return err
		}
	}
	return to.End([]byte(`]}`))
}

// Pieces sends a long JSON body in pieces. Its methods return an error if the client stops reading,
// or reads more slowly than MinBytesPerSecond after the first 30 seconds. The rate is measured over
// the time that the client takes to read, without the time for encoding.
type Pieces struct {
	w     http.ResponseWriter
	piece []byte
	begun bool          // a piece has been sent
	sent  int           // bytes
	took  time.Duration // time that the client took to read the sent bytes
}

// NewPieces returns an empty body for the response w.
func NewPieces(w http.ResponseWriter) *Pieces { return &Pieces{w: w} }

// Add adds a part to the body, and sends the current piece if it has reached pieceBytes.
func (l *Pieces) Add(part []byte) error {
	l.piece = append(l.piece, part...)
	if len(l.piece) < pieceBytes {
		return nil
	}
	return l.flush()
}

// flush sends the current piece. An error means that the client has disconnected or is too slow.
func (l *Pieces) flush() error {
	if !l.begun {
		l.begun = true
		l.w.Header()["Content-Type"] = ContentTypeJSON
		l.w.WriteHeader(http.StatusOK)
	}
	begin := time.Now()
	whole, piece := readingTime(l.sent+len(l.piece))-l.took, readingTime(len(l.piece))
	// A writer without deadlines, as for a request within the process, has no slow client.
	_ = http.NewResponseController(l.w).SetWriteDeadline(begin.Add(min(whole, piece)))
	n, err := l.w.Write(l.piece)
	l.sent, l.took = l.sent+n, l.took+time.Since(begin)
	l.piece = l.piece[:0]
	if err != nil {
		return errGone
	}
	return nil
}

// End adds the last part and sends the last piece. If no piece has been sent before, the response
// has a Content-Length header.
func (l *Pieces) End(part []byte) error {
	l.piece = append(l.piece, part...)
	if l.begun {
		return l.flush()
	}
	WriteJSON(l.w, http.StatusOK, l.piece)
	return nil
}
