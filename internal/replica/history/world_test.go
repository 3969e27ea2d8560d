package history_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"filippo.io/age"

	"svc/internal/backup"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/event/submission"
	"svc/internal/files"
	"svc/internal/instance"
	"svc/internal/platform"
	"svc/internal/replica/format"
	"svc/internal/replica/history"
	"svc/internal/replica/target/targettest"
	"svc/store"
)

// world is a data directory that is replicated to a target, with the digests of its states.
type world struct {
	t        testing.TB
	random   *rand.Rand
	dir      string
	store    *store.Store
	events   *event.Engine
	project  *store.Project
	target   *targettest.Memory
	identity *age.X25519Identity // nil if the replica is not encrypted

	mu       sync.Mutex // guards the fields below, which recorders change
	now      time.Time
	position uint64
	waiting  []format.Change // changes that are not at the target
	open     map[uint64]bool // positions of changes that are not settled

	epoch   uint32
	next    uint64     // number of the next segment
	before  format.Sum // of the last segment
	shipped uint64     // position that the log has reached
	known   []state
}

// state is a state of the data that the test has noted.
type state struct {
	position uint64
	time     int64 // of the last change, Unix milliseconds
	digests  instance.Digests
}

func newWorld(t testing.TB, seed uint64, encrypted bool) *world {
	w := &world{
		t: t, random: rand.New(rand.NewPCG(seed, 1)), dir: t.TempDir(), target: targettest.NewMemory(), now: time.Unix(1_795_000_000, 0),
		epoch: 1, next: 1, open: map[uint64]bool{},
	}
	if encrypted {
		w.identity = must(age.GenerateX25519Identity())(t)
	}
	w.store = must(store.Open(filepath.Join(w.dir, datadir.Database), store.Options{
		Now: w.clock, NoSync: true, Recorder: &recorder{w: w, file: format.Records},
	}))(t)
	w.events = must(event.Open(filepath.Join(w.dir, datadir.Events), event.Options{
		Now: w.clock, HeadEvents: 40, Recorder: &recorder{w: w, file: format.Events},
	}))(t)
	t.Cleanup(func() {
		check(t, w.events.Close())
		check(t, w.store.Close())
	})
	w.project = &store.Project{Key: "app", Name: "App"}
	check(t, w.store.Update(func(tx *store.Tx) error { return tx.CreateProject(w.project) }))
	w.put(format.IdentityName, format.Encode(format.Identity{Format: format.Version, ID: "replica", Data: w.store.ID().String()}))
	w.begin()
	return w
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// recorder records the changes of a database.
type recorder struct {
	w    *world
	file format.File
	next format.Change
}

func (r *recorder) Append(set []byte) (uint64, error) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	r.w.position++
	r.w.open[r.w.position] = true
	r.next = format.Change{File: r.file, Position: r.w.position, Time: r.w.now.UnixMilli(), Set: bytes.Clone(set)}
	return r.w.position, nil
}

func (r *recorder) Settle(visible bool) {
	r.w.mu.Lock()
	defer r.w.mu.Unlock()
	delete(r.w.open, r.next.Position)
	if visible {
		r.w.waiting = append(r.w.waiting, r.next)
	}
}

// put stores an object.
func (w *world) put(name string, content []byte) { w.target.Set(name, content) }

// begin stores the epoch, and the cut that ends the one before.
func (w *world) begin() {
	w.put(format.EpochName(w.epoch), format.Encode(format.Epoch{Format: format.Version, Number: w.epoch, Owner: fmt.Sprint("owner", w.epoch)}))
}

