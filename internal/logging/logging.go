// Package logging creates the log of a server. It buffers lines for a short time, so that
// not every request needs a system call.
package logging

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// delay is the maximum time for which a line is buffered.
	delay = 50 * time.Millisecond
	// most is the number of bytes at which the buffer is written immediately.
	most = 64 << 10
)

// New returns a log that writes lines of the given level or higher to out, as JSON or as
// text. Lines are buffered for up to 50 ms. Warnings and errors are written immediately,
// together with the lines in the buffer. flush writes the lines in the buffer; the caller
// must call it before the program ends.
func New(out io.Writer, json bool, level slog.Leveler) (log *slog.Logger, flush func()) {
	w := &writer{out: out}
	options := &slog.HandlerOptions{Level: level}
	var inner slog.Handler = slog.NewTextHandler(w, options)
	if json {
		inner = slog.NewJSONHandler(w, options)
	}
	return slog.New(handler{inner, w, json}), w.flush
}

// handler is a slog.Handler that writes the buffer after a warning or an error.
type handler struct {
	slog.Handler
	writer *writer
	bare   bool // whether it writes JSON and adds no attributes or groups
}

// Handle writes a record. After a warning or an error, it also writes the buffer.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		h.writer.flush()
	}
	return err
}

// WithAttrs returns a handler that adds attributes to all records.
func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs), h.writer, false}
}

// WithGroup returns a handler that adds a group to all records.
func (h handler) WithGroup(name string) slog.Handler {
	return handler{h.Handler.WithGroup(name), h.writer, false}
}

// writer buffers lines. It has no goroutine: the first line in the buffer starts a timer.
type writer struct {
	out io.Writer

	mu      sync.Mutex
	lines   []byte // guarded by mu, like the field below
	waiting bool   // whether a timer is running
}

// Write adds a complete line to the buffer. It returns no error, because an error of the
// log cannot be reported anywhere.
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
