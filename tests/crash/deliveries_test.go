package crash

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The moments at which a server with waiting deliveries is killed.
const (
	acknowledged = iota // shortly after a request was acknowledged
	arriving            // while a receiver has a delivery that it has not answered yet
	answered            // shortly after a receiver has answered
	restarting          // before the server responds, while it attempts what was waiting
	deliveryWays
)

// TestKilledDeliveries kills a server 40 times while requests cause events and two hooks receive them.
// After each start, the record that caused an event must exist for each event that has arrived, and
// all acknowledged records must exist. At the end, each hook must have received an event for each
// record, and no other events.
func TestKilledDeliveries(t *testing.T) {
	t.Parallel()
	const rounds = 40
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := keepOnFailure(t)
	data, log := filepath.Join(dir, "data"), filepath.Join(dir, "server.log")
	r := newReceiver(t)
	var all []*causes
	token := ""
	serve := func() (*process, *client) {
		p := start(t, data, log)
		url, err := p.ready()
		check(t, err)
		c := newClient(url, token)
		if token == "" {
			check(t, c.logIn())
			token = c.token
			check(t, r.subscribe(c))
		}
		if len(all) > 0 {
			check(t, all[len(all)-1].verify(c, r))
		}
		return p, c
	}
	startTakes := 300 * time.Millisecond
	for round := range rounds {
		way, k := round%deliveryWays, int64(1+round/deliveryWays*2)
		if way == restarting {
			p := start(t, data, log)
			pause(p, within(random, startTakes))
			p.kill()
			continue
		}
		begun := time.Now()
		p, c := serve()
		startTakes = time.Since(begun) * 5 / 4
		of := &causes{project: fmt.Sprintf("deliveries-%d", round)}
		all = append(all, of)
		reached := r.expect(way, k)
		check(t, of.create(c))
		clients := of.run(c, r)
		select {
		case <-reached:
		case <-p.exited: // surprise reports this
		case <-time.After(patience):
			t.Errorf("round %d: there is no moment %d of kind %d", round, k, way)
		}
		if way != arriving {
			pause(p, within(random, 5*time.Millisecond))
		}
		p.end()
		check(t, errors.Join(clients(), p.surprise()))
	}
	p, c := serve()
	check(t, r.settle(p, c))
	records := 0
	for _, of := range all {
		check(t, of.verifyAll(c, r))
		records += len(of.acknowledged)
	}
	check(t, p.stop(patience))
	check(t, checkData(data))
	t.Logf("%d records were acknowledged, %d deliveries arrived, %d of them repeated", records, r.arrived, r.repeated)
}

// causes makes requests that cause events of its project.
type causes struct {
	project string

	mu           sync.Mutex
	acknowledged []string // keys of the records, see key
}

// key identifies a record and the event that it causes. name is unique in the project.
func key(project, event, name string) string { return project + " " + event + " " + name }

// causing is a kind of request that causes an event.
type causing struct {
	event string
	most  int    // maximum number of requests in a project; 0 = no limit
	list  string // path of the records below the project
	make  func(c *client, project, name string) error
}

// causings lists kinds of requests that cause events.
var causings = []causing{
	{event: "announcement.published", list: "/announcements?", make: func(c *client, project, name string) error {
		_, err := c.must(201, "POST", projects.list+"/"+project+"/announcements", map[string]any{"title": name, "content": "content"})
		return err
	}},
	{event: "feedback.created", list: "/feedbacks?", make: func(c *client, project, name string) error {
		_, err := c.must(201, "POST", "/public/"+project+"/feedbacks", map[string]any{"content": name})
		return err
	}},
	{event: "version.published", list: "/versions?", make: func(c *client, project, name string) error {
		_, err := c.must(201, "POST", projects.list+"/"+project+"/versions", map[string]any{"version": name, "comparable_version": name})
		return err
	}},
	// at most 20 new groups an hour are told
	{event: "log.group_created", most: 15, list: "/log-groups?", make: func(c *client, project, name string) error {
		body := map[string]any{"level": 3, "content": "failed", "custom_data": map[string]any{"group_key": name}}
		_, err := c.must(201, "POST", "/public/"+project+"/logs", body)
		return err
	}},
}

