package event_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svc/internal/testutil"
)

// TestEngineAnswersLikeTheModel checks that the engine and the model return the same
// results in 2,000 random sequences of operations, or in ten times as many with
// SVC_LONG=1. Several of these stories run concurrently, because each waits for the disk
// most of the time.
func TestEngineAnswersLikeTheModel(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	stories := uint64(2000)
	if os.Getenv("SVC_LONG") != "" {
		stories = 20_000
	}
	var next, told atomic.Uint64
	var tellers sync.WaitGroup
	for range 16 {
		tellers.Go(func() {
			for seed := next.Add(1) - 1; seed < stories && !t.Failed(); seed = next.Add(1) - 1 {
				checkStory(t, seed)
				told.Add(1)
			}
		})
	}
	tellers.Wait()
	if told.Load() != stories && !t.Failed() {
		t.Errorf("%d stories were told, want %d", told.Load(), stories)
	}
}

// FuzzAgainstModel compares the engine with the model in the story of an arbitrary seed.
// Seeds that have failed are kept in the corpus.
func FuzzAgainstModel(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		t.Parallel()
		checkStory(t, seed)
	})
}

// checkStory runs the operations that a seed determines on the engine and the model. If
// their results differ, it reports a shortened sequence of operations with the same
// difference.
func checkStory(t *testing.T, seed uint64) {
	t.Helper()
	g := newGenerator(seed)
	head := pick(g, 1, 2, 5, 10, 40, 0)
	story := g.operations()
	fault := tell(t, head, story)
	if fault == "" {
		return
	}
	for range 3 {
		before := len(story)
		story, fault = shorten(t, head, story, fault)
		if len(story) == before {
			break
		}
	}
	var told strings.Builder
	for _, o := range story[:len(story)-1] {
		fmt.Fprintf(&told, "%s\n", o.text)
	}
	t.Errorf("seed %d, %d events in the head:\n%s%s", seed, head, &told, fault)
}

// tell runs all operations on both the model and the engine. It returns a description of
// the first difference, or "" if there is none.
func tell(t *testing.T, head int, story []operation) (fault string) {
	t.Helper()
	folder := t.TempDir()
	r, err := newRig(folder, head)
	if err != nil {
		return "Open: " + err.Error()
	}
	defer func() {
		// Remove the directory now, because there would be too many at the end of the
		// test.
		if err := errors.Join(r.Close(), os.RemoveAll(folder)); err != nil && fault == "" {
			fault = "Close: " + err.Error()
		}
	}()
	var m model
	for _, o := range story {
		want := o.want(&m)
		if got, err := o.got(t.Context(), r); err != nil || got != want {
			return fmt.Sprintf("%s\n got %s (error: %v)\nwant %s", o.text, got, err, want)
		}
	}
	return ""
}

// shorten removes operations, and events from batches, as long as the story still fails.
// It starts at the end, where the queries are.
func shorten(t *testing.T, head int, story []operation, fault string) ([]operation, string) {
	t.Helper()
	try := func(shorter []operation) bool {
		said := tell(t, head, shorter)
		if said != "" {
			story, fault = shorter, said
		}
		return said != ""
	}
	for i := range slices.Backward(story) {
		if try(slices.Delete(slices.Clone(story), i, i+1)) || story[i].batch == nil {
			continue
		}
		for k := range slices.Backward(story[i].batch.Items) {
			fewer := *story[i].batch
			fewer.Items = slices.Delete(slices.Clone(fewer.Items), k, k+1)
			shorter := slices.Clone(story)
			shorter[i] = ingest(&fewer)
			try(shorter)
		}
	}
	return story, fault
}

// TestGeneratedStoriesAreWorthTelling checks that the generator produces varied stories,
// without which the comparison would prove little. Every operation must occur, and many
// of the queries must have a non-empty answer.
func TestGeneratedStoriesAreWorthTelling(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	asked, answered := map[string]int{}, map[string]int{}
	for seed := range uint64(200) {
		var m model
		for _, o := range newGenerator(seed).operations() {
			kind := strings.Fields(o.text)[0]
			answer := o.want(&m)
			asked[kind]++
			if answer != o.want(&model{}) {
				answered[kind]++
			}
			if o.batch != nil && answer != fmt.Sprint(len(o.batch.Items)) {
				asked["an Ingest with a duplicate"]++
			}
		}
	}
	for _, kind := range []string{"Flush", "Compact", "Close", "Clean", "an Ingest with a duplicate"} {
		if asked[kind] < 30 {
			t.Errorf("%s: only %d", kind, asked[kind])
		}
	}
	for _, kind := range []string{
		"DeleteSubject", "DeleteDefinition", "UpdateDefinition", "Overview", "Series", "Breakdown", "Heatmap", "Funnel", "Cohorts",
		"Paths", "MetricValue", "MetricTimeseries", "MetricBreakdown", "Export", "Definitions",
	} {
		if 3*answered[kind] < asked[kind] || asked[kind] < 30 {
			t.Errorf("%s: only %d of %d say anything", kind, answered[kind], asked[kind])
		}
	}
}
