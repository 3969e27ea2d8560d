package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// record stores the last pass of each check on this machine in a file. A check does not have to run
// again while its inputs and tools are unchanged. A record is safe for concurrent use.
type record struct {
	path   string
	mu     sync.Mutex
	passes map[string]pass // the last pass of each check, by the name of the check
}

// pass is a run of a check that did not fail.
type pass struct {
	Key     string // hash of the inputs and the tools
	At      time.Time
	Passed  int
	Skipped []skip
}

// readRecord reads the record of a machine. If the file cannot be read, the record is empty, so
// that all checks run.
func readRecord(path string) *record {
	r := &record{path: path, passes: map[string]pass{}}
	if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &r.passes) != nil {
		r.passes = map[string]pass{}
	}
	return r
}

// find returns the last pass of a check. It also reports whether the pass has the given key, so
// that the check need not run again.
func (r *record) find(name, key string) (pass, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.passes[name]
	return p, key != "" && p.Key == key
}

// put stores the result in the parameter found as the last pass of a check. If key is "", it does
// nothing.
func (r *record) put(name, key string, found result) error {
	if key == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.passes[name] = pass{key, time.Now().UTC().Truncate(time.Second), found.passed, found.skipped}
	text, err := json.MarshalIndent(r.passes, "", "\t")
	if err != nil {
		return err
	}
	temporary := r.path + ".new"
	if err := os.WriteFile(temporary, text, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, r.path)
}

// inputs describes the files and tools that determine the outcome of a check.
type inputs struct {
	paths []string // files and folders, including subfolders
	tools []string // bash commands that print versions
	more  string   // further text that determines the outcome
}

// key returns the hash of the inputs. It returns "" if they cannot be determined, for example
// outside of a repository. It omits files that git ignores, because they are generated from the
// others.
func (in inputs) key(ctx context.Context) string {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%q\n%q\n", in.more, os.Getenv("SVC_REQUIRE_TOOLS"))
	if err := in.addFiles(ctx, sum); err != nil {
		return ""
	}
	for _, tool := range in.tools {
		// If a tool is missing, the error message takes the place of its version.
		out, err := exec.CommandContext(ctx, "bash", "-c", tool).CombinedOutput()
		_, _ = fmt.Fprintf(sum, "%q %q %t\n", tool, out, err == nil)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// addFiles adds the names, modes and contents of the files to the hash sum.
func (in inputs) addFiles(ctx context.Context, sum hash.Hash) error {
	list := []string{"ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate", "--"}
	names, err := exec.CommandContext(ctx, "git", append(list, in.paths...)...).Output()
	if err != nil {
		return err
	}
	for name := range bytes.SplitSeq(bytes.TrimSuffix(names, []byte{0}), []byte{0}) {
		if err := addFile(sum, filepath.FromSlash(string(name))); err != nil {
			return err
		}
	}
	return nil
}

func addFile(sum hash.Hash, name string) error {
	file, err := os.Open(name)
	if os.IsNotExist(err) { // the file was deleted, but the deletion is not committed yet
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(sum, "%q %v %d\n", name, info.Mode(), info.Size())
	_, err = io.Copy(sum, file)
	return err
}

// check is a check that only has to run if its inputs have changed since its last pass.
type check struct {
	name string
	inputs
	run func() result
}

// unlessUnchanged returns the last pass of a check and true if the inputs have not changed since
// that pass. Otherwise, or if the gate was started with -all, it runs the check and returns the
// result and false.
func (m *machine) unlessUnchanged(ctx context.Context, c check) (r result, unchanged bool) {
	key := c.key(ctx)
	if last, ok := m.record.find(c.name, key); ok && !m.all {
		when := last.At.Format("2006-01-02 15:04 MST")
		return result{
			passed: 1, skipped: last.Skipped,
			lines: []string{fmt.Sprintf("%-12s unchanged since a pass on %s: %d passed then", c.name, when, last.Passed)},
		}, true
	}
	begin := time.Now()
	r = c.run()
	r.took = time.Since(begin)
	r.lines = append(r.lines, line(c.name, r))
	if r.failed == 0 && ctx.Err() == nil {
		r.add(failure(m.record.put(c.name, key, r)))
	}
	return r, false
}

// wholeOrStory runs the check in the parameter whole if its inputs have changed. If only the
// program has changed, it runs just the check in the parameter story, which is a part of the whole
// one.
func (m *machine) wholeOrStory(ctx context.Context, program string, whole, story check) result {
	story.inputs = whole.inputs
	story.more = program
	r, unchanged := m.unlessUnchanged(ctx, whole)
	switch {
	case unchanged:
		told, _ := m.unlessUnchanged(ctx, story)
		r.add(told)
	case r.failed == 0 && ctx.Err() == nil:
		r.add(failure(m.record.put(story.name, story.key(ctx), r)))
	}
	return r
}