// promote ends the epoch. The old primary has stored some segments that do not count, and the server that was to
// become the primary of the next epoch has died before it wrote a cut.
func (w *world) promote() {
	w.ship()
	old := w.epoch
	for n := range uint64(2) {
		c := format.Change{File: format.Records, Position: w.shipped + 1 + n, Time: w.clock().UnixMilli(), Set: []byte("lost")}
		w.put(format.SegmentName(old, w.next+n), w.seal(format.Header{
			Epoch: old, Number: w.next + n, After: w.shipped + n, Last: c.Position, Begin: c.Time, End: c.Time, Before: w.before,
		}, format.AppendChange(nil, c)))
	}
	last, sum := w.next-1, w.before
	w.epoch++
	w.begin()
	w.epoch++
	w.begin()
	cut := format.Cut{Format: format.Version, Epoch: old, Segment: last, Position: w.shipped}
	if sum != (format.Sum{}) {
		cut.SHA256 = hex.EncodeToString(sum[:])
	}
	w.put(format.CutName(w.epoch), format.Encode(cut))
	w.next = 1
}

func (w *world) recipients() (list []age.Recipient) {
	if w.identity != nil {
		list = append(list, w.identity.Recipient())
	}
	return list
}

func (w *world) identities() (list []backup.Identity) {
	if w.identity != nil {
		list = append(list, w.identity)
	}
	return list
}

func (w *world) seal(h format.Header, encoded []byte) []byte {
	return must(format.Seal(h, encoded, w.recipients()...))(w.t)
}

// take returns the waiting changes in order, up to the first one that is not settled.
func (w *world) take() (taken []format.Change) {
	w.mu.Lock()
	defer w.mu.Unlock()
	end := w.position + 1
	for position := range w.open {
		end = min(end, position)
	}
	slices.SortFunc(w.waiting, func(a, b format.Change) int { return cmp.Compare(a.Position, b.Position) })
	n := len(w.waiting)
	for n > 0 && w.waiting[n-1].Position >= end {
		n--
	}
	taken, w.waiting = w.waiting[:n:n], slices.Clone(w.waiting[n:])
	return taken
}

// ship stores the waiting changes in segments.
func (w *world) ship() {
	waiting := w.take()
	for len(waiting) > 0 {
		n := min(1+w.random.IntN(4), len(waiting))
		w.shipSegment(waiting[:n])
		waiting = waiting[n:]
	}
}

func (w *world) shipSegment(changes []format.Change) {
	var encoded []byte
	for _, c := range changes {
		encoded = format.AppendChange(encoded, c)
	}
	last := changes[len(changes)-1]
	segment := w.seal(format.Header{
		Epoch: w.epoch, Number: w.next, After: w.shipped, Last: last.Position, Begin: changes[0].Time, End: last.Time, Before: w.before,
	}, encoded)
	w.put(format.SegmentName(w.epoch, w.next), segment)
	w.next, w.before, w.shipped = w.next+1, format.SumOf(segment), last.Position
}

// lose drops the waiting changes, like a primary with a full spool. The next segment follows a gap.
func (w *world) lose() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting, w.shipped = nil, w.position
}

// note notes the digests of the current state.
func (w *world) note() state {
	folder, _, err := instance.CopyData(w.store, w.events, w.clock, filepath.Join(w.dir, "staging"), "note-")
	check(w.t, err)
	defer func() { check(w.t, os.RemoveAll(folder)) }()
	d := must(instance.Digest(folder))(w.t)
	w.mu.Lock()
	defer w.mu.Unlock()
	s := state{position: d.Position, time: w.now.UnixMilli(), digests: d}
	w.known = append(w.known, s)
	return s
}

