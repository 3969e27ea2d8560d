package event_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/event"
	"svc/internal/event/query"
	"svc/internal/event/submission"
	"svc/internal/fault"
	"svc/internal/testutil"
)

// pair is an engine with random events, and another one that follows it.
type pair struct {
	*testing.T
	*generator
	primary, follower *rig
	recording         *bolttest.Recording
	sets              []boltfile.Change // what was recorded so far
	reached           uint64            // position of the follower
}

func newPair(t *testing.T, seed uint64) *pair {
	t.Helper()
	p := &pair{T: t, generator: newGenerator(seed), recording: &bolttest.Recording{}}
	r, err := newRig(t.TempDir(), pick(p.generator, 1, 2, 5, 10, 40, 0))
	check(t, err)
	check(t, r.Close())
	p.primary, p.follower = r, &rig{path: copyOf(t, r.path), head: r.head, follow: true}
	r.recorder = p.recording
	check(t, errors.Join(r.open(), p.follower.open()))
	return p
}

func copyOf(t *testing.T, path string) (copied string) {
	t.Helper()
	content, err := os.ReadFile(path)
	check(t, err)
	copied = filepath.Join(t.TempDir(), "events.db")
	check(t, os.WriteFile(copied, content, 0o600))
	return copied
}

// do runs an operation on the primary. Some operations are followed by one of the listed incidents.
func (p *pair) do(o operation) {
	p.Helper()
	if _, err := o.got(p.Context(), p.primary); err != nil {
		p.Fatalf("%s: %v", o.text, err)
	}
	switch p.IntN(20) {
	case 0:
		p.crash()
	case 1:
		if _, err := p.primary.CompactFile(true); err != nil {
			p.Fatal(err)
		}
	case 2:
		p.importEvents()
	}
}

// crash starts a new primary with a copy of the current file.
func (p *pair) crash() {
	p.Helper()
	release := p.primary.Hold() // so that the image and the position belong together
	path := filepath.Join(p.TempDir(), "events.db")
	image, err := p.primary.Image()
	if err == nil {
		err = errors.Join(image.Copy(path), image.Close())
	}
	p.harvest()
	position := p.recording.Position
	release()
	check(p.T, err)
	check(p.T, p.primary.Close()) // what this changes is lost
	p.recording = &bolttest.Recording{Position: position}
	p.primary.path, p.primary.recorder = path, p.recording
	check(p.T, p.primary.open())
}

// harvest adds the latest recorded changes to p.sets.
func (p *pair) harvest() {
	after := uint64(0)
	if n := len(p.sets); n > 0 {
		after = p.sets[n-1].Position
	}
	p.sets = append(p.sets, p.recording.Changes(after)...)
}

func (p *pair) importEvents() {
	p.Helper()
	const number = 9
	check(p.T, p.primary.DropProject(p.Context(), number))
	importer := p.primary.NewImporter(number, false)
	b := p.batch()
	b.Project = number
	_, err := importer.Add([]*event.Batch{b})
	check(p.T, errors.Join(err, importer.Finish()))
}

// apply applies changes after the given position up to another one, in random groups.
func (p *pair) apply(from, to uint64) {
	p.Helper()
	var changes []boltfile.Change
	for _, c := range p.sets {
		if c.Position > from && c.Position <= to {
			changes = append(changes, c)
		}
	}
	for len(changes) > 0 {
		n := 1 + p.IntN(min(len(changes), 30))
		position := changes[n-1].Position
		if err := p.follower.Apply(changes[:n], position); err != nil {
			p.Fatalf("apply up to %d: %v", position, err)
		}
		changes, p.reached = changes[n:], max(p.reached, position)
	}
}

// catchUp applies everything, sometimes with a restart in between, after which some changes arrive again.
func (p *pair) catchUp() {
	p.Helper()
	p.harvest()
	if len(p.sets) == 0 {
		return
	}
	last := p.sets[len(p.sets)-1].Position
	if p.IntN(4) == 0 && last > p.reached {
		p.apply(p.reached, p.reached+1+p.Uint64N(last-p.reached))
		check(p.T, p.follower.Close())
		check(p.T, p.follower.open())
		p.apply(p.reached-min(p.reached, p.Uint64N(20)), last)
		return
	}
	if p.IntN(6) == 0 {
		_, err := p.follower.CompactFile(true)
		check(p.T, err)
	}
	p.apply(p.reached, last)
}

