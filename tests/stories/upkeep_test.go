package stories

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"svc/internal/boltfile"
	"svc/internal/datadir"
	"svc/store"
)

// upkeepSteps are the steps of the server itself and of its administrator.
var upkeepSteps = []step{
	{name: "compare", weight: 3, do: compareNow, silent: true},
	{name: "catch up", weight: 3, do: catchUpNow, silent: true},
	{name: "compaction of the records", weight: 2, do: compactRecords, silent: true},
	{name: "compaction of the events", weight: 2, do: compactEvents, silent: true},
	{name: "flush of events", weight: 4, do: flushEvents},
	{name: "compaction of blocks", weight: 2, do: compactBlocks},
	{name: "retention", weight: 3, do: retention},
	{name: "erasure of a person", weight: 3, do: erasePerson},
	{name: "erasure by a person", weight: 1, do: eraseMyself},
	{name: "import", weight: 2, do: importProject},
	{name: "failed import", weight: 1, do: failedImport},
	{name: "erasure of free pages", weight: 1, do: eraseFreePages, silent: true},
	{name: "job deleted-projects", weight: 2, do: purge},
	{name: "job rollouts", weight: 1, do: laterJob("rollouts")},
	{name: "job log-groups", weight: 1, do: job("log-groups")},
	{name: "job rollout-health", weight: 1, do: laterJob("rollout-health")},
	{name: "job hooks", weight: 2, do: laterJob("hooks")},
	{name: "job file-deletions", weight: 1, do: laterJob("file-deletions")},
	{name: "job file-cleanup", weight: 1, do: laterJob("file-cleanup")},
	{name: "trim the feed", weight: 2, do: trimFeed},
	{name: "renewal", weight: 1, do: func(s *story) { s.must(s.db.Renew()) }},
	{name: "failed transaction", weight: 2, do: failedTransaction, silent: true},
	{name: "full disk", weight: 1, do: fullDisk},
	{name: "restart", weight: 1, do: restart, counts: true},
	{name: "restart of another version", weight: 1, do: restartNewer, counts: true},
	{name: "kill", weight: 1, do: kill, counts: true},
}

func compareNow(s *story) {
	s.compareOpen()
	s.happened("compare")
}

func catchUpNow(s *story) {
	s.catchUp()
	s.happened("catch up")
}

func compactRecords(s *story) {
	_, err := s.db.CompactFile(true)
	s.must(err)
	s.happened("compaction of the records")
}

func compactEvents(s *story) {
	_, err := s.events.CompactFile(true)
	s.must(err)
	s.happened("compaction of the events")
}

func flushEvents(s *story) { s.must(s.events.Flush()) }

func compactBlocks(s *story) {
	s.must(s.events.Flush())
	before := s.spool.Position()
	for worked := true; worked; {
		var err error
		worked, err = s.events.Compact()
		s.must(err)
	}
	if s.spool.Position() > before {
		s.happened("merging of blocks")
	}
}

// retention lets days pass, and removes what is too old. Each part of it is counted.
func retention(s *story) {
	s.advance(time.Duration(1+s.IntN(15)) * 24 * time.Hour)
	before := map[string]int64{}
	for _, p := range s.db.Projects() {
		for part, n := range s.contents(p) {
			before[part] += n
		}
	}
	s.run("retention")
	for _, p := range s.db.Projects() {
		for part, n := range s.contents(p) {
			before[part] -= n
		}
	}
	for part, n := range before {
		if n > 0 {
			s.happened("retention of " + part)
		}
	}
}

// contents counts the records of a project that have a retention.
func (s *story) contents(p *store.Project) map[string]int64 {
	_, answer := s.do("GET", projects+"/"+p.Key+"/contents", "")
	var counts map[string]any
	s.must(json.Unmarshal([]byte(answer), &counts))
	found := map[string]int64{}
	for _, part := range []string{"feedbacks", "logs", "events"} {
		n, _ := counts[part].(float64)
		found[part] = int64(n)
	}
	return found
}

func erasePerson(s *story) {
	in(s, func(path, _ string) { s.do("DELETE", path+"/events/subjects/"+one(s, subjects...), "") })
}

func eraseMyself(s *story) {
	in(s, func(_, key string) { s.do("DELETE", "/public/"+key+"/events/me?distinct_id="+one(s, subjects...), "") })
}

