package control_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/event"
	"svc/internal/integrity"
	"svc/store"
)

func withStaging(dir string) apitest.Option {
	return apitest.WithConfig(func(c *api.Config) { c.Staging = filepath.Join(dir, "files", "staging") })
}

// TestCompactUnderLoad compacts both files repeatedly under load. No request may fail, and all
// acknowledged records must exist afterwards. Checks of copies made during the load must find
// nothing.
func TestCompactUnderLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := apitest.NewServer(t, apitest.WithRateLimit(0), apitest.WithIndex(), withStaging(dir))
	s.Furnish(t, "app")
	size := bulk(t, s)

	var running sync.WaitGroup
	var events, logs atomic.Int64
	stop := make(chan struct{})
	again := func(work func(n int)) {
		running.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
					work(n)
				}
			}
		})
	}
	post := func(path, body string, want int, stored *atomic.Int64) {
		status, answer, err := s.Call(t, "POST", path, body)
		if err != nil || status != want {
			t.Errorf("POST %s: got %d %s, %v, want %d", path, status, answer, err, want)
			return
		}
		stored.Add(1)
	}
	for client := range 2 {
		again(func(n int) {
			post("/public/app/events", fmt.Sprintf(`{"distinct_id":"u%d","events":[{"event_id":"%d %d","name":"open"}]}`, n%9, client, n), http.StatusAccepted, &events)
		})
		again(func(n int) {
			post("/public/app/logs", fmt.Sprintf(`{"level":1,"content":"%d %d"}`, client, n), http.StatusCreated, &logs)
		})
	}
	for _, path := range []string{"/admin/projects/app/versions", "/admin/projects/app/logs?search=1", "/admin/projects/app/events/stats/overview"} {
		again(func(int) {
			if status, answer, err := s.Call(t, "GET", path, ""); err != nil || status != http.StatusOK {
				t.Errorf("GET %s: got %d %s, %v", path, status, answer, err)
			}
		})
	}
	for round := range 6 {
		if after := compact(t, s, round > 0); round == 0 && after > size/2 {
			t.Errorf("svc.db has %d bytes, and had %d", after, size)
		}
		checkCopies(t, s)
	}
	close(stop)
	running.Wait()
	checkCopies(t, s)
	t.Logf("%d events and %d logs while both files were compacted 6 times", events.Load(), logs.Load())
	overview := s.Must(t, http.StatusOK, "GET", "/admin/projects/app/events/stats/overview", "")
	if got := apitest.Field[int64](t, overview, "total"); got != events.Load() {
		t.Errorf("got %d events, %d were acknowledged", got, events.Load())
	}
	list := s.Must(t, http.StatusOK, "GET", "/admin/projects/app/logs?limit=1", "")
	if got := apitest.Field[int64](t, list, "total"); got != logs.Load() {
		t.Errorf("got %d logs, %d were acknowledged", got, logs.Load())
	}
}

// bulk adds many records to svc.db, deletes them again, and returns the size of the file.
func bulk(t *testing.T, s *apitest.Server) int64 {
	t.Helper()
	p := &store.Project{Key: "bulk"}
	err := s.DB.Update(func(tx *store.Tx) error {
		if err := tx.CreateProject(p); err != nil {
			return err
		}
		for range 3000 {
			if err := tx.AddLog(p.ID, &store.Log{Content: strings.Repeat("x", 2000)}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DB.Update(func(tx *store.Tx) error { return tx.DeleteProject(p) }); err != nil {
		t.Fatal(err)
	}
	if err := s.DB.Purge(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.DB.Path())
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// compact compacts both files, checks that svc.db was compacted, and returns its size.
func compact(t *testing.T, s *apitest.Server, always bool) int64 {
	t.Helper()
	status, answer := s.Owner(t, "POST", "/control/compact", fmt.Sprintf(`{"always":%t}`, always))
	var view struct {
		Files []struct {
			File          string
			Before, After int64
			Compacted     bool
		}
	}
	if err := json.Unmarshal([]byte(answer), &view); err != nil || status != http.StatusOK || len(view.Files) != 2 || !view.Files[0].Compacted {
		t.Fatalf("got %d %s, %v", status, answer, err)
	}
	return view.Files[0].After
}

// checkCopies copies both files and checks the copies like "svc check" does.
func checkCopies(t *testing.T, s *apitest.Server) {
	t.Helper()
	status, answer := s.Owner(t, "POST", "/control/check/copies", "")
	if status != http.StatusOK {
		t.Fatalf("got %d %s", status, answer)
	}
	folder := apitest.Field[string](t, answer, "folder")
	report := integrity.NewReport(nil)
	if err := store.Check(t.Context(), filepath.Join(folder, "svc.db"), report); err != nil {
		t.Error(err)
	}
	if err := event.Check(t.Context(), filepath.Join(folder, "events.db"), report); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Error(err)
	}
	status, answer = s.Owner(t, "POST", "/control/check/search", "")
	if !report.Clean() || status != http.StatusOK || !strings.Contains(answer, `"counts":null`) {
		t.Errorf("got %v, and of the search index %d %s", report.Listed(), status, answer)
	}
}

// TestCompactInput checks that an invalid request changes nothing.
func TestCompactInput(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, body := range []string{`{"always":"yes"}`, `{"always":1}`, `[]`, `{`} {
		if status, answer := s.Owner(t, "POST", "/control/compact", body); status != http.StatusBadRequest {
			t.Errorf("%s: got %d %s, want 400", body, status, answer)
		}
	}
}

// TestNoRoomForCopies checks that the server reports that the copies cannot be written, and that it
// leaves no files.
func TestNoRoomForCopies(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "files"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := apitest.NewServer(t, withStaging(dir))
	if status, answer := s.Owner(t, "POST", "/control/check/copies", ""); status < 500 {
		t.Errorf("got %d %s, want an error", status, answer)
	}
}