// compare compares answers of the primary, of the follower and of an engine that has just been opened
// with the follower's file.
func (p *pair) compare(questions []operation) {
	p.Helper()
	release := p.primary.Hold() // no background work
	p.catchUp()
	path := filepath.Join(p.TempDir(), "fresh.db")
	image, err := p.follower.Image()
	if err == nil {
		err = errors.Join(image.Copy(path), image.Close())
	}
	check(p.T, err)
	fresh := &rig{path: path, head: p.follower.head, follow: true}
	check(p.T, fresh.open())
	rigs := []*rig{p.primary, p.follower, fresh}
	for _, r := range rigs[1:] {
		if got, want := lists(p.T, r.Engine), lists(p.T, p.primary.Engine); !slices.Equal(got, want) {
			p.Fatalf("follower %t:\ngot  %.2000q\nwant %.2000q", r == p.follower, got, want)
		}
	}
	for _, o := range questions {
		var answers []string
		for _, r := range rigs {
			answer, err := o.got(p.Context(), r)
			if err != nil {
				p.Fatalf("%s: %v", o.text, err)
			}
			answers = append(answers, answer)
		}
		if answers[1] != answers[0] || answers[1] != answers[2] {
			p.Fatalf("%s\ngot %s\nwant %s\nafter a start %s", o.text, answers[1], answers[0], answers[2])
		}
	}
	release()
	check(p.T, fresh.Close())
}

// lists returns what an engine lists.
func lists(t *testing.T, r *event.Engine) (lines []string) {
	t.Helper()
	projects := r.Projects()
	slices.Sort(projects)
	for _, p := range projects {
		events, definitions, err := r.Contents(t.Context(), p)
		check(t, err)
		lines = append(lines, fmt.Sprint(p, events, definitions, r.NameCount(p)))
		for _, d := range r.Names(p) {
			lines = append(lines, fmt.Sprintf("%+v %s %s", d.Name, d.ID, describe(d)))
		}
	}
	return lines
}

// TestFollowerAnswersLikeThePrimary runs random stories on an engine, and applies its changes to
// another one that stays open. Both, and an engine that is started with the other one's file, answer
// alike.
func TestFollowerAnswersLikeThePrimary(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	stories := uint64(60)
	if os.Getenv("SVC_LONG") != "" {
		stories = 2000
	}
	var next atomic.Uint64
	for i := range 6 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			for seed := next.Add(1) - 1; seed < stories; seed = next.Add(1) - 1 {
				t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { follow(t, seed) })
			}
		})
	}
}

func follow(t *testing.T, seed uint64) {
	t.Helper()
	p := newPair(t, seed)
	for range 25 {
		p.do(ingest(p.batch()))
		for p.IntN(3) == 0 {
			p.do(p.upkeep())
		}
		if p.IntN(3) == 0 {
			p.catchUp()
		}
		if p.IntN(4) == 0 {
			p.compare([]operation{p.question(), p.question()})
		}
	}
	var all []operation
	for _, ask := range p.questions() {
		all = append(all, ask())
	}
	p.compare(all)
	check(t, p.primary.Close())
	p.catchUp()
	check(t, p.follower.Close())
	want, position, err := boltfile.DigestFile(p.primary.path)
	check(t, err)
	got, reached, err := boltfile.DigestFile(p.follower.path)
	check(t, err)
	if got != want || reached != position {
		t.Fatalf("digest %x at %d, want %x at %d", got, reached, want, position)
	}
}

// followed is an engine, and another one that follows it.
type followed struct {
	*world
	follower  *world
	recording *bolttest.Recording
	reached   uint64
}

