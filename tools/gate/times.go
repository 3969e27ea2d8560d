package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// timesKept is the number of runs in the file "times".
const timesKept = 20

// keepTimes adds a line about this run to the file "times" in the state folder. The line contains
// the time, the commit, the outcome, and the seconds that each step and the slowest packages took.
func (r *report) keepTimes(state, commit string) {
	path := filepath.Join(state, "times")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		_, _ = fmt.Fprintln(r.out, err)
		return
	}
	lines := slices.Collect(strings.Lines(string(text)))
	lines = lines[max(0, len(lines)-timesKept+1):]
	outcome := "passed"
	if r.failed > 0 {
		outcome = "FAILED"
	}
	lines = append(lines, fmt.Sprintf("%s %s %s: %s; %s\n",
		time.Now().UTC().Format("2006-01-02 15:04"), commit, outcome, inSeconds(r.steps), slowest(r.packages)))
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o600); err != nil {
		_, _ = fmt.Fprintln(r.out, err)
	}
}

// slowest lists the ten packages with the longest tests. It adds up all runs of a package.
func slowest(packages []elapsed) string {
	total := map[string]float64{}
	for _, p := range packages {
		total[strings.TrimPrefix(p.name, "svc/")] += p.seconds
	}
	var all []elapsed
	for name, seconds := range total {
		all = append(all, elapsed{name, seconds})
	}
	slices.SortFunc(all, func(a, b elapsed) int {
		return cmp.Or(cmp.Compare(b.seconds, a.seconds), strings.Compare(a.name, b.name))
	})
	return inSeconds(all[:min(len(all), 10)])
}

// inSeconds formats a list of names and their durations, such as "lint 12 s, vet 3 s".
func inSeconds(all []elapsed) string {
	var texts []string
	for _, e := range all {
		texts = append(texts, fmt.Sprintf("%s %.0f s", e.name, e.seconds))
	}
	return strings.Join(texts, ", ")
}

// commit returns the current commit, or "-" outside of a repository.
func commit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "-"
	}
	return strings.TrimSpace(string(out))
}
