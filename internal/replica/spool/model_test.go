package spool_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"svc/internal/replica/format"
	"svc/internal/replica/spool"
)

// disk is the content of a data directory and of a target: two databases, the spool, and the state of the
// shipper. The databases are durable; the spool is not.
type disk struct {
	dir    string
	at     [format.Events + 1]spool.At
	data   [format.Events + 1][]string // the changes that each database has
	target [format.Events + 1][]string // those that are at the target
	ships  uint64                      // the position up to which the target has everything; 0 = nothing
}

// model runs a data directory with its spool in random steps.
type model struct {
	*testing.T
	*rand.Rand
	disk
	s       *spool.Spool
	o       spool.Options
	pending [format.Events + 1]string // the change of the transaction in progress
	next    [format.Events + 1]uint64 // its position; 0 = none

	made, gaps, batches, kills, failed, cuts int
}

// step makes one step.
func (m *model) step() {
	f := format.Records + format.File(m.IntN(2))
	switch n := m.IntN(100); {
	case n < 40 && m.next[f] == 0:
		m.made++
		m.pending[f] = fmt.Sprintf("%d-%0*d", f, m.IntN(60), m.made)
		m.next[f], _ = m.s.Recorder(f).Append([]byte(m.pending[f]))
	case n < 80 && m.next[f] > 0:
		m.end(f, m.IntN(5) > 0)
	case n < 92:
		m.ship()
	case n < 94:
		m.s.Drop("a test")
	case n < 96:
		m.kill(false)
	case n < 97:
		m.kill(true)
	}
}

// end ends the transaction of a database. If the process is killed between commit and Settle, it has no
// chance to call Settle.
func (m *model) end(f format.File, visible bool) {
	if visible {
		m.at[f] = spool.At{Position: m.next[f], Complete: true}
		m.data[f] = append(m.data[f], m.pending[f])
	} else {
		m.failed++
	}
	m.next[f] = 0
	if m.IntN(20) == 0 {
		m.kill(false)
		return
	}
	m.s.Recorder(f).Settle(visible)
}

// ship does what a shipper does: it sends the next changes, or makes a snapshot.
func (m *model) ship() {
	b, err := m.s.Next(m.ships, 20+m.IntN(200))
	if errors.Is(err, spool.ErrGap) {
		m.snapshot()
		return
	}
	check(m, err)
	if b.Count == 0 {
		return
	}
	if b.First <= m.ships || b.Last < b.First || b.End < b.Begin {
		m.Fatalf("after %d: got changes %d to %d", m.ships, b.First, b.Last)
	}
	for rest, last := b.Changes, m.ships; len(rest) > 0; {
		var c format.Change
		c, rest, err = format.NextChange(rest)
		check(m, err)
		if c.Position <= last {
			m.Fatalf("position %d after %d", c.Position, last)
		}
		last = c.Position
		m.target[c.File] = append(m.target[c.File], string(c.Set))
		if n := len(m.target[c.File]); n > len(m.data[c.File]) || m.data[c.File][n-1] != string(c.Set) {
			m.Fatalf("shipped %q, which the database does not have at this place", c.Set)
		}
	}
	m.ships = b.Last
	m.batches++
	if m.IntN(10) == 0 {
		m.kill(false) // before the confirmation
		return
	}
	check(m, m.s.Confirm(b.Last))
}

// snapshot copies both databases while they are held, which is when no transaction is in progress.
func (m *model) snapshot() {
	for f := format.Records; f <= format.Events; f++ {
		if m.next[f] > 0 {
			m.end(f, true)
		}
	}
	position, err := m.s.Resume(0)
	check(m, err)
	if m.IntN(10) == 0 {
		m.kill(false) // before the snapshot is complete
		return
	}
	for f := range m.data {
		m.target[f] = slices.Clone(m.data[f])
	}
	m.ships = position
	m.gaps++
	check(m, m.s.Confirm(position))
}

// kill ends the process, and starts it again with a copy of the current files. After a power cut, the
// end of the spool is missing or damaged.
func (m *model) kill(power bool) {
	recording := !m.s.Gap()
	dir := filepath.Join(m.TempDir(), "spool")
	if recording {
		check(m, os.CopyFS(dir, os.DirFS(m.dir)))
	}
	check(m, m.s.Close())
	m.dir = dir
	files := spoolFiles(m, dir)
	for f := range m.next {
		if m.next[f] > 0 && m.IntN(2) == 0 { // killed after the commit
			m.at[f] = spool.At{Position: m.next[f], Complete: true}
			m.data[f] = append(m.data[f], m.pending[f])
		}
		m.next[f] = 0
	}
	m.kills++
	if power && len(files) > 0 {
		m.cuts++
		m.damage(files[m.IntN(len(files))])
	}
	m.start()
	if recording && !power && m.s.Gap() {
		m.Fatal("a gap after the end of the process")
	}
}

