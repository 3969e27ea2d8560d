package crash

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/files/storage/storagetest"
)

// distribution is the configured base URL of direct links.
const distribution = "http://127.0.0.1:9"

// TestKilledFiles kills a server at random times while it handles files. Files are uploaded in
// chunks or in one request, moved to WebDAV servers, fetched from a code host, and deleted,
// individually or with their project. After each start, the test checks that all acknowledged
// chunks and files exist with exactly the bytes that were sent. When all work is done, every file
// must have its object, and every object its file. The CDN, which refuses some calls, must have
// been notified of every deleted file. "svc check" must report nothing. SVC_LONG=1 kills more
// often.
func TestKilledFiles(t *testing.T) {
	t.Parallel()
	rounds, most := 5, 60
	if os.Getenv("SVC_LONG") != "" {
		rounds, most = 100, 150
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := newDepot(t, seed)
	for round := range rounds {
		s.round(t, most)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	p, _ := s.whole(t)
	check(t, p.stop(patience))
	check(t, checkData(s.data()))
	t.Logf("%d kills under load, %d at the start; %d requests; %d files compared on disk, %d objects of nobody removed", s.kills, s.early, s.steps, s.compared, s.orphans)
}

// depot holds a data directory with files, and the state of its clients.
type depot struct {
	dir        string
	random     *rand.Rand
	dav        string // directory of the WebDAV server
	cdn        *refreshes
	ready      map[string]bool // links of files that have been ready at some time
	token      string
	depositors []*depositor
	startTakes time.Duration

	kills, early, compared, orphans int
	steps                           int64
}

func newDepot(t *testing.T, seed uint64) *depot {
	t.Helper()
	s := &depot{dir: keepOnFailure(t), cdn: &refreshes{}, ready: map[string]bool{}, random: rand.New(rand.NewPCG(seed, 0)), startTakes: 300 * time.Millisecond}
	s.dav = filepath.Join(s.dir, "dav")
	check(t, errors.Join(os.Mkdir(s.dav, 0o700), os.Mkdir(s.data(), 0o700)))
	attachments := http.NewServeMux()
	attachments.HandleFunc("GET /o/r/releases/download/v1/{name}", serveAttachment)
	host := httptest.NewServer(attachments)
	t.Cleanup(host.Close)
	dav := httptest.NewServer(storagetest.Handler(s.dav))
	t.Cleanup(dav.Close)
	provider := httptest.NewServer(s.cdn)
	t.Cleanup(provider.Close)
	check(t, os.WriteFile(filepath.Join(s.data(), "config.toml"), fmt.Appendf(nil, "dist.base_url = %q\ncodehost.web_base_url = %q\ncdn.aliyun_url = %q\n", distribution, host.URL, provider.URL), 0o600))

	p := start(t, s.data(), s.log())
	url, err := p.ready()
	check(t, err)
	c := newClient(url, "")
	check(t, c.logIn())
	s.token = c.token
	storages := []string{""}
	for _, parts := range []any{nil, 64} {
		answer, err := c.must(201, "POST", "/admin/storage/backends", map[string]any{
			"name": fmt.Sprint("parts ", parts), "kind": "webdav", "base_url": dav.URL, "username": storagetest.User, "password": storagetest.Password, "part_size_kb": parts,
		})
		check(t, err)
		var made view
		check(t, json.Unmarshal(answer, &made))
		storages = append(storages, made.ID)
	}
	_, err = c.must(200, "PUT", "/admin/storage/cdn", map[string]any{"provider": "aliyun", "enabled": true, "access_key_id": "id", "access_key_secret": "secret"})
	check(t, err)
	check(t, p.stop(patience))
	for i := range 4 {
		s.depositors = append(s.depositors, &depositor{name: fmt.Sprint("d", i), random: rand.New(rand.NewPCG(seed, uint64(i+1))), storages: storages, host: host.URL})
	}
	return s
}

// serveAttachment serves a code host. The name of an attachment ends with its size.
func serveAttachment(w http.ResponseWriter, r *http.Request) {
	_, text, _ := strings.Cut(strings.TrimSuffix(r.PathValue("name"), ".zip"), "-")
	_, text, _ = strings.Cut(text, "-")
	size, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	_, _ = w.Write(storagetest.Content(uint64(size), size))
}

// refreshes is a CDN that refuses every third call. It records the links in the calls that it
// accepts.
type refreshes struct {
	mu    sync.Mutex
	calls int
	links map[string]bool
}

func (r *refreshes) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls++; r.calls%3 == 0 {
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	if r.links == nil {
		r.links = map[string]bool{}
	}
	for link := range strings.SplitSeq(request.FormValue("ObjectPath"), "\n") {
		r.links[link] = true
	}
	_, _ = w.Write([]byte(`{"RefreshTaskId":"task"}`))
}

// has reports whether the CDN accepted a link.
func (r *refreshes) has(link string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.links[link]
}

func (s *depot) data() string { return filepath.Join(s.dir, "data") }

func (s *depot) log() string { return filepath.Join(s.dir, "server.log") }

// round starts a server, verifies its content, and kills the server after a random number of steps,
// which is at most most.
func (s *depot) round(t *testing.T, most int) {
	t.Helper()
	for s.random.IntN(4) == 0 {
		s.early++
		p := start(t, s.data(), s.log())
		pause(p, within(s.random, s.startTakes))
		p.kill()
	}
	s.kills++
	p, c := s.whole(t)
	l := &load{goal: int64(1 + s.random.IntN(most)), enough: make(chan struct{})}
	for _, d := range s.depositors {
		l.run(func() error { return d.step(c) }, 0)
	}
	check(t, l.work(p, s.random))
	p.end()
	check(t, l.wait(p))
	s.steps += l.steps.Load()
}

// whole starts a server and verifies its content twice: immediately, and after the server has
// finished all work.
func (s *depot) whole(t *testing.T) (*process, *client) {
	t.Helper()
	begun := time.Now()
	p := start(t, s.data(), s.log())
	url, err := p.ready()
	check(t, err)
	s.startTakes = time.Since(begun) * 5 / 4
	c := newClient(url, s.token)
	for _, d := range s.depositors {
		check(t, d.settle(c))
	}
	local, remote, there := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, d := range s.depositors {
		if !d.made {
			continue
		}
		check(t, d.await(c, p))
		for _, f := range d.ready {
			there[f.Path], s.ready[f.Path] = true, true
			if f.Storage == "local" {
				local[f.object()] = true
			} else {
				remote[f.object()] = true
			}
		}
		check(t, d.compare(c, p))
	}
	s.compared += len(local) + len(remote)
	s.cleanUp(t, p, local)
	s.refreshed(t, p, there)
	objects := objectsIn(t, s.dav, nil)
	if !maps.Equal(objects, remote) {
		t.Fatalf("the WebDAV server has the objects %v, the files on it are %v", objects, remote)
	}
	check(t, checkData(s.data()))
	return p, c
}

// refreshed makes the server send pending refreshes to the CDN. It verifies that the CDN was
// notified of every file that was ready and has been deleted.
func (s *depot) refreshed(t *testing.T, p *process, there map[string]bool) {
	t.Helper()
	var err error
	for range 20 { // the CDN refuses some of the calls each time
		if err = s.run(p, "cdn-refreshes"); err == nil || !strings.Contains(err.Error(), "not refreshed") {
			break
		}
	}
	check(t, err)
	for path := range s.ready {
		if !there[path] && !s.cdn.has(distribution+path) {
			t.Fatalf("the CDN was not told that %s is gone", path)
		}
	}
}

// cleanUp makes everything below the storage directory look a week old and runs the cleanup jobs.
// It verifies that no object without a record remains.
func (s *depot) cleanUp(t *testing.T, p *process, want map[string]bool) {
	t.Helper()
	for _, job := range []string{"deleted-projects", "file-deletions"} {
		check(t, s.run(p, job))
	}
	staged := filepath.Join(s.data(), "files", "staging", "files")
	kept := filepath.Join(s.data(), "files", "objects")
	before := len(objectsIn(t, kept, aged))
	objectsIn(t, staged, aged)
	s.removeUnknown(t, kept, want)
	check(t, s.run(p, "file-cleanup"))
	objects := objectsIn(t, kept, nil)
	if !maps.Equal(objects, want) {
		t.Fatalf("on disk are the objects %v, the files are %v", objects, want)
	}
	s.orphans += before - len(objects)
	if left := objectsIn(t, staged, nil); len(left) > 0 {
		t.Fatalf("%v are staged and wait for nothing", left)
	}
}

// removeUnknown removes the objects without a record if they are more than a tenth of all objects.
// The cleanup job refuses to move that many.
func (s *depot) removeUnknown(t *testing.T, dir string, want map[string]bool) {
	t.Helper()
	all := objectsIn(t, dir, nil)
	if unknown := len(all) - len(want); unknown <= 20 && 10*unknown <= len(all) {
		return
	}
	for object := range all {
		if !want[object] {
			check(t, os.RemoveAll(filepath.Join(dir, filepath.FromSlash(object))))
		}
	}
}

// run runs a job. If the job is already running, run waits for it first.
func (s *depot) run(p *process, job string) error {
	for {
		err := run("job", "run", job, "--data", s.data())
		if err == nil || !strings.Contains(err.Error(), "runs already") {
			return err
		}
		pause(p, 20*time.Millisecond)
	}
}

// aged sets a file's modification time to a time long ago.
func aged(name string) error {
	at := time.Now().Add(-8 * 24 * time.Hour)
	return os.Chtimes(name, at, at)
}

// objectsIn returns the objects in a directory. If the function change is not nil, objectsIn calls
// it for each file. A partial file counts as its object.
func objectsIn(t *testing.T, dir string, change func(name string) error) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || entry.IsDir() {
			return err
		}
		if change != nil {
			if err := change(name); err != nil {
				return err
			}
		}
		key, err := filepath.Rel(dir, filepath.Dir(name))
		all[strings.TrimSuffix(filepath.ToSlash(key), "/parts")] = true
		return err
	})
	check(t, err)
	return all
}
