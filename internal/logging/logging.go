// Package logging makes the log of a server: one line for each request must
// not cost a call to the operating system each.
package logging

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// delay is how long a line may wait for others.
	delay = 50 * time.Millisecond
	// most is the size from which lines do not wait.
	most = 64 << 10
)

// New makes a log that writes lines to out, from a level on, as JSON or as
// text. Lines wait for others up to 50 ms; warnings and errors do not, and take
// along what waits. flush writes what waits; call it before the program ends.
func New(out io.Writer, json bool, level slog.Leveler) (log *slog.Logger, flush func()) {
	w := &writer{out: out}
	options := &slog.HandlerOptions{Level: level}
	var inner slog.Handler = slog.NewTextHandler(w, options)
	if json {
		inner = slog.NewJSONHandler(w, options)
	}
	return slog.New(handler{inner, w, json}), w.flush
}

// handler hurries what somebody must see.
type handler struct {
	slog.Handler
	writer *writer
	bare   bool // writes JSON, and nothing but what it is given
}

// Handle writes a record, at once if it is a warning or worse.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		h.writer.flush()
	}
	return err
}

// WithAttrs keeps hurrying for a log with attributes.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs), h.writer, false}
}

// WithGroup keeps hurrying for a log with a group.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.writer, false}
}

// writer collects lines. It owns no goroutine: the first line that waits sets a
// timer.
type writer struct {
	out io.Writer

	mu      sync.Mutex
	lines   []byte // guarded by mu, like what follows
	waiting bool   // a timer is set
}

// Write takes a whole line. It never fails: a log that cannot be written has
// nobody to tell.
func (w *writer) Write(line []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, line...)
	switch {
	case len(w.lines) >= most:
		w.write()
	case !w.waiting:
		w.waiting = true
		time.AfterFunc(delay, w.flush)
	}
	return len(line), nil
}

func (w *writer) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting = false
	w.write()
}

func (w *writer) write() {
	if len(w.lines) > 0 {
		_, _ = w.out.Write(w.lines)
		w.lines = w.lines[:0]
	}
}
