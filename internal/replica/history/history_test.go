package history_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/internal/datadir"
	"svc/internal/files"
	"svc/internal/instance"
	"svc/internal/integrity"
	"svc/internal/replica/format"
	"svc/internal/replica/history"
	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
)

// TestRestoreEqualsModel writes, ships, snapshots and promotes at random, and restores random positions and times. Each
// restored state must have the digests that the test has recorded at that position.
func TestRestoreEqualsModel(t *testing.T) {
	t.Parallel()
	for _, encrypted := range []bool{false, true} {
		t.Run(fmt.Sprintf("encrypted=%t", encrypted), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 7, encrypted)
			for range 3 {
				w.write()
			}
			first := w.snapshot()
			for range 60 {
				w.write()
				switch w.random.IntN(12) {
				case 0:
					w.snapshot()
				case 1:
					w.promote()
				case 2, 3, 4, 5:
					w.ship()
				}
			}
			w.ship()
			w.compare(first, restores())
		})
	}
}

// compare restores random states since a snapshot.
func (w *world) compare(since format.Manifest, times int) {
	t := w.t
	possible := slices.DeleteFunc(slices.Clone(w.known), func(s state) bool { return s.position < since.Position })
	for i := range times {
		s := possible[w.random.IntN(len(possible))]
		until := history.Until{Position: s.position}
		if i%2 == 1 {
			until = history.Until{Time: s.time}
			// several states can have this time
			for _, later := range possible {
				if later.time == s.time {
					s = later
				}
			}
		}
		restored, digests, err := w.restore(until)
		if err != nil {
			t.Fatalf("restore to %+v: %v", until, err)
		}
		if digests.Data != s.digests.Data || digests.Events != s.digests.Events || digests.Position != 0 || restored.Position > s.position {
			t.Fatalf("restore to %+v: position %d, digests %+v, want those of position %d: %+v",
				until, restored.Position, digests, s.position, s.digests)
		}
	}
	last := w.known[len(w.known)-1]
	restored, digests, err := w.restore(history.Until{})
	check(t, err)
	same := digests.Data == last.digests.Data && digests.Events == last.digests.Events
	if !same || restored.Position != last.position || restored.Gap != nil {
		t.Errorf("the newest state: position %d, gap %v, digests %+v, want %+v", restored.Position, restored.Gap, digests, last)
	}
}

// TestVerify verifies an intact replica with several epochs, and finds each object that is damaged, missing, or exchanged
// with another one, also without an identity.
func TestVerify(t *testing.T) {
	t.Parallel()
	for _, encrypted := range []bool{false, true} {
		t.Run(fmt.Sprintf("encrypted=%t", encrypted), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 3, encrypted)
			w.addFile([]byte("only here"), false)
			w.addFile([]byte("a content"), true)
			w.write()
			w.snapshot()
			for i := range 12 {
				w.write()
				if i%3 == 0 {
					w.ship()
				}
				if i == 5 {
					w.promote()
				}
				if i == 8 {
					w.snapshot()
				}
			}
			w.ship()
			last := w.note()
			v, err := w.verify()
			check(t, err)
			last.digests.Position = last.position
			if v.Digests != last.digests || v.Epoch != 3 || v.Snapshots != 2 || v.Missing != 1 || v.Gaps != 0 || v.Segments < 5 || v.Contents == 0 {
				t.Errorf("verified %+v, want the digests %+v", v, last.digests)
			}
			w.damageEach(w.verify)
			v, err = w.verifySealed()
			check(t, err)
			if v.Digests != (instance.Digests{}) || v.Epoch != 3 || v.Snapshots != 2 || v.Gaps != 0 || v.Segments < 5 || v.Contents == 0 {
				t.Errorf("verified %+v without an identity", v)
			}
			w.damageEach(w.verifySealed)
		})
	}
}

