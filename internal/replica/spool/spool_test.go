package spool_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"svc/internal/replica/format"
	"svc/internal/replica/spool"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// plenty is the free space of a disk that is not full.
func plenty() (uint64, error) { return 1 << 40, nil }

// open opens a spool on a disk that is not full.
func open(t testing.TB, dir string, records, events uint64, o spool.Options) *spool.Spool {
	t.Helper()
	if o.Free == nil {
		o.Free = plenty
	}
	s, err := spool.Open(dir, spool.At{Position: records, Complete: records > 0}, spool.At{Position: events, Complete: events > 0}, o)
	check(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// begun returns a spool that records everything above position 1.
func begun(t testing.TB, dir string, o spool.Options) *spool.Spool {
	t.Helper()
	s := open(t, dir, 0, 0, o)
	if position, err := s.Resume(0); err != nil || position != 1 || s.Gap() {
		t.Fatalf("got position %d, error %v, gap %v", position, err, s.Gap())
	}
	return s
}

// commit records a transaction that succeeds.
func commit(t testing.TB, s *spool.Spool, of format.File, set string) (position uint64) {
	t.Helper()
	position, err := s.Recorder(of).Append([]byte(set))
	check(t, err)
	s.Recorder(of).Settle(true)
	return position
}

// next returns the changes above a position as text.
func next(t testing.TB, s *spool.Spool, after uint64, limit int) (texts []string, b spool.Batch) {
	t.Helper()
	b, err := s.Next(after, limit)
	check(t, err)
	texts = []string{}
	for rest := b.Changes; len(rest) > 0; {
		var c format.Change
		c, rest, err = format.NextChange(rest)
		check(t, err)
		texts = append(texts, fmt.Sprintf("%d:%d:%s", c.File, c.Position, c.Set))
	}
	if len(texts) != b.Count {
		t.Errorf("got %d changes, Count is %d", len(texts), b.Count)
	}
	return texts, b
}

func wantNext(t testing.TB, s *spool.Spool, after uint64, want ...string) {
	t.Helper()
	if got, _ := next(t, s, after, format.MaxSegment); !slices.Equal(got, want) {
		t.Errorf("after %d: got %v, want %v", after, got, want)
	}
}

func wantGap(t testing.TB, s *spool.Spool, after uint64) {
	t.Helper()
	if b, err := s.Next(after, format.MaxSegment); !errors.Is(err, spool.ErrGap) {
		t.Errorf("after %d: got %d changes and error %v, want a gap", after, b.Count, err)
	}
}

// TestNextEndsBeforeUnsettledChanges returns no change before those with smaller positions are committed
// or have failed, and none that has failed.
func TestNextEndsBeforeUnsettledChanges(t *testing.T) {
	t.Parallel()
	s := begun(t, t.TempDir(), spool.Options{})
	records, events := s.Recorder(format.Records), s.Recorder(format.Events)
	commit(t, s, format.Events, "a")
	_, _ = events.Append([]byte("b"))
	_, _ = records.Append([]byte("c"))
	records.Settle(true)
	wantNext(t, s, 1, "2:2:a")
	if s.Position() != 4 {
		t.Errorf("got position %d, want that of the last commit, 4", s.Position())
	}
	events.Settle(false)
	wantNext(t, s, 1, "2:2:a", "1:4:c")
	wantNext(t, s, 2, "1:4:c")
	wantNext(t, s, 4)
	select {
	case <-s.More():
	default:
		t.Error("nothing in the channel of More after changes")
	}
	_, _ = events.Append([]byte("d"))
	events.Settle(false)
	if s.Position() != 4 {
		t.Errorf("got position %d after a failed transaction, want 4", s.Position())
	}
	wantNext(t, s, 4)
}

// TestBatchesAreLimited returns as many changes as the limit allows, and one that is larger on its own.
func TestBatchesAreLimited(t *testing.T) {
	t.Parallel()
	s := begun(t, t.TempDir(), spool.Options{FileSize: 200, Max: 1 << 30})
	large := string(make([]byte, 3<<20))
	for i := range 10 {
		commit(t, s, format.Events, fmt.Sprint("number ", i))
	}
	commit(t, s, format.Records, large)
	commit(t, s, format.Records, "last")
	var all []int
	for after := uint64(1); ; {
		_, b := next(t, s, after, 100)
		if b.Count == 0 {
			break
		}
		if b.First != after+1 || b.Count > 1 && len(b.Changes) > 100 {
			t.Errorf("after %d: got %d bytes from position %d", after, len(b.Changes), b.First)
		}
		after, all = b.Last, append(all, b.Count)
	}
	if want := []int{4, 4, 2, 1, 1}; !slices.Equal(all, want) {
		t.Errorf("got batches of %v changes, want %v", all, want)
	}
}

// TestTimesNeverGoBack records with a clock that is set back.
func TestTimesNeverGoBack(t *testing.T) {
	t.Parallel()
	now, dir := int64(5000), t.TempDir()
	o := spool.Options{Now: func() time.Time { return time.UnixMilli(now) }}
	s := begun(t, dir, o)
	for _, now = range []int64{6000, 4000} {
		commit(t, s, format.Records, "x")
	}
	check(t, s.Close())
	now = 3000
	s = open(t, dir, 3, 1, o)
	commit(t, s, format.Events, "y")
	if _, b := next(t, s, 2, format.MaxSegment); b.Begin != 6000 || b.End != 6000 {
		t.Errorf("got times %d to %d, want 6000", b.Begin, b.End)
	}
	s.Drop("a test")
	_, err := s.Resume(7000)
	check(t, err)
	commit(t, s, format.Events, "z")
	if _, b := next(t, s, 4, format.MaxSegment); b.Begin != 7000 {
		t.Errorf("got time %d, want 7000", b.Begin)
	}
}

// TestConfirmDeletes deletes whole files, and reports what waits.
func TestConfirmDeletes(t *testing.T) {
	t.Parallel()
	dir, now := t.TempDir(), int64(1)
	o := spool.Options{FileSize: 100, Now: func() time.Time { return time.UnixMilli(now) }}
	s := begun(t, dir, o)
	if !s.Oldest().IsZero() {
		check(t, s.Confirm(1))
	}
	for now = 1; now <= 20; now++ {
		commit(t, s, format.Events, "a change of some size")
	}
	full, oldest := s.Size(), s.Oldest().UnixMilli()
	before := spoolFiles(t, dir)
	_, b := next(t, s, 1, 300)
	check(t, s.Confirm(b.Last))
	next(t, s, b.Last, 300)
	if oldest != 1 || full < 20*21 || s.Size() >= full || s.Oldest().UnixMilli() != b.End+1 {
		t.Errorf("got oldest %d, then %v; size %d, then %d", oldest, s.Oldest().UnixMilli(), full, s.Size())
	}
	if after := spoolFiles(t, dir); len(after) >= len(before) {
		t.Errorf("got %d files, then %d", len(before), len(after))
	}
	wantGap(t, s, 1)
	check(t, s.Confirm(s.Position()))
	check(t, s.Close())
	s = open(t, dir, 1, 21, o)
	if files := spoolFiles(t, dir); len(files) != 1 || s.Size() != 0 || !s.Oldest().IsZero() || s.Gap() || s.Position() != 21 {
		t.Errorf("got files %v, size %d, oldest %v, gap %v, position %d", files, s.Size(), s.Oldest(), s.Gap(), s.Position())
	}
}

func spoolFiles(t testing.TB, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*.spool"))
	check(t, err)
	return list
}

// TestDropWithoutSpace drops the spool when it is too large or its disk is full. Transactions do not fail,
// positions continue, and recording begins again when Resume is called.
func TestDropWithoutSpace(t *testing.T) {
	t.Parallel()
	free := uint64(1 << 40)
	for name, o := range map[string]spool.Options{
		"size": {Max: 2000},
		"disk": {Free: func() (uint64, error) { return free, nil }},
	} {
		dir := t.TempDir()
		s := begun(t, dir, o)
		for i := range 50 {
			if i == 40 {
				free = 64<<20 + 10
			}
			if got := commit(t, s, format.Events, "a change that takes some space in the spool"); got != uint64(i+2) {
				t.Errorf("%s: got position %d, want %d", name, got, i+2)
			}
		}
		if files := spoolFiles(t, dir); !s.Gap() || len(files) > 0 || s.Size() != 0 || s.Oldest().IsZero() {
			t.Errorf("%s: gap %v, files %v, size %d", name, s.Gap(), files, s.Size())
		}
		wantGap(t, s, 51)
		if free < 1<<30 && name == "disk" {
			if _, err := s.Resume(0); err == nil || !s.Gap() {
				t.Errorf("%s: resumed on a full disk", name)
			}
		}
		free = 1 << 40
		position, err := s.Resume(0)
		check(t, err)
		if position != 51 {
			t.Errorf("%s: resumed at %d, want 51", name, position)
		}
		commit(t, s, format.Records, "more")
		wantGap(t, s, 50)
		wantNext(t, s, 51, "1:52:more")
	}
}

// TestDropBetweenAppendAndSettle drops the spool within a transaction.
func TestDropBetweenAppendAndSettle(t *testing.T) {
	t.Parallel()
	for _, visible := range []bool{true, false} {
		s := begun(t, t.TempDir(), spool.Options{})
		r := s.Recorder(format.Records)
		_, _ = r.Append([]byte("a"))
		s.Drop("a test")
		r.Settle(visible)
		position, err := s.Resume(0)
		check(t, err)
		if position != 2 {
			t.Errorf("got position %d, want 2", position)
		}
		wantNext(t, s, 2)
	}
}

// TestOpenComparesWithTheDatabases opens a spool with databases that have other positions.
func TestOpenComparesWithTheDatabases(t *testing.T) {
	t.Parallel()
	made := t.TempDir()
	s := begun(t, made, spool.Options{})
	commit(t, s, format.Records, "a")                     // 2
	commit(t, s, format.Events, "b")                      // 3
	_, _ = s.Recorder(format.Records).Append([]byte("c")) // 4
	commit(t, s, format.Events, "d")                      // 5
	content, err := os.ReadFile(spoolFiles(t, made)[0])
	check(t, err)

	at := func(position uint64) spool.At { return spool.At{Position: position, Complete: true} }
	for name, tc := range map[string]struct {
		records, events spool.At
		content         []byte
		want            []string // nil means a gap
	}{
		"as left":               {at(2), at(5), content, []string{"1:2:a", "2:3:b", "2:5:d"}},
		"all committed":         {at(4), at(5), content, []string{"1:2:a", "2:3:b", "1:4:c", "2:5:d"}},
		"last not committed":    {at(2), at(3), content, []string{"1:2:a", "2:3:b"}},
		"events went back":      {at(2), at(1), content, nil},
		"records went on":       {at(6), at(5), content, nil},
		"not recorded":          {spool.At{Position: 2}, at(5), content, nil},
		"end missing":           {at(2), at(5), content[:len(content)-1], nil},
		"uncommitted end torn":  {at(2), at(3), content[:len(content)-1], []string{"1:2:a", "2:3:b"}},
		"zeros at the end":      {at(2), at(5), append(slices.Clone(content), 0, 0, 0), []string{"1:2:a", "2:3:b", "2:5:d"}},
		"no header":             {at(2), at(5), content[:20], nil},
		"empty":                 {at(2), at(5), nil, nil},
		"never recorded before": {spool.At{}, spool.At{}, nil, nil},
	} {
		dir := t.TempDir()
		check(t, os.WriteFile(filepath.Join(dir, "0000000000000003.spool"), tc.content, 0o600))
		check(t, os.WriteFile(filepath.Join(dir, "state.json"), nil, 0o600))
		s, err := spool.Open(dir, tc.records, tc.events, spool.Options{Free: plenty})
		check(t, err)
		if s.Gap() != (tc.want == nil) {
			t.Errorf("%s: gap %v", name, s.Gap())
		}
		before := s.Position()
		if tc.want != nil {
			wantNext(t, s, 1, tc.want...)
		} else {
			if before <= max(tc.records.Position, tc.events.Position) || len(spoolFiles(t, dir)) > 0 {
				t.Errorf("%s: position %d, files %v", name, before, spoolFiles(t, dir))
			}
			_, err := s.Resume(0)
			check(t, err)
		}
		added := commit(t, s, format.Events, "e")
		if added <= before {
			t.Errorf("%s: position %d after %d", name, added, before)
		}
		wantNext(t, s, before, fmt.Sprintf("2:%d:e", added))
		check(t, s.Close())
		if tc.want == nil {
			continue
		}
		s, err = spool.Open(dir, tc.records, at(added), spool.Options{Free: plenty})
		check(t, err)
		wantNext(t, s, 1, append(tc.want, fmt.Sprintf("2:%d:e", added))...)
		check(t, s.Close())
	}
}

// TestKillWhileAFileBegins opens a spool after the header of its newest file was written in part.
func TestKillWhileAFileBegins(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, 30} {
		dir := t.TempDir()
		s := begun(t, dir, spool.Options{FileSize: 1})
		commit(t, s, format.Records, "a")
		commit(t, s, format.Records, "b")
		check(t, s.Close())
		files := spoolFiles(t, dir)
		begins := filepath.Join(dir, fmt.Sprintf("%016d.spool", len(files)+1))
		content, err := os.ReadFile(files[0])
		check(t, err)
		check(t, os.WriteFile(begins, content[:size], 0o600))
		s = open(t, dir, 3, 1, spool.Options{FileSize: 1})
		wantNext(t, s, 1, "1:2:a", "1:3:b")
		commit(t, s, format.Records, "c")
		wantNext(t, s, 1, "1:2:a", "1:3:b", "1:4:c")
		if _, err := os.Stat(begins); err == nil {
			t.Error("the file without a header is still there")
		}
	}
}

// TestFilesOfBothDatabasesRotate begins a new file while a transaction of the other database is in
// progress, and deletes the previous one.
func TestFilesOfBothDatabasesRotate(t *testing.T) {
	t.Parallel()
	for _, visible := range []bool{true, false} {
		dir := t.TempDir()
		s := begun(t, dir, spool.Options{FileSize: 1})
		events := s.Recorder(format.Events)
		_, _ = events.Append([]byte("slow")) // 2
		commit(t, s, format.Records, "a")    // 3, in the next file
		events.Settle(visible)
		check(t, s.Confirm(3))
		commit(t, s, format.Records, "b")
		check(t, s.Close())
		at := uint64(1)
		if visible {
			at = 2
		}
		s = open(t, dir, 4, at, spool.Options{})
		wantNext(t, s, 3, "1:4:b")
	}
}

// TestStart records above a position that the databases have not reached through the recorders.
func TestStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir, 70, 90, spool.Options{})
	check(t, s.Start(95, 70, 90, 0))
	if s.Position() != 95 || s.Gap() || !s.Oldest().IsZero() {
		t.Errorf("got position %d, gap %v, oldest %v", s.Position(), s.Gap(), s.Oldest())
	}
	check(t, s.Close())
	s = open(t, dir, 70, 90, spool.Options{})
	commit(t, s, format.Records, "a")
	wantNext(t, s, 95, "1:96:a")
}

// TestNextFindsDamage damages the file of an open spool. Next must drop the spool.
func TestNextFindsDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := begun(t, dir, spool.Options{})
	commit(t, s, format.Records, "some text")
	path := spoolFiles(t, dir)[0]
	content, err := os.ReadFile(path)
	check(t, err)
	content[len(content)-6] ^= 1
	check(t, os.WriteFile(path, content, 0o600))
	wantGap(t, s, 1)
	if !s.Gap() {
		t.Error("no gap after damage")
	}
}
