package crash

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/replica/target"
)

// bucket is an S3 server that stores its objects in a directory. It does not verify signatures.
type bucket struct{ objects target.Target }

// newBucket returns a bucket with the layout of a directory target in dir.
func newBucket(t *testing.T, dir string) *bucket {
	t.Helper()
	at, err := target.Parse("file://" + filepath.ToSlash(dir))
	check(t, err)
	objects, err := target.Open(at, target.Credentials{}, nil)
	check(t, err)
	return &bucket{objects}
}

// ServeHTTP answers the requests that a primary and a standby send.
func (b *bucket) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := nameOf(r)
	switch {
	case r.Method == http.MethodPut:
		b.put(w, r, name)
	case r.Method == http.MethodDelete:
		answer(w, r, b.objects.Delete(r.Context(), name))
	case name == "":
		b.list(w, r)
	default:
		content, err := target.Read(r.Context(), b.objects, name, 1<<30)
		if err != nil {
			answer(w, r, err)
			return
		}
		w.Header().Set("ETag", `"0"`)
		http.ServeContent(w, r, "", time.Now(), bytes.NewReader(content))
	}
}

// nameOf returns the name of the object in the path /BUCKET/NAME.
func nameOf(r *http.Request) string {
	_, name, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return name
}

// put stores an object. The content must be complete, as it is not if its sender was killed.
func (b *bucket) put(w http.ResponseWriter, r *http.Request, name string) {
	content, err := io.ReadAll(r.Body)
	switch {
	case err != nil:
	case r.Header.Get("If-None-Match") == "*":
		err = b.objects.Create(context.WithoutCancel(r.Context()), name, bytes.NewReader(content), int64(len(content)))
	default:
		err = b.objects.Replace(context.WithoutCancel(r.Context()), name, content)
	}
	w.Header().Set("ETag", `"0"`)
	answer(w, r, err)
}

// list lists all objects with a prefix.
func (b *bucket) list(w http.ResponseWriter, r *http.Request) {
	type object struct {
		Key          string
		LastModified time.Time
		ETag         string
		Size         int64
	}
	var result struct {
		XMLName     xml.Name `xml:"ListBucketResult"`
		IsTruncated bool
		Contents    []object
	}
	prefix := r.URL.Query().Get("prefix")
	err := b.objects.List(r.Context(), strings.TrimSuffix(prefix, "/"), func(o target.Object) error {
		result.Contents = append(result.Contents, object{Key: o.Name, Size: o.Size, ETag: `"0"`})
		return nil
	})
	slices.SortFunc(result.Contents, func(a, b object) int { return strings.Compare(a.Key, b.Key) })
	if err != nil {
		answer(w, r, err)
		return
	}
	_ = xml.NewEncoder(w).Encode(result)
}

// answer answers a request that has no other content. err is nil if it has succeeded.
func answer(w http.ResponseWriter, r *http.Request, err error) {
	type failure struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
	}
	switch {
	case err == nil && r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	case err == nil:
		w.WriteHeader(http.StatusOK)
	case errors.Is(err, target.ErrMissing):
		w.WriteHeader(http.StatusNotFound)
		_ = xml.NewEncoder(w).Encode(failure{Code: "NoSuchKey"})
	case errors.Is(err, target.ErrExists):
		w.WriteHeader(http.StatusPreconditionFailed)
		_ = xml.NewEncoder(w).Encode(failure{Code: "PreconditionFailed"})
	default:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

// unreliable is a bucket at the end of an unreliable network. While it fails, some of its answers are late, lost or 503,
// and at times it fails for many requests in a row. It notes when it worked, and how long uploads have taken.
type unreliable struct {
	bucket *bucket
	dir    string
	stalls *stalls
	active sync.WaitGroup // the requests in progress

	mu       sync.Mutex // guards the following fields
	random   *rand.Rand
	failing  bool
	down     int           // number of requests that fail next
	silent   chan struct{} // if it is not nil, requests are only answered after it is closed
	requests int
	observed
}

// observed describes the requests that a primary needs to ship changes: those to store a segment, and to read the next
// epoch.
type observed struct {
	current   map[*http.Request]time.Time // the requests that are being answered, with the time at which they arrived
	storing   time.Duration               // the longest time that storing a segment has taken
	reading   time.Duration               // the longest time that reading an epoch has taken
	failed    time.Time                   // when the first request since recovered failed; zero if none has
	recovered time.Time                   // when a segment was stored after that; zero if none was
}

// add notes how long a request has taken.
func (o *observed) add(r *http.Request, took time.Duration) {
	switch {
	case isSegment(r):
		o.storing = max(o.storing, took)
	case strings.HasPrefix(nameOf(r), "epoch/"):
		o.reading = max(o.reading, took)
	}
}

// The failures of a request.
const (
	intact      = iota
	busy        // it is answered with 503
	unheard     // the connection ends before it has an effect
	unconfirmed // the connection ends after it has had its effect
)

// The latencies of a request while the target fails. One of rarely requests is slow.
const (
	latency = 20 * time.Millisecond
	slow    = 300 * time.Millisecond
	rarely  = 60
)

func (u *unreliable) fail(failing bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.failing, u.down = failing, 0
}

// silence makes the target silent, until the returned function is called.
func (u *unreliable) silence() (end func()) {
	u.mu.Lock()
	defer u.mu.Unlock()
	silent := make(chan struct{})
	u.silent = silent
	return func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.silent = nil
		close(silent)
	}
}

