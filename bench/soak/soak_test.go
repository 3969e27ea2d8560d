package soak

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/bench/internal/loadgen"
	"svc/bench/internal/workload"
	"svc/internal/testutil"
	"svc/internal/testutil/server"
)

// amounts holds the numbers of operations in a cycle. All cycles do the same work, so the server
// should not need more resources after many cycles than after a few.
type amounts struct{ logs, feedback, batches, checks, questions, edits int }

var (
	long  = amounts{logs: 2000, feedback: 300, batches: 250, checks: 3000, questions: 40, edits: 24}
	short = amounts{logs: 300, feedback: 50, batches: 40, checks: 500, questions: 3, edits: 4}
)

const (
	batchEvents = 20
	connections = 8

	// keptProjects is the number of projects that exist at a time. Each cycle creates a project and
	// deletes the oldest one.
	keptProjects = 3
	// upkeepEvery is the number of cycles between backups and between compactions.
	upkeepEvery = 5
	// fewestCycles is the minimum number of cycles needed for a comparison.
	fewestCycles = 6
)

// TestSoak puts a mixed load on a server for some seconds, or for the duration in SVC_SOAK. Apps
// check for updates and send logs, feedback and events. At the same time, users request lists and
// analyses, edit records, make backups and compact the data. No request may fail. At the end of
// each cycle, when the index is up to date, the test checks the server's data and measures its
// resources. The resources must not grow in the last third of the test.
func TestSoak(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	lasts, each := time.Duration(0), short
	if text := os.Getenv("SVC_SOAK"); text != "" {
		var err error
		if lasts, err = time.ParseDuration(text); err != nil {
			t.Fatalf("SVC_SOAK: %v", err)
		}
		each = long
	}
	ctx, dir := t.Context(), t.TempDir()
	program, err := server.Find(ctx, dir)
	check(t, err)
	s := &soak{amounts: each, ctx: ctx, program: program, dir: dir, data: filepath.Join(dir, "data")}
	s.server, err = program.Serve(ctx, s.data)
	check(t, err)
	err = s.run(t, time.Now().Add(lasts))
	check(t, errors.Join(err, s.server.Stop()))

	_, err = program.Run(ctx, "check", "--data", s.data)
	check(t, err)
	log, err := os.ReadFile(s.data + ".log")
	check(t, err)
	for line := range strings.Lines(string(log)) {
		if strings.Contains(line, `"level":"ERROR"`) {
			t.Errorf("the server logged %s", line)
		}
	}
	for _, what := range grown(s.samples) {
		t.Error(what)
	}
}

// soak is a server and the requests sent to it.
type soak struct {
	amounts

	ctx     context.Context
	program server.Program
	server  *server.Server
	dir     string
	data    string
	samples []sample
}

// run repeats cycles until the time end.
func (s *soak) run(t *testing.T, end time.Time) error {
	for number := 0; number < fewestCycles || time.Now().Before(end); number++ {
		begun := time.Now()
		if err := s.cycle(number); err != nil {
			return fmt.Errorf("cycle %d: %w", number, err)
		}
		if number%20 == 0 || number < fewestCycles {
			t.Logf("cycle %d took %s: %v", number, time.Since(begun).Round(time.Millisecond), s.samples[number])
		}
	}
	t.Logf("%d cycles, at last %v", len(s.samples), s.samples[len(s.samples)-1])
	return nil
}

// cycle puts load on a new project. It then checks the data of this project and of the previous
// one.
func (s *soak) cycle(number int) error {
	project := projectOf(number)
	if err := s.server.CreateProject(s.ctx, project); err != nil {
		return err
	}
	if err := s.publish(project, number); err != nil {
		return err
	}
	if err := s.load(project, number); err != nil {
		return err
	}
	if number >= keptProjects {
		if err := s.server.Call(s.ctx, http.MethodDelete, "/admin/projects/"+projectOf(number-keptProjects), nil, nil); err != nil {
			return err
		}
		if err := s.removeDeleted(); err != nil {
			return err
		}
	}
	if _, err := s.server.AwaitIndex(s.ctx); err != nil {
		return err
	}
	for n := max(0, number-1); n <= number; n++ {
		if err := s.verify(projectOf(n), n); err != nil {
			return err
		}
	}
	now, err := s.sample()
	s.samples = append(s.samples, now)
	return err
}

// removeDeleted removes the data of deleted projects, which the server itself does only once an
// hour. If the job is already running, it may have begun before the last deletion, so removeDeleted
// tries until it can start another run.
func (s *soak) removeDeleted() error {
	for {
		_, err := s.program.Run(s.ctx, "job", "run", "deleted-projects", "--data", s.data)
		if err == nil || !strings.Contains(err.Error(), "runs already") {
			return err
		}
	}
}

func projectOf(cycle int) string { return fmt.Sprint("soak-", cycle) }

// needle returns a text that occurs in only one log of a cycle.
func needle(cycle int) string { return fmt.Sprintf("needle-%d-", cycle) }

// publish creates the versions that apps find when they check for updates.
func (s *soak) publish(project string, cycle int) error {
	for _, name := range []string{"2.0.0", "1.0.0"} {
		fields := map[string]any{"title": name, "content": "cycle " + project, "download_url": "https://example.org/" + name}
		if err := s.server.Call(s.ctx, http.MethodPut, "/admin/projects/"+project+"/versions/by-version/"+name, fields, nil); err != nil {
			return err
		}
	}
	return s.server.Call(s.ctx, http.MethodPost, "/public/"+project+"/logs", map[string]any{"level": 1, "content": needle(cycle) + " is here"}, nil)
}