// snapshot stores a snapshot of the current state. All segments up to it are stored before.
func (w *world) snapshot() format.Manifest {
	w.ship()
	folder, _, err := instance.CopyData(w.store, w.events, w.clock, filepath.Join(w.dir, "staging"), "snapshot-")
	check(w.t, err)
	defer func() { check(w.t, os.RemoveAll(folder)) }()
	w.ship() // what background work has committed meanwhile
	d := must(instance.Digest(folder))(w.t)
	var archive bytes.Buffer
	b := must(backup.NewWriter(&archive, "test", w.clock(), w.recipients()...))(w.t)
	for _, name := range datadir.Databases {
		check(w.t, b.AddFile(name, filepath.Join(folder, name)))
	}
	must(b.Close(false, nil))(w.t)
	m := format.Manifest{
		Format: format.Version, Position: d.Position, Time: w.clock().UnixMilli(), Epoch: w.epoch, Next: w.next,
		Encrypted: w.identity != nil,
	}
	if w.before != (format.Sum{}) {
		m.Before = hex.EncodeToString(w.before[:])
	}
	for i, part := 0, archive.Bytes(); len(part) > 0; i++ {
		n := min(20_000, len(part))
		sum := sha256.Sum256(part[:n])
		m.Parts = append(m.Parts, format.Part{Size: int64(n), SHA256: hex.EncodeToString(sum[:])})
		w.put(format.PartName(m.Position, i+1), part[:n])
		part = part[n:]
	}
	w.put(format.ManifestName(m.Position), format.Encode(m))
	return m
}

func (w *world) advance(by time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(by)
}

// write changes something, and notes the state.
func (w *world) write() state {
	w.advance([]time.Duration{0, time.Millisecond, time.Second, time.Minute}[w.random.IntN(4)])
	n := w.random.IntN(1000)
	switch w.random.IntN(4) {
	case 0:
		b := &event.Batch{
			Project: event.Project(w.project.ID), Received: w.clock().Unix(), Subject: fmt.Sprint("u", n%9), Session: "s",
			Client: submission.Client{Platform: platform.Linux, Region: "DE", UserAgent: "ua"},
		}
		for i := range 1 + w.random.IntN(10) {
			b.Items = append(b.Items, submission.Item{ID: fmt.Sprint(w.position, "-", i), Name: fmt.Sprint("e", i), At: w.clock().Unix()})
		}
		must(w.events.Ingest(b))(w.t)
	case 1:
		check(w.t, w.store.Update(func(tx *store.Tx) error {
			return tx.AddFeedback(w.project.ID, &store.Feedback{Content: strings.Repeat("text ", n)})
		}))
	case 2:
		w.project.Name = fmt.Sprint("App ", n)
		check(w.t, w.store.Update(func(tx *store.Tx) error { return tx.PutProject(w.project) }))
	default:
		check(w.t, w.events.Flush())
		w.addFile([]byte(fmt.Sprint("content ", n)), true)
	}
	return w.note()
}

// addFile adds the record of a local file, and stores its content at the target if wanted.
func (w *world) addFile(content []byte, stored bool) *store.File {
	id, sum := files.NewID(), sha256.Sum256(content)
	f := &store.File{
		ID: store.FileID(id), ObjectKey: files.ObjectKey(w.project.Key, id, "tool.zip"), Filename: "tool.zip", Size: int64(len(content)),
		SHA256: hex.EncodeToString(sum[:]), Status: store.FileReady, Source: store.FileUploaded, Backend: store.LocalStorage,
	}
	if stored {
		w.put(format.ContentName(f.SHA256), content)
	}
	check(w.t, w.store.Update(func(tx *store.Tx) error { return tx.CreateFile(w.project.ID, f) }))
	return f
}

// read reads the history at the target.
func (w *world) read() *history.History {
	return must(history.Read(context.Background(), w.target.View(), w.identities()...))(w.t)
}

// restore builds a state and returns its digests.
func (w *world) restore(until history.Until) (*history.Staged, instance.Digests, error) {
	s, err := w.read().Stage(context.Background(), w.t.TempDir(), until)
	if err != nil {
		return nil, instance.Digests{}, err
	}
	defer func() { check(w.t, s.Discard()) }()
	return s, must(instance.Digest(s.Dir()))(w.t), nil
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// must returns a function that returns the value, or ends the test if there is an error.
func must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		check(t, err)
		return value
	}
}