// export returns an archive of a project.
func (s *story) export() (archive []byte, ok bool) {
	_, key, ok := s.project()
	if !ok {
		return nil, false
	}
	status, archive, trailer := s.owner("GET", "/control/export/"+key, nil)
	if status != http.StatusOK || trailer.Get("Svc-Manifest") == "" {
		s.Fatalf("export: got %d %s, %v", status, archive, trailer)
	}
	return archive, true
}

// importProject imports the archive of a project beside the project.
func importProject(s *story) {
	archive, ok := s.export()
	if !ok {
		return
	}
	s.serial++
	query := fmt.Sprintf("key=i%d&new_ids=true", s.serial)
	if s.IntN(8) == 0 {
		query += "&dry_run=true"
	}
	status, answer, _ := s.owner("POST", "/control/import?"+query, archive)
	if status != http.StatusOK || !bytes.Contains(answer, []byte(`"done":true`)) {
		s.Fatalf("import: got %d %s", status, answer)
	}
}

// failedImport imports an archive that contains records which exist, so that the import fails at its end,
// and one that is cut off.
func failedImport(s *story) {
	archive, ok := s.export()
	if !ok {
		return
	}
	if s.IntN(2) == 0 {
		archive = archive[:len(archive)*s.IntN(100)/100]
	}
	s.serial++
	_, answer, _ := s.owner("POST", fmt.Sprintf("/control/import?key=i%d", s.serial), archive)
	if bytes.Contains(answer, []byte(`"done":true`)) {
		s.happened("import of an empty project")
	}
}

// eraseFreePages overwrites deleted data in free pages.
func eraseFreePages(s *story) {
	records, err := s.db.ZeroFreePages(s.Context())
	s.must(err)
	events, err := s.events.ZeroFreePages(s.Context())
	s.must(err)
	if records > 0 && events > 0 {
		s.happened("erasure of free pages")
	}
}

// purge removes the remains of deleted projects.
func purge(s *story) {
	before := len(s.events.Projects())
	s.run("deleted-projects")
	if len(s.events.Projects()) < before {
		s.happened("removal of a project")
	}
}

func job(name string) func(*story) { return func(s *story) { s.run(name) } }

// laterJob returns a step that runs a job after some hours.
func laterJob(name string) func(*story) {
	return func(s *story) {
		s.advance(time.Duration(s.IntN(40)) * time.Hour)
		s.run(name)
	}
}

func trimFeed(s *story) {
	s.must(s.db.TrimFeed(s.db.LastChange() - min(s.db.LastChange(), s.Uint64N(10))))
}

var errFailed = errors.New("failed on purpose")

// failedTransaction writes and then fails, so that nothing is stored.
func failedTransaction(s *story) {
	err := s.db.Update(func(tx *store.Tx) error {
		return errors.Join(tx.CreateProject(&store.Project{Key: "failed", Name: "failed"}), tx.MarkCleaned(tx.Now()), errFailed)
	})
	if !errors.Is(err, errFailed) {
		s.Fatalf("got %v, want that the transaction fails", err)
	}
	s.happened("failed transaction")
}

// fullDisk sends events while their file cannot grow. Their transactions fail after they have been recorded.
func fullDisk(s *story) {
	if len(s.db.Projects()) == 0 {
		return
	}
	_, err := s.events.CompactFile(true)
	s.must(err)
	s.must(s.close())
	size, err := boltfile.Size(s.path(datadir.Events))
	s.must(err)
	s.open(size)
	for range 5 {
		in(s, func(_, key string) {
			status, _ := s.try("POST", "/public/"+key+"/events", s.batch(one(s, subjects...), s.text()))
			if status == http.StatusInsufficientStorage {
				s.happened("failed commit")
			}
		})
	}
	s.must(s.close())
	s.open(0)
}

func restart(s *story) {
	s.must(s.close())
	s.open(0)
	s.happened("restart")
}

func restartNewer(s *story) {
	s.must(s.close())
	s.serial++
	s.version = fmt.Sprint("1.", s.serial)
	s.open(0)
	s.happened("restart of another version")
}

// kill continues with a copy of the directory as of one moment, as after a SIGKILL.
func kill(s *story) {
	killed := s.TempDir()
	release := s.hold()
	err := errors.Join(s.copyTo(killed), os.CopyFS(filepath.Join(killed, datadir.Replicate), os.DirFS(s.path(datadir.Replicate))))
	release()
	s.must(err)
	s.must(s.close())
	if err := os.CopyFS(filepath.Join(killed, datadir.Files), os.DirFS(s.path(datadir.Files))); err != nil {
		s.Fatal(err)
	}
	s.must(os.RemoveAll(s.dir))
	s.dir = killed
	s.open(0)
	s.happened("kill")
}
