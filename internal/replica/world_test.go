package replica_test

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/replica"
	"svc/internal/replica/format"
	"svc/internal/replica/history"
	"svc/internal/replica/spool"
	"svc/internal/replica/target"
	"svc/internal/replica/target/targettest"
)

// database is the data of a server: a list of texts, which are written through the recorder of a spool. Restored
// states must equal its copies.
type database struct {
	mu    sync.Mutex
	spool *spool.Spool
	texts []string
	positions
}

// positions are the positions of both databases. Events are never written.
type positions struct{ records, events spool.At }

// write commits a text.
func (d *database) write(t testing.TB, text string) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	r := d.spool.Recorder(format.Records)
	at, err := r.Append([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d.records = spool.At{Position: at, Complete: true}
	d.texts = append(d.texts, text)
	r.Settle(true)
}

// archive writes the texts as a snapshot.
func (d *database) archive(_ context.Context, to io.Writer, _ []string, imaged func() error) error {
	d.mu.Lock()
	err := imaged()
	content := strings.Join(d.texts, "\n")
	d.mu.Unlock()
	if err != nil {
		return err
	}
	_, err = io.WriteString(to, content+"\n")
	return err
}

// server is a server with a primary.
type server struct {
	*replica.Primary
	database
	dir  string
	name string
}

// settings changes the configuration of a server.
type settings func(c *replica.Config)

func inSync(c *replica.Config) { c.Sync = true }

// start starts a server in a directory. texts and at are the content and the position of its database.
func start(t testing.TB, dir, name string, view target.Target, texts []string, at positions, changes ...settings) *server {
	t.Helper()
	s := open(t, dir, name, texts, at)
	p, err := s.start(t, view, changes...)
	if err != nil {
		t.Fatal(err)
	}
	s.Primary = p
	return s
}

func open(t testing.TB, dir, name string, texts []string, at positions) *server {
	t.Helper()
	changes, err := spool.Open(dir, at.records, at.events, spool.Options{
		Free: func() (uint64, error) { return 1 << 40, nil }, Log: slog.New(slog.NewTextHandler(t.Output(), nil)).With("server", name),
	})
	if err != nil {
		t.Fatal(err)
	}
	if changes.Gap() { // both databases get the position at which the spool begins
		at.records = spool.At{Position: changes.Position(), Complete: true}
		at.events = at.records
	}
	return &server{database: database{spool: changes, texts: slices.Clone(texts), positions: at}, dir: dir, name: name}
}

func (s *server) start(t testing.TB, view target.Target, changes ...settings) (*replica.Primary, error) {
	c := replica.Config{
		Dir: s.dir, Data: "data", Host: s.name, Target: view, Location: "memory", Spool: s.spool, SyncTimeout: 10 * time.Second,
		Archive: s.archive, Log: slog.New(slog.NewTextHandler(t.Output(), nil)).With("server", s.name),
		Tunable: replica.Tunable{Every: time.Second, SnapshotEvery: 24 * time.Hour, Retain: 7 * 24 * time.Hour},
	}
	for _, change := range changes {
		change(&c)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return replica.Start(c)
}

// end stops a server, and returns what its database is at the next start.
func (s *server) end(t testing.TB) (texts []string, at positions) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
	return s.close(t)
}

// kill ends a server at once.
func (s *server) kill(t testing.TB) (texts []string, at positions) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_ = s.Stop(ctx)
	return s.close(t)
}

func (s *server) close(t testing.TB) (texts []string, at positions) {
	t.Helper()
	at = s.positions
	if err := s.spool.Close(); err != nil {
		t.Error(err)
	}
	return s.texts, at
}

// wait waits until a condition holds.
func wait(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for range 60000 {
		if condition() {
			return
		}
		time.Sleep(10 * time.Millisecond) //nolint:forbidigo // by the fake clock of synctest: of the clock of synctest
	}
	t.Fatalf("%s: not within 10 minutes", what)
}

// restored returns the texts that a restore of the newest state gives, and their position.
func restored(m *targettest.Memory) (texts []string, position uint64, err error) {
	objects := m.Objects()
	newest := uint32(1)
	for n := newest + 1; objects[format.EpochName(n)] != nil; n++ {
		if objects[format.CutName(n)] != nil {
			newest = n
		}
	}
	ends := map[uint32]*format.Cut{newest: nil} // the history, by epoch
	chain := []uint32{newest}
	for e := newest; e > 1; {
		cut, err := format.Decode[format.Cut](objects[format.CutName(e)])
		if err != nil {
			return nil, 0, err
		}
		e = cut.Epoch
		ends[e] = &cut
		chain = append(chain, e)
	}
	slices.Reverse(chain)
	var base *format.Manifest
	for name, content := range objects {
		if !strings.HasPrefix(name, format.Snapshots+"/") || !strings.HasSuffix(name, "/manifest") {
			continue
		}
		s, err := format.Decode[format.Manifest](content)
		if err != nil {
			return nil, 0, err
		}
		end, known := ends[s.Epoch]
		if known && (end == nil || s.Next <= end.Segment+1 && s.Position <= end.Position) && (base == nil || s.Position > base.Position) {
			base = &s
		}
	}
	if base == nil {
		return nil, 0, errors.New("no snapshot can be used")
	}
	var archive strings.Builder
	for i := range base.Parts {
		part := objects[format.PartName(base.Position, i+1)]
		if sum := format.SumOf(part); hex.EncodeToString(sum[:]) != base.Parts[i].SHA256 {
			return nil, 0, fmt.Errorf("part %d of snapshot %d has another checksum", i+1, base.Position)
		}
		archive.Write(part)
	}
	if content := strings.TrimSuffix(archive.String(), "\n"); content != "" {
		texts = strings.Split(content, "\n")
	}
	position = base.Position
	before := base.Before
	for i, e := range chain {
		if e < base.Epoch {
			continue
		}
		number := uint64(1)
		if e == base.Epoch {
			number = base.Next
		}
		for ; ends[e] == nil || number <= ends[e].Segment; number++ {
			segment := objects[format.SegmentName(e, number)]
			if segment == nil && ends[e] == nil {
				break
			}
			h, changes, err := format.Open(segment)
			if err != nil {
				return nil, 0, fmt.Errorf("segment %d of epoch %d (chain %d of %v): %w", number, e, i, chain, err)
			}
			if got := hex.EncodeToString(h.Before[:]); got != before && (before != "" || h.Before != format.Sum{}) {
				return nil, 0, fmt.Errorf("segment %d of epoch %d does not continue the one before", number, e)
			}
			if h.After > position {
				return nil, 0, fmt.Errorf("segment %d of epoch %d begins at %d, after a gap from %d", number, e, h.After, position)
			}
			sum := format.SumOf(segment)
			before = hex.EncodeToString(sum[:])
			for _, c := range changes {
				if c.Position > position {
					texts = append(texts, string(c.Set))
				}
			}
			position = max(position, h.Last)
		}
	}
	return texts, position, nil
}

// historyEnd returns the position at which the history of a replica ends, as a restore reads it.
func historyEnd(ctx context.Context, m *targettest.Memory) (position uint64, err error) {
	h, err := history.Read(ctx, m.View())
	if err != nil {
		return 0, err
	}
	points, err := h.Points(ctx)
	return points.Position, err
}

// number returns a text with a number.
func number(prefix string, n int) string { return prefix + "-" + strconv.Itoa(n) }
