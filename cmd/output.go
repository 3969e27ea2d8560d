package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// say writes one line for the user to the standard error.
func say(w io.Writer, format string, args ...any) {
	_, _ = fmt.Fprintf(w, "svc: "+format+"\n", args...)
}

// addJSON adds the flag --json to a command.
func addJSON(c *cobra.Command, asJSON *bool) {
	c.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func mebibytes(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// quoted returns a path quoted for the shell, if it needs quotes.
func quoted(path string) string {
	if strings.ContainsAny(path, " '\"$&;()*?<>|`\\#~") && runtime.GOOS != "windows" {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

// progress is a writer that passes bytes on to another writer. At most once per second, it calls
// the function say with the number of bytes written so far.
type progress struct {
	to    io.Writer
	bytes int64
	told  time.Time
	say   func(bytes int64)
}

// Write writes b to the other writer and counts the bytes written.
func (w *progress) Write(b []byte) (int, error) {
	n, err := w.to.Write(b)
	w.bytes += int64(n)
	if now := time.Now(); now.Sub(w.told) >= time.Second {
		w.told = now
		w.say(w.bytes)
	}
	return n, err
}

// progressLine returns a function that prints a number of bytes, followed by the text what. If the
// standard error is not a terminal, the function does nothing.
func (p *program) progressLine(what string) func(bytes int64) {
	if !isTerminal(p.stderr) {
		return func(int64) {}
	}
	return func(bytes int64) { say(p.stderr, "%s %s", mebibytes(bytes), what) }
}

// barWidth is the number of characters between the ends of a progress bar.
const barWidth = 30

// bar is a progress bar on a terminal that shows how much of a file has been sent. A nil bar does
// nothing.
type bar struct {
	to io.Writer

	mu          sync.Mutex
	sent, total int64     // bytes; guarded by mu
	began, told time.Time // guarded by mu
}

// newBar returns a progress bar, or nil if the standard error is not a terminal.
func (p *program) newBar() *bar {
	if !isTerminal(p.stderr) {
		return nil
	}
	return &bar{to: p.stderr}
}

// begin starts the bar for a file with the given size in bytes.
func (b *bar) begin(total int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent, b.total, b.began = 0, total, time.Now()
	b.draw()
}

// add counts n more bytes as sent.
func (b *bar) add(n int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent += n
	if time.Since(b.told) >= 100*time.Millisecond {
		b.draw()
	}
}

// end draws the bar one last time and starts a new line.
func (b *bar) end() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draw()
	_, _ = fmt.Fprintln(b.to)
}

// draw overwrites the bar. The caller must hold b.mu.
func (b *bar) draw() {
	b.told = time.Now()
	filled := int(barWidth * b.sent / max(1, b.total))
	rate := float64(b.sent) / max(time.Since(b.began).Seconds(), 0.001)
	_, _ = fmt.Fprintf(b.to, "\r[%s%s] %3d %%  %s of %s  %s/s ",
		strings.Repeat("#", filled), strings.Repeat(" ", barWidth-filled), 100*b.sent/max(1, b.total),
		mebibytes(b.sent), mebibytes(b.total), mebibytes(int64(rate)))
}
