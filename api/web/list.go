package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// pieceBytes is the size at which the encoded part of a list is sent. Smaller lists are sent as
// one body.
const pieceBytes = 64 << 10

// MaxUnheld is the size in bytes up to which the records of a page are read and encoded
// without a share of the budget of answers.
const MaxUnheld = pieceBytes

// List is a page of a list. It is encoded record by record, and the answer is never
// whole in memory if it exceeds MaxUnheld.
type List struct {
	Total    int   // of all matches
	Estimate bool  // Total is an upper bound
	Sizes    []int // bytes that each record of the page takes, about
	// Encode returns the JSON of a record of the page, or nothing if the record has
	// been deleted since the list was made.
	Encode func(i int) ([]byte, error)
}

// NewList returns a page of records that are in memory already. Together they must not take more
// than MaxUnheld, unless they belong to a shared snapshot.
func NewList[R, V any](total int, page []R, view func(R) V) List {
	return List{Total: total, Sizes: make([]int, len(page)), Encode: func(i int) ([]byte, error) { return Encode(view(page[i])) }}
}

// Listed returns a handler that answers with a page of a list. If its error comes after the
// answer has begun, the caller must abort the answer.
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
		return list.encode(r.Context(), &listWriter{w: w})
	}
}

// isLarge reports whether the list needs a share of the budget of answers.
func (l List) isLarge() bool {
	all := 0
	for _, size := range l.Sizes {
		all += size
	}
	return all > MaxUnheld
}

// hold reserves the memory that encode takes at a time.
func (l List) hold(r *Request) error { return r.Hold(slices.Max(l.Sizes) + pieceBytes) }

// encode writes the list as JSON. It ends early, with an error, if the client has gone.
func (l List) encode(ctx context.Context, to *listWriter) error {
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
		to.piece = append(to.piece, record...)
		if len(to.piece) >= pieceBytes {
			if err := to.flush(); err != nil {
				return err
			}
		}
	}
	to.piece = append(to.piece, `]}`...)
	return to.end()
}

// listWriter sends a list in pieces. It gives up a client that reads more slowly than
// MinBytesPerSecond, or not at all. Only the time that the client takes to read counts, and 30
// seconds are free.
type listWriter struct {
	w     http.ResponseWriter
	piece []byte
	begun bool          // a piece has been sent
	sent  int           // bytes
	took  time.Duration // that the client took for them
}

// flush sends a piece. An error means that the client has gone or is too slow.
func (l *listWriter) flush() error {
	if !l.begun {
		l.begun = true
		l.w.Header()["Content-Type"] = ContentTypeJSON
		l.w.WriteHeader(http.StatusOK)
	}
	begin := time.Now()
	whole, piece := readingTime(l.sent+len(l.piece))-l.took, readingTime(len(l.piece))
	// A writer without deadlines, as in process, has no slow client.
	_ = http.NewResponseController(l.w).SetWriteDeadline(begin.Add(min(whole, piece)))
	n, err := l.w.Write(l.piece)
	l.sent, l.took = l.sent+n, l.took+time.Since(begin)
	l.piece = l.piece[:0]
	if err != nil {
		return errGone
	}
	return nil
}

// end sends the remainder, with its length if that is everything.
func (l *listWriter) end() error {
	if l.begun {
		return l.flush()
	}
	WriteJSON(l.w, http.StatusOK, l.piece)
	return nil
}