func (w *world) verify() (history.Verified, error) {
	h, err := history.Read(context.Background(), w.target.View(), w.identities()...)
	if err != nil {
		return history.Verified{}, err
	}
	report := integrity.NewReport(nil)
	v, err := h.Verify(context.Background(), w.t.TempDir(), report)
	if err == nil && !report.Clean() {
		err = fmt.Errorf("the newest state is not clean: %+v", report.Listed())
	}
	return v, err
}

func (w *world) verifySealed() (history.Verified, error) {
	h, err := history.Read(context.Background(), w.target.View())
	if err != nil {
		return history.Verified{}, err
	}
	return h.VerifySealed(context.Background())
}

// damageEach damages one object after the other.
func (w *world) damageEach(verify func() (history.Verified, error)) {
	objects := w.target.Objects()
	names := slices.Sorted(maps.Keys(objects))
	h := w.read()
	for i, name := range names {
		whole := objects[name]
		flipped := bytes.Clone(whole)
		flipped[len(flipped)/2] ^= 1
		neighbour := objects[names[(i+1)%len(names)]]
		damages := map[string][]byte{"a bit is flipped": flipped, "its end is missing": whole[:len(whole)/2], "it is missing": nil}
		if !bytes.Equal(neighbour, whole) {
			damages["it has the content of its neighbour"] = neighbour
		}
		for how, content := range damages {
			if !w.mustFind(h, name, how) {
				continue
			}
			w.target.Set(name, content)
			_, err := verify()
			if err == nil {
				w.t.Errorf("%s: %s, and the verification found nothing", name, how)
			} else if bad, ok := errors.AsType[*history.Error](err); how == "a bit is flipped" && (!ok || bad.Object != name && !unsealed(name)) {
				w.t.Errorf("%s: %s, and the verification named another object: %v", name, how, err)
			}
			w.target.Set(name, whole)
		}
	}
	_, err := verify()
	check(w.t, err)
}

// unsealed reports whether an object has no checksum of its own, so that damage can show first in the objects that it names.
func unsealed(name string) bool {
	return strings.HasPrefix(name, "cut/") || strings.HasSuffix(name, "/manifest")
}

// mustFind reports whether a verification must find a damage: that of every object that counts. JSON without a checksum
// can change in texts that nothing depends on.
func (w *world) mustFind(h *history.History, name, how string) bool {
	var epoch uint32
	var number uint64
	switch {
	case strings.HasPrefix(name, format.Log+"/"):
		if _, err := fmt.Sscanf(name, "log/%d/%d", &epoch, &number); err != nil {
			w.t.Fatal(err)
		}
		m := h.Snapshots[0]
		counts := epoch == h.Epoch || epoch == m.Epoch && number >= m.Next && number <= w.cut(h.Epoch).Segment
		return counts && (how != "it is missing" || name != format.SegmentName(w.epoch, w.next-1)) // the end of the log can be anywhere
	case strings.HasPrefix(name, format.Contents+"/"):
		return how != "it is missing"
	case strings.HasPrefix(name, format.Snapshots+"/"):
		return how != "it is missing" || !strings.HasSuffix(name, "/manifest")
	case name == format.EpochName(2): // has no cut
		return false
	}
	return how != "a bit is flipped" || strings.HasPrefix(name, "cut/")
}

func (w *world) cut(epoch uint32) format.Cut {
	return must(format.Decode[format.Cut](w.target.Objects()[format.CutName(epoch)]))(w.t)
}