// forget begins new observations.
func (u *unreliable) forget() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.observed = observed{}
	u.stalls.forget()
}

// fate returns what happens to the next request, and its delay.
func (u *unreliable) fate() (failure int, delay time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.requests++
	if !u.failing {
		return intact, 0
	}
	if u.down == 0 && u.random.IntN(100) == 0 {
		u.down = u.random.IntN(4)
	}
	if u.down > 0 {
		u.down--
		return 1 + u.random.IntN(unconfirmed), 0
	}
	if u.random.IntN(rarely) == 0 {
		return intact, within(u.random, slow)
	}
	return intact, within(u.random, latency)
}

// ServeHTTP answers a request, or fails to.
func (u *unreliable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.active.Add(1)
	defer u.active.Done()
	arrived, silent := u.arrive(r)
	if silent != nil {
		<-silent
	}
	failure, delay := u.fate()
	<-time.After(delay)
	if failure != intact {
		u.fails(r, arrived)
	}
	switch failure {
	case busy:
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	case unheard:
		panic(http.ErrAbortHandler)
	case unconfirmed:
		u.bucket.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}
	u.bucket.ServeHTTP(w, r)
	u.succeeds(r, arrived)
}

func isSegment(r *http.Request) bool {
	return r.Method == http.MethodPut && strings.HasPrefix(nameOf(r), "log/")
}

// arrive notes that a request has arrived.
func (u *unreliable) arrive(r *http.Request) (now time.Time, silent <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	now = time.Now()
	if u.current == nil {
		u.current = map[*http.Request]time.Time{}
	}
	u.current[r] = now
	return now, u.silent
}

// succeeds notes that a request has succeeded.
func (u *unreliable) succeeds(r *http.Request, arrived time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	now := time.Now()
	delete(u.current, r)
	u.add(r, now.Sub(arrived))
	if isSegment(r) && !u.failed.IsZero() && u.recovered.IsZero() {
		u.recovered = now
	}
}

// fails notes a failure that began when the request arrived. If the primary cannot have made up for an earlier one, the
// earlier one has not ended.
func (u *unreliable) fails(r *http.Request, arrived time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.current, r)
	if u.failed.IsZero() || !u.recovered.IsZero() && arrived.Sub(u.recovered) > u.window(arrived) {
		u.failed = arrived
	}
	u.recovered = time.Time{}
}

// window returns the time before now for which changes may not be at the target yet: the interval of shipping and an
// upload, and what a busy machine adds. The caller must hold mu.
func (u *unreliable) window(now time.Time) time.Duration {
	o := u.observed
	for r, arrived := range o.current {
		o.add(r, now.Sub(arrived))
	}
	upload := o.storing + o.reading
	return max(every, upload) + upload + u.stalls.room()
}

// sure returns the time up to which a primary that ends now must have shipped its changes. While the target fails, that
// is the time up to which they were shipped when it last worked.
func (u *unreliable) sure(now time.Time) time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	window := u.window(now)
	if u.failed.IsZero() || !u.recovered.IsZero() && now.Sub(u.recovered) > window {
		return now.Add(-window)
	}
	return u.failed.Add(-window)
}

// stalls measures how long this machine takes for what a primary does with each segment: it is scheduled, and syncs a small
// file.
type stalls struct {
	mu      sync.Mutex // guards the following fields
	longest time.Duration
	begun   time.Time // of the current measurement
}

// measure measures until the test ends.
func (s *stalls) measure(t *testing.T, dir string) {
	file, err := os.Create(filepath.Join(dir, "stalls"))
	check(t, err)
	ctx, end := context.WithCancel(context.Background())
	var running sync.WaitGroup
	t.Cleanup(func() {
		end()
		running.Wait()
		check(t, file.Close())
	})
	running.Go(func() {
		for ctx.Err() == nil {
			s.note(true)
			_, err := file.WriteAt([]byte("content"), 0)
			if errors.Join(err, file.Sync()) != nil {
				return
			}
			<-time.After(20 * time.Millisecond)
			s.note(false)
		}
	})
}

func (s *stalls) note(begins bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if begins {
		s.begun = time.Now()
		return
	}
	s.longest = max(s.longest, time.Since(s.begun))
}

// forget begins new measurements.
func (s *stalls) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.longest = 0
}

// room returns the time that the machine may have added to an interval and an upload, for which the primary syncs several
// files.
func (s *stalls) room() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return 300*time.Millisecond + 6*max(s.longest, time.Since(s.begun))
}

// snapshots returns the names of the complete snapshots.
func (u *unreliable) snapshots(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(u.dir, "snapshot", "*", "manifest"))
	check(t, err)
	found := map[string]bool{}
	for _, name := range list {
		found[filepath.Base(filepath.Dir(name))] = true
	}
	return slices.Sorted(maps.Keys(found))
}
