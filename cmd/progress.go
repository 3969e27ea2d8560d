package cmd

import (
	"io"
	"time"
)

// progress passes bytes on and calls say at most once a second with their number so far.
type progress struct {
	to    io.Writer
	bytes int64
	told  time.Time
	say   func(bytes int64)
}

// Write passes b on and counts it.
func (w *progress) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.bytes += int64(n)
	if now := time.Now(); now.Sub(w.told) >= time.Second {
		w.told = now
		w.say(w.bytes)
	}
	return n, err
}

// progressLine returns a function that prints how many bytes were processed if the standard error
// is a terminal.
func (p *program) progressLine(what string) func(bytes int64) {
	if !isTerminal(p.stderr) {
		return func(int64) {}
	}
	return func(bytes int64) { say(p.stderr, "%s %s", mebibytes(bytes), what) }
}