// TestFork finds a segment with intact checksums that belongs to another history.
func TestFork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 5, false)
	w.snapshot()
	w.write()
	w.ship()
	before, next, shipped := w.before, w.next, w.shipped
	w.write()
	w.ship()
	if w.next == next {
		t.Fatal("nothing was shipped")
	}
	w.before, w.next, w.shipped = before, next, shipped
	w.before[0] ^= 1
	w.shipSegment([]format.Change{{File: format.Records, Position: w.position + 1, Time: w.now.UnixMilli(), Set: []byte{}}})
	_, err := w.verify()
	bad, ok := errors.AsType[*history.Error](err)
	if !ok || !errors.Is(err, history.ErrForked) || bad.Object != format.SegmentName(1, next) {
		t.Errorf("verification of a fork: %v", err)
	}
	if _, _, err := w.restore(history.Until{}); !errors.Is(err, history.ErrForked) {
		t.Errorf("restore from a fork: %v", err)
	}
}

// TestGap restores what is before a gap in the log and what is after the snapshot that follows it, and refuses states
// between.
func TestGap(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 11, false)
	w.snapshot()
	early := w.write()
	w.ship()
	w.advance(time.Minute)
	lost := w.write()
	w.lose()
	w.advance(time.Minute)
	w.write()
	w.ship()
	restored, digests, err := w.restore(history.Until{})
	check(t, err)
	if restored.Gap == nil || restored.Position != early.position || digests.Data != early.digests.Data {
		t.Errorf("before there is a snapshot: position %d, gap %v; want position %d", restored.Position, restored.Gap, early.position)
	}
	w.snapshot()
	late := w.write()
	w.ship()
	for _, s := range []state{early, late} {
		_, digests, err := w.restore(history.Until{Position: s.position})
		if err != nil || digests.Data != s.digests.Data || digests.Events != s.digests.Events {
			t.Errorf("position %d: digests %+v, want %+v, error %v", s.position, digests, s.digests, err)
		}
	}
	for _, until := range []history.Until{{Position: lost.position}, {Time: lost.time}} {
		_, _, err := w.restore(until)
		if outside, ok := errors.AsType[*history.RangeError](err); !ok || outside.Gap == nil || outside.To.Position != early.position {
			t.Errorf("%+v: %v", until, err)
		}
	}
	if v, err := w.verify(); err != nil || v.Gaps != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestPoints returns the range of states that can be restored, and Stage refuses others.
func TestPoints(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 13, false)
	if p, err := w.read().Points(t.Context()); err != nil || p.From != 0 || p.To != 0 || p.Epoch != 1 {
		t.Errorf("without a snapshot: %+v, %v", p, err)
	}
	if _, _, err := w.restore(history.Until{}); !errors.Is(err, history.ErrEmpty) {
		t.Errorf("restore without a snapshot: %v", err)
	}
	w.write()
	first := w.snapshot()
	w.write()
	second := w.snapshot()
	last := w.write()
	w.ship()
	p := must(w.read().Points(t.Context()))(t)
	if p.From != (first.Time+999)/1000 || p.To != (last.time+999)/1000 || p.Position != last.position || p.Epoch != 1 {
		t.Errorf("%+v; first snapshot at %d, last change at %d, position %d", p, first.Time, last.time, last.position)
	}
	if len(p.Snapshots) != 2 || p.Snapshots[1].Position != second.Position || p.Snapshots[0].Bytes == 0 {
		t.Errorf("snapshots %+v", p.Snapshots)
	}
	for _, until := range []history.Until{
		{Time: first.Time - 1}, {Time: p.To*1000 + 1}, {Position: first.Position - 1}, {Position: last.position + 1},
	} {
		_, _, err := w.restore(until)
		for _, err := range []error{err, w.read().Check(t.Context(), until)} {
			outside, ok := errors.AsType[*history.RangeError](err)
			if !ok || outside.From.Position != first.Position || outside.To.Position != last.position {
				t.Errorf("%+v: %v; what is kept is from %d to %d", until, err, first.Position, last.position)
			}
		}
	}
	for _, until := range []history.Until{{Time: p.From * 1000}, {Time: p.To * 1000}} {
		if _, _, err := w.restore(until); err != nil {
			t.Errorf("%+v: %v", until, err)
		}
	}
}

