package stories

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svc/api"
	apicodehost "svc/api/codehost"
	"svc/internal/auth"
	"svc/internal/boltfile"
	"svc/internal/boltfile/bolttest"
	"svc/internal/cdn"
	"svc/internal/codehost"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/event"
	"svc/internal/files/engine"
	"svc/internal/files/slicecache"
	"svc/internal/files/storage"
	"svc/internal/files/upload"
	"svc/internal/forward"
	"svc/internal/health"
	"svc/internal/jobs"
	"svc/internal/notify/delivery"
	"svc/internal/outbound"
	"svc/internal/proxy"
	"svc/internal/replica/format"
	"svc/internal/replica/spool"
	"svc/internal/requests"
	"svc/internal/seal"
	"svc/internal/translate"
	"svc/store"
)

const (
	secret = "0123456789abcdef0123456789abcdef"
	begins = 1764547200 // Unix seconds at the beginning of each story: 2025-12-01 00:00 UTC
)

var silent = slog.New(slog.DiscardHandler)

// directory is a data directory and its server. All changes are recorded.
type directory struct {
	dir      string
	version  string       // of the program
	clock    atomic.Int64 // Unix nanoseconds
	token    string       // a login of the administrator
	fileSize int64        // at which the spool begins another file, in bytes

	spool    *spool.Spool
	db       *store.Store
	events   *event.Engine
	storages *storage.Storages
	files    *engine.Engine
	jobs     *jobs.Jobs
	server   func() *api.Server
}

func (d *directory) now() time.Time           { return time.Unix(0, d.clock.Load()).UTC() }
func (d *directory) advance(by time.Duration) { d.clock.Add(int64(by)) }

func (d *directory) path(name string) string { return filepath.Join(d.dir, name) }

// template is a directory in which each story begins, and a login of its administrator.
type template struct{ dir, token string }

// newTemplate makes the template in a directory.
func newTemplate(dir string) (made template, err error) {
	made.dir = dir
	now := func() time.Time { return time.Unix(begins, 0) }
	db, err := store.Open(filepath.Join(made.dir, datadir.Database), store.Options{Now: now, NoSync: true})
	if err != nil {
		return made, err
	}
	account := &store.Account{Username: "admin", Password: "-", Epoch: 1}
	err = db.Update(func(tx *store.Tx) error { return tx.PutAccount(account) })
	if err = errors.Join(err, db.Close()); err != nil {
		return made, err
	}
	events, err := event.Open(filepath.Join(made.dir, datadir.Events), event.Options{Now: now})
	if err != nil {
		return made, err
	}
	tokens, err := auth.NewTokens([]byte(secret), life)
	if err = errors.Join(err, events.Close()); err != nil {
		return made, err
	}
	made.token, err = tokens.Sign(account.ID.String(), 1, now())
	return made, err
}

// life is how long a login is valid.
const life = 100 * 365 * 24 * time.Hour

