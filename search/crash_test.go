package search

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/store"
)

// writerFolder is the environment variable that passes the data directory to a test
// binary that will be killed.
const writerFolder = "SVC_TEST_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerFolder); dir != "" {
		if err := writeUntilKilled(dir); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// writeUntilKilled stores logs and edits an announcement while the index processes the
// changes. It prints a line for each acknowledged change.
func writeUntilKilled(dir string) error {
	db, err := store.Open(filepath.Join(dir, "svc.db"), store.Options{})
	if err != nil {
		return err
	}
	index, err := Open(dir, db, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	go index.Run(context.Background())
	p := db.Projects()[0].ID
	out := bufio.NewWriter(os.Stdout)
	var a store.Announcement
	for n := 0; ; n++ {
		mark := fmt.Sprintf("%d-%08x", os.Getpid(), rand.Uint32())
		err := db.Submit(func(tx *store.Tx) error {
			for i := range 100 {
				if err := tx.AddLog(p, &store.Log{Content: fmt.Sprintf("log %d %s", i, mark)}); err != nil {
					return err
				}
			}
			a.Title = mark
			return tx.PutAnnouncement(p, &a)
		})
		if err != nil {
			return err
		}
		if n%7 == 6 {
			go func() { _ = index.Rebuild(context.Background(), nil) }()
		}
		if _, err := fmt.Fprintln(out, mark, a.ID); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
}

// TestKilledAtAnyMoment kills a writing process twenty times. It checks that all
// acknowledged records are found immediately after the restart, and again after the index
// has caught up from its checkpoint. An edited text must never be found by its old
// content.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	p := b.addProject("app")
	b.close()
	titles := map[string]string{} // the last acknowledged title of each announcement
	var marks []string
	for round := range 20 {
		for _, line := range writeAndKill(t, b.dir, time.Duration(rand.IntN(250))*time.Millisecond) {
			mark, id, _ := strings.Cut(line, " ")
			marks = append(marks, mark)
			titles[id] = mark
		}
		_, missing := os.Stat(b.folder()) // killed before the index was created, or while it was being replaced
		b.open()
		check(t, b.index.admit())
		if missing == nil && b.index.engine == nil {
			t.Errorf("round %d: the index was thrown away after a kill", round)
		}
		if round%4 == 3 {
			b.findAcknowledged(p.ID, "at once", marks, titles)
		}
		b.settle()
		b.findAcknowledged(p.ID, "later", marks, titles)
		b.close()
	}
	b.open()
	t.Logf("%d acknowledged groups of 100 logs", len(marks))
}

// writeAndKill starts a process that writes, kills it after the given time, and returns
// the lines that it printed.
func writeAndKill(t *testing.T, dir string, after time.Duration) (lines []string) {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), writerFolder+"="+dir)
	out, err := c.StdoutPipe()
	check(t, err)
	check(t, c.Start())
	r := bufio.NewReader(out)
	first, err := r.ReadString('\n')
	if err != nil || strings.HasPrefix(first, "error:") {
		t.Fatalf("writer says %q (%v)", first, err)
	}
	timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	rest, err := io.ReadAll(r)
	check(t, err)
	_ = c.Wait() // it was killed
	all := strings.Split(first+string(rest), "\n")
	return all[:len(all)-1] // the last line may be incomplete
}

func (b *box) findAcknowledged(p store.ProjectID, when string, marks []string, titles map[string]string) {
	b.t.Helper()
	for _, mark := range marks[max(0, len(marks)-30):] {
		if got := b.findLogs(p, mark); got != 100 {
			b.t.Fatalf("%s: got %d logs with %s, want 100", when, got, mark)
		}
	}
	if got, want := b.findLogs(p, "log 77 "), len(marks); got < want {
		b.t.Fatalf("%s: got %d groups, want at least the %d acknowledged", when, got, want)
	}
	current := map[string]string{}
	check(b.t, b.db.View(func(tx *store.Tx) error {
		for id := range titles {
			parsed, _ := store.ParseID(id)
			a, err := tx.Announcement(p, parsed)
			if err != nil {
				return fmt.Errorf("announcement %s: %w", id, err)
			}
			current[id] = a.Title
		}
		return nil
	}))
	for id := range titles {
		if n := len(b.findAnnouncements(p, current[id])); n != 1 {
			b.t.Fatalf("%s: got %d announcements with %s, want 1", when, n, current[id])
		}
	}
	for _, mark := range marks[max(0, len(marks)-10):] {
		for _, title := range b.findAnnouncements(p, mark) {
			if title != mark {
				b.t.Fatalf("%s: %s finds announcement %s", when, mark, title)
			}
		}
	}
}

// findAnnouncements returns the titles of the announcements that contain a text.
func (b *box) findAnnouncements(p store.ProjectID, text string) (titles []string) {
	b.t.Helper()
	n := b.index.Candidates(b.t.Context(), store.KindAnnouncement, p, []string{text})
	check(b.t, b.db.View(func(tx *store.Tx) error {
		n, err := tx.WithChanges(n)
		if err != nil {
			return err
		}
		list, err := tx.Searchable("", 1<<20)
		for _, c := range list {
			if c.Kind != store.KindAnnouncement || !n.Contain(c.Ref()) {
				continue
			}
			a, err := tx.Announcement(c.Project, c.ID)
			if err != nil {
				return err
			}
			if strings.Contains(a.SearchText(), text) {
				titles = append(titles, a.Title)
			}
		}
		return err
	}))
	return titles
}
