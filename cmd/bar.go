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

// bar shows on a terminal how much of a file has been sent. A nil bar shows nothing.
type bar struct {
	to io.Writer

	mu          sync.Mutex
	sent, total int64     // bytes; guarded by mu
	began, told time.Time // guarded by mu
}

// newBar returns a bar if the standard error is a terminal, nil otherwise.
func (p *program) newBar() *bar {
	if !isTerminal(p.stderr) {
		return nil
	}
	return &bar{to: p.stderr}
}

// begin starts the bar for a file of total bytes.
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

// end draws the bar for the last time and starts a new line.
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
		strings.Repeat("#", filled), strings.Repeat(" ", barWidth-filled), 100*b.sent/max(1, b.total), mebibytes(b.sent), mebibytes(b.total), mebibytes(int64(rate)))
}