// copyDatabases copies both databases of a directory, which must not be open.
func copyDatabases(from, to string) error {
	for _, name := range datadir.Databases {
		content, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), content, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// begin opens the directory and its copy, both of which are copies of a template.
func (s *story) begin(made template) {
	s.directory = &directory{dir: s.TempDir(), version: "1.0", token: made.token, fileSize: 1 << (12 + s.IntN(10))}
	s.clock.Store(begins * int64(time.Second))
	copies := s.TempDir()
	s.must(copyDatabases(made.dir, s.dir))
	s.must(copyDatabases(made.dir, copies))
	if s.IntN(4) == 0 {
		s.upgrade(copies)
	}
	s.open(0)
	s.must(errors.Join(s.db.StartAt(s.spool.Position()), s.events.StartAt(s.spool.Position())))
	release := s.hold()
	position, err := s.spool.Resume(0)
	s.must(err)
	release()
	for _, name := range datadir.Databases {
		s.must(bolttest.Change(filepath.Join(copies, name), func(tx *boltfile.Tx) error { return tx.SetPosition(position) }))
	}
	s.copy = s.openCopy(copies, position)
}

// upgrade gives both databases the layout of a version without the bucket node, and opens them. The
// changes are applied to the copies.
func (s *story) upgrade(copies string) {
	s.told = append(s.told, "upgrade")
	for _, name := range datadir.Databases {
		s.must(bolttest.Change(s.path(name), func(tx *boltfile.Tx) error {
			meta := tx.Bucket([]byte("meta"))
			err := tx.Node().ForEach(func(key, value []byte) error { return meta.Put(key, value) })
			return errors.Join(err, meta.Delete([]byte("position")), meta.Delete([]byte("unrecorded")), tx.DeleteBucket([]byte("node")))
		}))
		recording := &bolttest.Recording{}
		if name == datadir.Database {
			db, err := store.Open(s.path(name), store.Options{Now: s.now, NoSync: true, Recorder: recording})
			s.must(err)
			s.must(db.Close())
		} else {
			events, err := event.Open(s.path(name), event.Options{Now: s.now, ReadOnly: true, Recorder: recording})
			s.must(err)
			s.must(events.Close())
		}
		s.must(recording.ApplyTo(filepath.Join(copies, name)))
		want, _, err := boltfile.DigestFile(s.path(name))
		s.must(err)
		got, _, err := boltfile.DigestFile(filepath.Join(copies, name))
		s.must(err)
		if got != want {
			s.Fatalf("%s differs after the upgrade", name)
		}
		if recording.Position > 0 {
			s.happened("upgrade of " + name)
		}
	}
}

// positionOf returns the position of a database, which must not be open.
func (d *directory) positionOf(name string) (at spool.At, err error) {
	at.Position, at.Complete, err = boltfile.ReadPosition(d.path(name))
	return at, err
}

// openSpool opens the spool. The databases must not be open.
func (s *story) openSpool() {
	records, err := s.positionOf(datadir.Database)
	s.must(err)
	events, err := s.positionOf(datadir.Events)
	s.must(err)
	s.spool, err = spool.Open(s.path(datadir.Replicate), records, events, spool.Options{Now: s.now, FileSize: s.fileSize})
	s.must(err)
}

// open opens the directory, like package instance does, and builds its server. maxEvents is the maximum
// size of the events in bytes, 0 for no limit.
func (s *story) open(maxEvents int64) {
	s.openSpool()
	upgrade := boltfile.Upgrade{Version: s.version}
	var err error
	s.db, err = store.Open(s.path(datadir.Database), store.Options{
		Now: s.now, NoSync: true, Upgrade: upgrade, Recorder: s.spool.Recorder(format.Records),
	})
	s.must(err)
	s.events, err = event.Open(s.path(datadir.Events), event.Options{
		Now: s.now, MaxSize: maxEvents, Upgrade: upgrade, Recorder: s.spool.Recorder(format.Events),
		ReadOnly: true, // steps do the background work
	})
	s.must(err)
	s.must(s.openFiles())
	s.build()
}

func (d *directory) openFiles() (err error) {
	dir := d.path(datadir.Files)
	client := outbound.New(outbound.Config{Profile: outbound.Operator, Version: d.version})
	c := engine.Config{
		DB: d.db, Log: silent, Now: d.now, Dir: dir, Keys: seal.NewKeys([]byte(secret)), MaxSize: 1 << 30, Fetch: client,
		CDN: cdn.NewClient(client, "http://127.0.0.1:1", "http://127.0.0.1:1"), CodeHost: "http://127.0.0.1:1",
	}
	if d.storages, err = storage.NewStorages(dir, client); err != nil {
		return err
	}
	c.Storages = d.storages
	if c.Uploads, err = upload.Open(filepath.Join(dir, filepath.FromSlash(datadir.Uploads)), d.now, silent); err != nil {
		return err
	}
	if c.Cache, err = slicecache.Open(slicecache.Config{Dir: filepath.Join(dir, datadir.Slices), MaxBytes: 1 << 20, Log: silent}); err != nil {
		return err
	}
	d.files = engine.New(c)
	return nil
}

// build builds the server and its jobs, which run only in steps.
func (s *story) build() {
	d := s.directory
	client := outbound.New(outbound.Config{Profile: outbound.Operator, Version: d.version})
	counts := requests.NewCounter(d.db, silent)
	observer := health.New(health.Config{DB: d.db, Log: silent, Now: d.now})
	hooks := delivery.New(delivery.Config{DB: d.db, Keys: d.files.Keys, Log: silent, Now: d.now, Client: client})
	host := codehost.New(codehost.Config{HTTP: client, API: "http://127.0.0.1:1", Web: "http://127.0.0.1:1", Now: d.now})
	forwards := forward.New(forward.Config{DB: d.db, Log: silent, Now: d.now, Keys: d.files.Keys, Host: host, Limit: 3, Period: time.Hour})
	d.jobs = jobs.New(jobs.Config{
		DB: d.db, Events: d.events, Log: silent, Now: d.now, Flush: counts.Flush, Forward: forwards, Health: observer, Hooks: hooks,
		Files: d.files,
	})
	config := api.Config{
		DB: d.db, Events: d.events, Requests: counts, Health: observer, Log: silent, Now: d.now,
		JWTSecret: []byte(secret), JWTLife: life, KeySalt: []byte("salt"),
		Proxies: proxy.Proxies{Count: 1}, EventClockSkew: life, Version: d.version, Files: d.files, Hooks: hooks, Jobs: d.jobs,
		Translator: translate.New(client), Codehost: apicodehost.Config{Host: host, Forward: forwards}, Staging: d.path("staging"),
	}
	d.server = sync.OnceValue(func() *api.Server { // not every server gets requests
		server, err := api.New(config)
		s.must(err)
		server.Control.Started()
		return server
	})
}

// close closes the directory.
func (d *directory) close() error {
	return errors.Join(d.files.Cache.Close(), d.storages.Close(), d.events.Close(), d.db.Close(), d.spool.Close())
}

// hold blocks writers of both databases until release is called.
func (d *directory) hold() (release func()) {
	records, events := d.db.Hold(), d.events.Hold()
	return func() { events(); records() }
}

// copyTo copies the databases as of one moment to another directory.
func (d *directory) copyTo(dir string) error {
	for name, take := range map[string]func() (*boltfile.Image, error){datadir.Database: d.db.Image, datadir.Events: d.events.Image} {
		image, err := take()
		if err == nil {
			err = errors.Join(image.Copy(filepath.Join(dir, name)), image.Close())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// do sends a request to the server, as the administrator unless the path is public. The server must not
// fail.
func (s *story) do(method, path, body string) (status int, answer string) {
	s.Helper()
	status, answer = s.try(method, path, body)
	if status >= http.StatusInternalServerError {
		s.Fatalf("%s %s %.300s: got %d %s", method, path, body, status, answer)
	}
	return status, answer
}

// try sends a request to the server, which may fail.
func (s *story) try(method, path, body string) (status int, answer string) {
	s.told[len(s.told)-1] += "\n\t" + method + " " + path + " " + shortened(body)
	r := httptest.NewRequestWithContext(s.Context(), method, "/api/v1"+path, strings.NewReader(body))
	if !strings.HasPrefix(path, "/public/") {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	r.Header.Set("Content-Length", strconv.Itoa(len(body))) // as net/http does when it reads a request
	w := httptest.NewRecorder()
	s.server().ServeHTTP(w, r)
	if w.Code >= http.StatusBadRequest {
		s.told[len(s.told)-1] += fmt.Sprint("\n\t\t", w.Code, " ", shortened(w.Body.String()))
	}
	return w.Code, w.Body.String()
}

// owner sends a request as the owner of the directory.
func (s *story) owner(method, path string, body []byte) (status int, answer []byte, trailer http.Header) {
	s.told[len(s.told)-1] += "\n\t" + method + " " + path
	r, err := http.NewRequestWithContext(s.Context(), method, "http://svc"+path, strings.NewReader(string(body)))
	s.must(err)
	response, err := control.InProcess(s.server()).Do(r)
	s.must(err)
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	s.must(err)
	return response.StatusCode, answer, response.Trailer
}

// create sends a request that creates a record of a kind. If it succeeds, the record is at the path
// list/ID.
func (s *story) create(kind, method, path, list, body string) {
	status, answer := s.do(method, path, body)
	if status >= http.StatusMultipleChoices {
		return
	}
	var record struct {
		ID     string `json:"id"`
		CardID string `json:"card_id"`
	}
	if err := json.Unmarshal([]byte(answer), &record); err != nil {
		s.Fatalf("%s %s: %v in %s", method, path, err, answer)
	}
	if id := record.ID + record.CardID; id != "" {
		s.made[kind] = append(s.made[kind], list+"/"+id)
	}
}

// run runs a job.
func (s *story) run(name string) {
	_, err := s.jobs.Run(context.WithoutCancel(s.Context()), name)
	if err != nil {
		s.Fatalf("job %s: %v", name, err)
	}
}

func shortened(body string) string {
	if len(body) > 200 {
		return body[:200] + "…"
	}
	return body
}