func newFollowed(t *testing.T, o event.Options) *followed {
	t.Helper()
	f := &followed{world: newWorld(t, o), recording: &bolttest.Recording{}}
	check(t, f.Close())
	f.follower = &world{path: copyOf(t, f.path), o: event.Options{Now: f.o.Now, Follow: true}}
	f.o.Recorder = f.recording
	f.open(t)
	f.follower.open(t)
	t.Cleanup(func() { check(t, f.follower.Close()) })
	return f
}

// apply applies everything that was recorded since the last call in one group.
func (f *followed) apply(t *testing.T) {
	t.Helper()
	changes := f.recording.Changes(f.reached)
	if len(changes) == 0 {
		return
	}
	f.reached = changes[len(changes)-1].Position
	if err := f.follower.Apply(changes, f.reached); err != nil {
		t.Error(err)
	}
}

// TestFollowerAnswersWhileItApplies reads from a follower while it applies batches of ten events with
// new names, which become blocks in the same group. Each answer is one of a moment of the primary.
func TestFollowerAnswersWhileItApplies(t *testing.T) {
	t.Parallel()
	f := newFollowed(t, event.Options{})
	const batches = 300
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			last := int64(0)
			for !done.Load() {
				o, err := f.follower.Overview(context.Background(), 1, query.Range{Start: noon - 86400, End: noon + 86400})
				if err != nil || o.Total%10 != 0 || o.Total < last || o.Total > 10*batches {
					t.Errorf("got a total of %d after %d, error %v", o.Total, last, err)
					return
				}
				last = o.Total
				err = f.follower.Export(context.Background(), 1, "u1", func(e *event.Event) error {
					if e.Name == "" {
						return fmt.Errorf("event %s has no name", e.ID)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range batches {
		ids := make([]string, 10)
		for j := range ids {
			ids[j] = fmt.Sprint(i, "-", j)
		}
		f.send(t, fmt.Sprint("u", i%2), fmt.Sprint("s", i%5), fmt.Sprint("n", i), noon-int64(i)*60, ids...)
		if i%3 == 0 {
			check(t, f.Flush())
		}
		if i%5 == 0 {
			f.apply(t)
		}
	}
	f.apply(t)
	done.Store(true)
	readers.Wait()
	if got := f.follower.total(t); got != 10*batches {
		t.Errorf("got a total of %d at the end, want %d", got, 10*batches)
	}
}

// TestFollowerOfManyGenerations follows an engine that is killed before it has written the events in
// memory as blocks, so that three generations of the WAL have events.
func TestFollowerOfManyGenerations(t *testing.T) {
	t.Parallel()
	f := newFollowed(t, event.Options{HeadEvents: 2, ReadOnly: true}) // without work in the background
	f.send(t, "u1", "s1", "open", noon, "a", "b")
	f.send(t, "u2", "s2", "view", noon, "c")
	f.apply(t)

	image, err := f.Image()
	check(t, err)
	path := filepath.Join(t.TempDir(), "events.db")
	check(t, errors.Join(image.Copy(path), image.Close()))
	killed := f.world
	f.world = &world{path: path, o: killed.o}
	f.recording = &bolttest.Recording{Position: f.recording.Position}
	f.o.Recorder = f.recording
	f.open(t)
	defer func() { check(t, f.Close()) }()
	f.send(t, "u3", "s1", "buy", noon, "d")
	for _, step := range []struct {
		name string
		do   func(*testing.T)
	}{
		{"a third generation", f.apply}, {"a start with it", f.follower.reopen},
		{"the older ones are blocks", func(t *testing.T) {
			check(t, f.Flush())
			f.apply(t)
		}},
		{"more events", func(t *testing.T) {
			f.send(t, "u4", "s3", "open", noon, "e")
			f.apply(t)
		}},
	} {
		step.do(t)
		for _, subject := range []string{"u1", "u2", "u3", "u4"} {
			if got, want := f.follower.export(t, subject), f.export(t, subject); len(got) != len(want) {
				t.Errorf("%s: %s has %d events, want %d", step.name, subject, len(got), len(want))
			}
		}
		if got, want := f.follower.total(t), f.total(t); got != want {
			t.Errorf("%s: %d events, want %d", step.name, got, want)
		}
	}
}

// meddling is a context that calls a function in each call of Err.
type meddling struct {
	context.Context
	do func()
}

func (m meddling) Err() error {
	m.do()
	return nil
}

// TestFollowerOfDroppedProject follows an engine that drops a project while events of it arrive, which
// the engine then removes from the WAL.
func TestFollowerOfDroppedProject(t *testing.T) {
	t.Parallel()
	f := newFollowed(t, event.Options{})
	f.send(t, "u1", "s", "open", noon, "a")
	f.apply(t)
	arrived := 0
	ctx := meddling{t.Context(), func() {
		arrived++
		for _, p := range []event.Project{1, 2} {
			_, err := f.Ingest(&event.Batch{
				Project: p, Received: noon, Subject: "u2", Items: []submission.Item{{ID: fmt.Sprint(arrived), Name: "late", At: noon}},
			})
			check(t, err)
		}
		f.apply(t)
	}}
	check(t, f.DropProject(ctx, 1))
	f.send(t, "u3", "s", "again", noon, "b")
	f.apply(t)
	check(t, f.follower.StartAt(f.reached+5)) // changes of the other database
	got, want := lists(t, f.follower.Engine), lists(t, f.Engine)
	if !slices.Equal(got, want) || arrived == 0 || f.follower.total(t) != 1 {
		t.Errorf("got %d events, %q, want %q", f.follower.total(t), got, want)
	}
}

// TestFollowerWritesNothing checks that an engine which follows refuses to write, keeps its file when it
// closes, and stores events once it is opened without following.
func TestFollowerWritesNothing(t *testing.T) {
	t.Parallel()
	if _, err := event.Open(filepath.Join(t.TempDir(), "events.db"), event.Options{Follow: true}); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("a file that does not exist: %v", err)
	}
	w := newWorld(t, event.Options{})
	w.send(t, "u1", "s", "open", noon, "a", "b")
	image, err := w.Image()
	check(t, err)
	path := filepath.Join(t.TempDir(), "events.db") // with events in the WAL
	check(t, errors.Join(image.Copy(path), image.Close()))
	before, _, err := boltfile.DigestFile(path)
	check(t, err)

	later := noon + int64(time.Hour/time.Second)
	follower := &world{path: path, o: event.Options{HeadEvents: 1, Follow: true, Now: func() time.Time { return time.Unix(later, 0) }}}
	follower.open(t)
	for name, write := range map[string]func() error{
		"flush":     follower.Flush,
		"compact":   func() error { _, err := follower.Compact(); return err },
		"ingest":    func() error { _, err := follower.Ingest(&event.Batch{Project: 1, Subject: "u"}); return err },
		"retention": func() error { return follower.ApplyRetention(t.Context(), 1, later, later) },
		"subject":   func() error { _, err := follower.DeleteSubject(t.Context(), 1, "u1"); return err },
		"project":   func() error { return follower.DropProject(t.Context(), 1) },
		"definition": func() error {
			return follower.DeleteDefinition(1, follower.Names(1)[0].ID, nil)
		},
		"import": func() error {
			return follower.NewImporter(2, false).Define([]event.Definition{{Name: "n"}})
		},
	} {
		if err := write(); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: got %v, want unavailable", name, err)
		}
	}
	if got := follower.total(t); got != 2 || !follower.Following() || follower.NameCount(1) != 1 {
		t.Errorf("got %d events, following %t, %d names", got, follower.Following(), follower.NameCount(1))
	}
	check(t, follower.Close())
	after, _, err := boltfile.DigestFile(path)
	check(t, err)
	if after != before {
		t.Error("the file has changed")
	}

	follower.o.Follow = false
	follower.open(t)
	if n := follower.send(t, "u2", "s", "open", noon, "b", "c", "d"); n != 2 {
		t.Errorf("stored %d events, want 2", n)
	}
	check(t, follower.Flush())
	if got := follower.total(t); got != 4 {
		t.Errorf("got %d events, want 4", got)
	}
	check(t, follower.Close())
}