// load runs all kinds of requests concurrently.
func (s *soak) load(project string, number int) error {
	var work []func() error
	send := func(name string, requests [][]byte) {
		work = append(work, func() error {
			_, err := loadgen.Target{Name: name, Addr: s.server.Addr, Requests: requests}.Send(connections)
			return err
		})
	}
	made := workload.NewSubmissions(uint64(number), number%2 == 1)
	var submissions, events, updates [][]byte
	for range s.logs {
		request, _ := made.LogRequest(project)
		submissions = append(submissions, request)
	}
	for range s.feedback {
		submissions = append(submissions, made.FeedbackRequest(project))
	}
	source := workload.New(workload.Plan{
		Seed: uint64(number), Users: 1000, Names: 10, Days: 2, Start: time.Now().Add(-50 * time.Hour).Unix(), Count: s.batches * batchEvents,
	})
	for batch := (workload.Batch{}); source.Next(&batch); {
		events = append(events, batch.Request(project))
	}
	for range s.checks {
		updates = append(updates, loadgen.Post("/api/v1/public/"+project+"/versions/check-update", "soak/1", []byte(`{"current_version":"1.0.0"}`)))
	}
	send("submissions", submissions)
	send("events", events)
	send("update checks", updates)
	work = append(work, func() error { return s.ask(project) }, func() error { return s.edit(project) })
	switch number % upkeepEvery {
	case 1:
		work = append(work, s.backUp)
	case 3:
		work = append(work, func() error {
			_, err := s.program.Run(s.ctx, "compact", "--always", "--data", s.data)
			return err
		})
	}
	errs := make([]error, len(work))
	var group sync.WaitGroup
	for i, do := range work {
		group.Go(func() { errs[i] = do() })
	}
	group.Wait()
	return errors.Join(errs...)
}

// ask requests lists and analyses.
func (s *soak) ask(project string) error {
	of := "/admin/projects/" + project
	pair := []map[string]string{{"event_name": "open"}, {"event_name": "buy"}}
	since := time.Now().AddDate(0, 0, -3).Unix()
	for range s.questions {
		for _, q := range []struct {
			method, path string
			body         any
		}{
			{http.MethodGet, of + "/logs?limit=20&search=connection+reset", nil},
			{http.MethodGet, of + "/logs?limit=20&offset=100&level=2", nil},
			{http.MethodGet, of + "/feedbacks?limit=20&search=crash", nil},
			{http.MethodGet, "/admin/search?q=queue", nil},
			{http.MethodGet, of + "/events/stats/overview", nil},
			{http.MethodPost, of + "/events/analysis/funnel", map[string]any{"start_time": since, "steps": pair}},
			{http.MethodPost, of + "/events/analysis/retention", map[string]any{"start_time": since, "start_event": "open", "period": "day"}},
		} {
			if err := s.server.Call(s.ctx, q.method, q.path, q.body, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// edit makes changes like those of users in the console.
func (s *soak) edit(project string) error {
	of := "/admin/projects/" + project
	for n := range s.edits {
		var announcement struct{ ID string }
		if err := s.server.Call(s.ctx, http.MethodPost, of+"/announcements", map[string]any{"title": fmt.Sprint("News ", n), "content": "text"}, &announcement); err != nil {
			return err
		}
		if err := s.server.Call(s.ctx, http.MethodPatch, of, map[string]any{"author": fmt.Sprint("author ", n)}, nil); err != nil {
			return err
		}
		if n%2 == 0 {
			if err := s.server.Call(s.ctx, http.MethodDelete, of+"/announcements/"+announcement.ID, nil, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *soak) backUp() error {
	path := filepath.Join(s.dir, "backup.tar.zst")
	if _, err := s.program.Run(s.ctx, "backup", path, "--force", "--data", s.data); err != nil {
		return err
	}
	_, err := s.program.Run(s.ctx, "backup", "verify", path)
	return err
}

// verify checks the known data of a project after the project's cycle.
func (s *soak) verify(project string, cycle int) error {
	of := "/admin/projects/" + project
	for path, want := range map[string]int{
		of + "/logs?limit=1":                         s.logs + 1,
		of + "/logs?limit=1&search=" + needle(cycle): 1,
		of + "/feedbacks?limit=1":                    s.feedback,
		of + "/announcements?limit=1":                s.edits / 2,
	} {
		var list struct{ Total int }
		if err := s.server.Call(s.ctx, http.MethodGet, path, nil, &list); err != nil {
			return err
		}
		if list.Total != want {
			return fmt.Errorf("GET %s: the total is %d, want %d", path, list.Total, want)
		}
	}
	var names struct{ Data []struct{ Count int } }
	if err := s.server.Call(s.ctx, http.MethodGet, of+"/events/stats/breakdown?start_time=0", nil, &names); err != nil {
		return err
	}
	events := 0
	for _, name := range names.Data {
		events += name.Count
	}
	if events != s.batches*batchEvents {
		return fmt.Errorf("%s has %d events, want %d", project, events, s.batches*batchEvents)
	}
	var update struct {
		Latest struct{ Version string } `json:"latest_version"`
	}
	err := s.server.Call(s.ctx, http.MethodPost, "/public/"+project+"/versions/check-update", map[string]any{"current_version": "1.0.0"}, &update)
	if err == nil && update.Latest.Version != "2.0.0" {
		err = fmt.Errorf("the latest version of %s is %q, want 2.0.0", project, update.Latest.Version)
	}
	return err
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
