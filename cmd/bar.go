package cmd

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// barWidth is the number of characters between the ends of a progress bar.
const barWidth = 30

// bar shows a person on a terminal how much of a file was sent. A nil bar shows
// nothing.
type bar struct {
	to io.Writer

	mu          sync.Mutex
	sent, total int64     // bytes; guarded by mu
	began, told time.Time // guarded by mu
}

// newBar is a bar for people, or nil for programs.
func (p *program) newBar() *bar {
	if !isTerminal(p.stderr) {
		return nil
	}
	return &bar{to: p.stderr}
}

// begin starts with a file of so many bytes.
func (b *bar) begin(total int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent, b.total, b.began = 0, total, time.Now()
	b.draw()
}

// add counts bytes that have arrived.
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

// end draws the bar for the last time and goes to the next line.
func (b *bar) end() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.draw()
	_, _ = fmt.Fprintln(b.to)
}

// draw writes the bar over the one before. The caller must hold b.mu.
func (b *bar) draw() {
	b.told = time.Now()
	filled := int(barWidth * b.sent / max(1, b.total))
	rate := float64(b.sent) / max(time.Since(b.began).Seconds(), 0.001)
	_, _ = fmt.Fprintf(b.to, "\r[%s%s] %3d %%  %s of %s  %s/s ",
		strings.Repeat("#", filled), strings.Repeat(" ", barWidth-filled), 100*b.sent/max(1, b.total), mebibytes(b.sent), mebibytes(b.total), mebibytes(int64(rate)))
}
