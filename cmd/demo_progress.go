package cmd

import (
	"fmt"
	"io"
	"sync"
)

// demoProgress shows, on one line of a terminal, how much of the demo data has been created. A nil
// demoProgress does nothing.
type demoProgress struct {
	to io.Writer

	mu       sync.Mutex
	portions []float64 // completed part of each project, 0 to 1; guarded by mu, like shown
	shown    int       // the percentage on the line; -1 = none yet
}

// newDemoProgress returns nil if the standard error is not a terminal.
func (p *program) newDemoProgress(projects int) *demoProgress {
	if !isTerminal(p.stderr) {
		return nil
	}
	d := &demoProgress{to: p.stderr, portions: make([]float64, projects), shown: -1}
	d.draw()
	return d
}

// phaseStarts maps each phase of an import to the part of the import, from 0 to 1, that is complete
// when the phase begins.
var phaseStarts = map[string]float64{"verifying": 0, "reading": 0.1, "storing": 0.9}

// tell updates the completed part of a project from the progress of its import. The completed part
// never decreases.
func (d *demoProgress) tell(project int, a *importAnswer) {
	if d == nil {
		return
	}
	start, end := phaseStarts[a.Phase], 1.0
	for _, other := range phaseStarts {
		if other > start {
			end = min(end, other)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.portions[project] = max(d.portions[project], start+(end-start)*a.Portion)
	d.draw()
}

// draw overwrites the line if the number on it has changed. The caller must hold d.mu.
func (d *demoProgress) draw() {
	sum := 0.0
	for _, portion := range d.portions {
		sum += portion
	}
	if percent := min(99, int(100*sum/float64(len(d.portions)))); percent > d.shown {
		d.shown = percent
		_, _ = fmt.Fprintf(d.to, "\rsvc: making the demo, %d %%", percent)
	}
}

// end completes the line.
func (d *demoProgress) end() {
	if d != nil {
		_, _ = fmt.Fprint(d.to, "\rsvc: making the demo, done\n")
	}
}