// caused contains the fields that records and the data of their events have in common.
type caused struct {
	ID      string `json:"id"` // "" in the events of versions
	Title   string `json:"title"`
	Content string `json:"content"`
	Version string `json:"version"`
}

// name returns the name that the request gave to the record.
func (d *caused) name(event string) string {
	switch event {
	case "version.published":
		return d.Version
	case "feedback.created":
		return d.Content
	}
	return d.Title
}

// create creates the project.
func (s *causes) create(c *client) error {
	_, err := c.must(201, "POST", projects.list, map[string]any{"project_key": s.project, "name": s.project})
	return err
}

// run starts making requests of all kinds. It returns a function that waits until they have noticed
// that the server has ended.
func (s *causes) run(c *client, r *receiver) (wait func() error) {
	var running sync.WaitGroup
	failures := make([]error, len(causings))
	for i, one := range causings {
		running.Go(func() {
			for n := 1; one.most == 0 || n <= one.most; n++ {
				name := fmt.Sprintf("1.%d.0", n)
				if err := one.make(c, s.project, name); err != nil {
					if !errors.Is(err, errGone) {
						failures[i] = err
					}
					return
				}
				s.mu.Lock()
				s.acknowledged = append(s.acknowledged, key(s.project, one.event, name))
				s.mu.Unlock()
				r.tick(acknowledged)
			}
		})
	}
	return func() error {
		running.Wait()
		return errors.Join(failures...)
	}
}

// records returns the ids of all records of the project by key.
func (s *causes) records(c *client) (map[string]string, error) {
	found := map[string]string{}
	for _, one := range causings {
		list, err := pages[caused](c, projects.list+"/"+s.project+one.list)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			found[key(s.project, one.event, d.name(one.event))] = d.ID
		}
	}
	return found, nil
}

// verify checks that all acknowledged records exist, and the records of all events that have arrived.
func (s *causes) verify(c *client, r *receiver) error {
	events := r.of(s.project) // before the records
	records, err := s.records(c)
	if err != nil {
		return err
	}
	for _, known := range s.acknowledged {
		if _, ok := records[known]; !ok {
			err = errors.Join(err, fmt.Errorf("%s was acknowledged and does not exist", known))
		}
	}
	for _, hook := range events {
		for known, id := range hook {
			if stored, ok := records[known]; !ok || id != "" && id != stored {
				err = errors.Join(err, fmt.Errorf("the event of %s with the id %q has arrived, the id of the record is %q", known, id, stored))
			}
		}
	}
	return err
}

// verifyAll is verify when all events have been delivered.
func (s *causes) verifyAll(c *client, r *receiver) error {
	records, err := s.records(c)
	if err != nil {
		return err
	}
	events := r.of(s.project)
	for _, path := range hookPaths {
		for known := range records {
			if _, ok := events[path][known]; !ok {
				err = errors.Join(err, fmt.Errorf("the event of %s has not arrived at %s", known, path))
			}
		}
	}
	return errors.Join(err, s.verify(c, r))
}

// hookPaths contains the path of each hook's receiver.
var hookPaths = []string{"/one", "/two"}

// receiver receives the events of hooks. It answers the first attempt of every tenth delivery with an
// error.
type receiver struct {
	url   string
	hooks []string // paths of the hooks
	until atomic.Pointer[until]

	mu                sync.Mutex
	ids               map[string]string            // keys of the events by path and id of the delivery
	events            map[string]map[string]string // ids of the records by path and key of the event
	arrived, repeated int
	wrong             error
}