func (m *model) damage(path string) {
	content, err := os.ReadFile(path)
	check(m, err)
	at := m.IntN(len(content) + 1)
	switch m.IntN(3) {
	case 0:
		content = content[:at]
	case 1:
		clear(content[at:])
	case 2:
		for i := at; i < min(at+8, len(content)); i++ {
			content[i] ^= byte(m.IntN(256))
		}
	}
	check(m, os.WriteFile(path, content, 0o600))
}

// start opens the spool. After a gap, both databases get its position, as in package instance.
func (m *model) start() {
	var err error
	m.s, err = spool.Open(m.dir, m.at[format.Records], m.at[format.Events], m.o)
	check(m, err)
	if m.s.Gap() {
		m.at[format.Records] = spool.At{Position: m.s.Position(), Complete: true}
		m.at[format.Events] = m.at[format.Records]
	}
}

// TestModel takes random steps with both databases, failed transactions, ends of the process at any moment
// and power failures. Each change arrives at the target once and in order, and only a power failure costs
// a snapshot.
func TestModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			m := &model{T: t, Rand: rand.New(rand.NewPCG(seed, 7)), o: spool.Options{Free: plenty, Max: 1 << 20, FileSize: 300}}
			m.dir = filepath.Join(t.TempDir(), "spool")
			m.start()
			for range 2000 {
				m.step()
			}
			for f := format.Records; f <= format.Events; f++ {
				if m.next[f] > 0 {
					m.end(f, true)
				}
			}
			for m.ships < m.s.Position() {
				m.ship()
			}
			check(t, m.s.Confirm(m.ships))
			for f := range m.data {
				if !slices.Equal(m.data[f], m.target[f]) {
					t.Errorf("database %d has %d changes, the target %d", f, len(m.data[f]), len(m.target[f]))
				}
			}
			if m.s.Size() != 0 || !m.s.Oldest().IsZero() || len(spoolFiles(t, m.dir)) > 1 {
				t.Errorf("at the end: size %d, oldest %v, files %v", m.s.Size(), m.s.Oldest(), spoolFiles(t, m.dir))
			}
			if m.batches < 40 || m.kills < 30 || m.failed < 20 || m.gaps < 5 || m.cuts < 3 {
				t.Errorf("only %d batches, %d kills, %d failed transactions, %d snapshots, %d power failures",
					m.batches, m.kills, m.failed, m.gaps, m.cuts)
			}
			check(t, m.s.Close())
		})
	}
}

// FuzzOpen opens a spool that consists of a file with any content. Whatever it contains, changes that are
// recorded afterwards are found after the next start.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	s := begun(f, dir, spool.Options{})
	commit(f, s, format.Records, "a")
	_, _ = s.Recorder(format.Events).Append([]byte("b"))
	s.Recorder(format.Events).Settle(false)
	commit(f, s, format.Events, "c")
	check(f, s.Confirm(2))
	content, err := os.ReadFile(spoolFiles(f, dir)[0])
	check(f, err)
	f.Add(content, uint64(2), uint64(4))
	f.Add(content[:len(content)-20], uint64(2), uint64(1))
	f.Add([]byte{}, uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, content []byte, records, events uint64) {
		if max(records, events) > 1<<62 {
			return
		}
		dir := t.TempDir()
		check(t, os.WriteFile(filepath.Join(dir, "0000000000000001.spool"), content, 0o600))
		s := open(t, dir, records, events, spool.Options{})
		if s.Gap() {
			records = s.Position()
			events = records
			_, err := s.Resume(0)
			check(t, err)
		}
		before := s.Position()
		if before < max(records, events) {
			t.Errorf("position %d, the databases have %d and %d", before, records, events)
		}
		records = commit(t, s, format.Records, "x")
		check(t, s.Close())
		s = open(t, dir, records, events, spool.Options{})
		if s.Gap() {
			t.Fatal("a gap after the end of the process")
		}
		wantNext(t, s, before, fmt.Sprintf("1:%d:x", records))
	})
}
