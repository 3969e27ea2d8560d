package cmd

import (
	"bytes"
	"testing"
)

// TestDemoProgressIsOneLine checks that the progress of projects that are made at the same time is
// one number, which only grows.
func TestDemoProgressIsOneLine(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	d := &demoProgress{to: &out, portions: make([]float64, 2), shown: -1}
	for _, step := range []struct {
		project int
		phase   string
		portion float64
	}{{0, "verifying", 1}, {1, "verifying", 0.5}, {0, "reading", 0.5}, {1, "reading", 0}, {0, "storing", 1}, {1, "storing", 1}} {
		d.tell(step.project, &importAnswer{Phase: step.phase, Portion: step.portion})
	}
	d.end()
	const head = "\rsvc: making the demo, "
	want := head + "5 %" + head + "7 %" + head + "27 %" + head + "30 %" + head + "55 %" + head + "99 %" + head + "done\n"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	(&program{stderr: &out}).newDemoProgress(2).tell(0, &importAnswer{}) // without a terminal, nothing is drawn
}