// TestFetchContents stores the contents of local files where a server looks for them.
func TestFetchContents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 17, false)
	w.snapshot()
	f := w.addFile([]byte("the content"), true)
	w.addFile([]byte("not at the target"), false)
	w.ship()
	h := w.read()
	s, err := h.Stage(t.Context(), t.TempDir(), history.Until{})
	check(t, err)
	defer func() { check(t, s.Discard()) }()
	c, err := h.FetchContents(t.Context(), s.Dir())
	check(t, err)
	if c.Files != 2 || c.Missing != 1 {
		t.Errorf("%+v", c)
	}
	got, err := os.ReadFile(filepath.Join(s.Dir(), datadir.Files, datadir.Objects, files.DiskPath(f.ObjectKey)))
	if err != nil || string(got) != "the content" {
		t.Errorf("content %q, %v", got, err)
	}
	w.put(format.ContentName(f.SHA256), []byte("The content"))
	if err := os.RemoveAll(filepath.Join(s.Dir(), datadir.Files)); err != nil {
		t.Fatal(err)
	}
	_, err = h.FetchContents(t.Context(), s.Dir())
	if bad, ok := errors.AsType[*history.Error](err); !ok || bad.Object != format.ContentName(f.SHA256) || !errors.Is(err, format.ErrInvalid) {
		t.Errorf("a damaged content: %v", err)
	}
}

// TestIdentity distinguishes a missing key from damage.
func TestIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 19, true)
	w.snapshot()
	w.write()
	w.ship()
	h := must(history.Read(t.Context(), w.target.View()))(t)
	if _, err := h.Stage(t.Context(), t.TempDir(), history.Until{}); !errors.Is(err, format.ErrIdentity) || errors.Is(err, format.ErrInvalid) {
		t.Errorf("without an identity: %v", err)
	}
	if _, err := h.Points(t.Context()); err != nil {
		t.Errorf("points need no identity: %v", err)
	}
}

// TestNoReplica reads targets without a replica, and one that has just begun.
func TestNoReplica(t *testing.T) {
	t.Parallel()
	empty := targettest.NewMemory()
	if _, err := history.Read(t.Context(), empty.View()); !errors.Is(err, history.ErrNoReplica) {
		t.Errorf("an empty target: %v", err)
	}
	empty.Set(format.IdentityName, format.Encode(format.Identity{Format: format.Version, ID: "a", Data: "b"}))
	h, err := history.Read(t.Context(), empty.View())
	check(t, err)
	if p, err := h.Points(t.Context()); err != nil || p.Epoch != 0 || p.Snapshots == nil {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestTargetRecovers repeats requests that fail once.
func TestTargetRecovers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 23, false)
	w.snapshot()
	w.write()
	w.ship()
	view, failed := w.target.View(), false
	name := format.SegmentName(1, w.next-1)
	view.Before = func(_ context.Context, c targettest.Call) error {
		if c.Name == name && !failed {
			failed = true
			return errors.New("connection reset")
		}
		return nil
	}
	h := must(history.Read(t.Context(), view))(t)
	segments := 0
	end, err := h.Walk(t.Context(), h.Snapshots[0], func(history.Segment) error { segments++; return nil })
	if err != nil || !failed || end.Segments != segments || end.Position != w.shipped {
		t.Errorf("%+v after %d segments, error %v, failed %t", end, segments, err, failed)
	}
	stop := errors.New("stop")
	end, err = h.Walk(t.Context(), h.Snapshots[0], func(history.Segment) error { return stop })
	if !errors.Is(err, stop) || end.Segments != 0 {
		t.Errorf("%+v, %v", end, err)
	}
	if _, err := target.Read(t.Context(), view, "none", 1); !errors.Is(err, target.ErrMissing) {
		t.Error(err)
	}
}

// restores returns the number of states that the model test restores.
func restores() int {
	if os.Getenv("SVC_LONG") != "" {
		return 1000
	}
	return 20
}