// until is a moment that is waited for.
type until struct {
	way     int
	left    atomic.Int64
	reached chan struct{}
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{ids: map[string]string{}, events: map[string]map[string]string{}}
	for _, path := range hookPaths {
		r.events[path] = map[string]string{}
	}
	server := httptest.NewServer(http.HandlerFunc(r.receive))
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// subscribe creates the hooks.
func (r *receiver) subscribe(c *client) error {
	for _, path := range hookPaths {
		answer, err := c.must(201, "POST", "/admin/hooks", map[string]any{"name": path, "kind": "webhook", "url": r.url + path})
		if err != nil {
			return err
		}
		var got struct{ ID string }
		if err := json.Unmarshal(answer, &got); err != nil {
			return err
		}
		r.hooks = append(r.hooks, "/admin/hooks/"+got.ID)
	}
	return nil
}

// expect returns a channel that is closed when something happens for the k-th time from now on.
func (r *receiver) expect(way int, k int64) <-chan struct{} {
	u := &until{way: way, reached: make(chan struct{})}
	u.left.Store(k)
	r.until.Store(u)
	return u.reached
}

// tick reports that something happened. It returns whether that was the expected moment.
func (r *receiver) tick(way int) bool {
	u := r.until.Load()
	if u == nil || u.way != way || u.left.Add(-1) != 0 {
		return false
	}
	close(u.reached)
	return true
}

func (r *receiver) receive(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // the server was killed
	}
	status := r.take(q.URL.Path, q.Header.Get("Webhook-Id"), body)
	if r.tick(arriving) {
		<-q.Context().Done() // until the server was killed
		return
	}
	w.WriteHeader(status)
	if http.NewResponseController(w).Flush() == nil {
		r.tick(answered)
	}
}

// take records a delivery. It returns the status of the answer.
func (r *receiver) take(path, id string, body []byte) int {
	var event struct {
		Type string
		Data struct {
			caused
			Project struct{ Key string }
		}
	}
	err := json.Unmarshal(body, &event)
	known := key(event.Data.Project.Key, event.Type, event.Data.name(event.Type))
	r.mu.Lock()
	defer r.mu.Unlock()
	r.arrived++
	before, again := r.ids[path+id]
	_, told := r.events[path][known]
	switch {
	case err != nil || event.Data.Project.Key == "":
		r.wrong = errors.Join(r.wrong, fmt.Errorf("got %s, %w", body, err))
	case again != told || again && before != known:
		r.wrong = errors.Join(r.wrong, fmt.Errorf("delivery %s of %s is of %q, and was of %q", id, path, known, before))
	case again:
		r.repeated++
	default:
		r.ids[path+id], r.events[path][known] = known, event.Data.ID
		if len(r.ids)%10 == 0 {
			return http.StatusServiceUnavailable
		}
	}
	return http.StatusNoContent
}

// of returns the events of a project that have arrived, as ids of records by path and key.
func (r *receiver) of(project string) map[string]map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := map[string]map[string]string{}
	for path, events := range r.events {
		found[path] = map[string]string{}
		for known, id := range events {
			if strings.HasPrefix(known, project+" ") {
				found[path][known] = id
			}
		}
	}
	return found
}

// settle waits until no delivery is waiting any more. It returns the first things that were wrong with
// those that arrived.
func (r *receiver) settle(p *process, c *client) error {
	for late := time.Now().Add(patience); ; pause(p, 50*time.Millisecond) {
		waiting := 0
		for _, hook := range r.hooks {
			for _, state := range []string{"queued", "retrying"} {
				var page struct{ Total int }
				if err := c.get(hook+"/deliveries?limit=1&state="+state, &page); err != nil {
					return err
				}
				waiting += page.Total
			}
		}
		if waiting == 0 {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.wrong
		}
		if time.Now().After(late) {
			return fmt.Errorf("%d deliveries are still waiting", waiting)
		}
	}
}
