package crash

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestKilledRollouts kills a server while the states of rollouts change. After the next start, each
// rollout must be as it was before, or as the change leaves it: the state, the newest entry of its
// history and the reason in it belong together, and so do a yank and the rollout that it aborts. An
// acknowledged change must be there. SVC_LONG=1 kills more often.
func TestKilledRollouts(t *testing.T) {
	t.Parallel()
	rounds := 4
	if os.Getenv("SVC_LONG") != "" {
		rounds = 60
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	dir := keepOnFailure(t)
	data, log := filepath.Join(dir, "data"), filepath.Join(dir, "server.log")
	token := ""
	serve := func() (*process, *client) {
		p := start(t, data, log)
		url, err := p.ready()
		check(t, err)
		c := newClient(url, token)
		if token == "" {
			check(t, c.logIn())
			token = c.token
		}
		return p, c
	}
	p, c := serve()
	done, kept := 0, 0
	var last *rolling
	for round := range rounds {
		all, err := newRollings(c, fmt.Sprintf("rollouts-%d", round))
		check(t, err)
		last = all[len(all)-1]
		check(t, last.fail(c))
		pause(p, untilSecond()) // the health rule is evaluated then
		var clients sync.WaitGroup
		for _, r := range all {
			clients.Go(func() { r.change(c) })
		}
		pause(p, within(random, 80*time.Millisecond))
		p.kill()
		clients.Wait()
		p, c = serve()
		for _, r := range all {
			changed, err := r.verify(c)
			if err != nil {
				t.Errorf("in round %d: %s: %v", round, r.name, err)
			}
			if changed {
				done++
			} else {
				kept++
			}
		}
		check(t, checkData(data))
	}
	t.Logf("%d changes were made, %d were not", done, kept)
	check(t, last.held(p, c))
	check(t, p.stop(patience))
	check(t, checkData(data))
}

// untilSecond returns the time until the next full second, at which a bucket of health counts closes.
func untilSecond() time.Duration {
	return time.Until(time.Now().Truncate(time.Second).Add(time.Second))
}

// rolling is a version that is being rolled out, and a change of its state.
type rolling struct {
	name     string // of the action
	first    string // an action before it
	state    string // after the change
	entry    string // action in the history
	project  string
	version  string
	path     string
	before   rolloutView
	answered bool // the change was acknowledged
	err      error
}

// rolloutView contains the fields of a rollout that changes of its state write.
type rolloutView struct {
	State   string
	Percent float64
	Step    int
	History []struct {
		At         int64
		Action, By string
		Percent    float64
		Reason     *string
	}
}

// changes lists the changes of a state. The last one is made by a health rule.
var changes = []rolling{
	{name: "pause", state: "paused", entry: "paused"},
	{name: "resume", first: "pause", state: "running", entry: "resumed"},
	{name: "advance", state: "running", entry: "advanced"},
	{name: "complete", state: "completed", entry: "completed"},
	{name: "abort", state: "aborted", entry: "aborted"},
	{name: "yank", state: "aborted", entry: "aborted"},
	{name: "hold", state: "held", entry: "held"},
}

// newRollings creates a project with a complete version and one that is being rolled out for each
// change. One health rule holds a rollout as soon as one user fails.
func newRollings(c *client, project string) (all []*rolling, err error) {
	one := projects.list + "/" + project
	ask := func(want int, method, path string, body any) []byte {
		answer, failed := c.must(want, method, path, body)
		err = errors.Join(err, failed)
		return answer
	}
	ask(201, "POST", projects.list, map[string]any{"project_key": project, "name": project})
	rule := map[string]any{"name": "crashes", "metric": "error_logs", "tolerance": 1, "min_failures": 1}
	ask(200, "PUT", one+"/distribution", map[string]any{"health": map[string]any{"false_alarm": 0.2, "rules": []any{rule}}})
	ask(201, "POST", one+"/versions", map[string]any{"version": "1.0", "comparable_version": "1.0"})
	steps := []map[string]any{{"percent": 10}, {"percent": 50}, {"percent": 100}}
	for i := range changes {
		r := changes[i]
		r.project, r.version = project, fmt.Sprintf("2.%d", i)
		var created struct{ ID string }
		answer := ask(201, "POST", one+"/versions", map[string]any{
			"version": r.version, "comparable_version": r.version, "rollout": map[string]any{"steps": steps, "auto_advance": false},
		})
		if err == nil {
			err = json.Unmarshal(answer, &created)
		}
		r.path = one + "/versions/" + created.ID
		if r.first != "" {
			ask(200, "POST", r.path+"/rollout/"+r.first, map[string]any{"reason": "first"})
		}
		if err == nil {
			err = c.get(r.path+"/rollout", &r.before)
		}
		all = append(all, &r)
	}
	return all, err
}

// reason returns the reason that the change gives.
func (r *rolling) reason() string { return "because of " + r.name }

// change makes the change, unless a health rule makes it.
func (r *rolling) change(c *client) {
	path := r.path + "/rollout/" + r.name
	switch r.name {
	case "hold":
		return
	case "yank":
		path = r.path + "/yank"
	}
	status, answer, err := c.do("POST", path, map[string]any{"reason": r.reason()})
	r.answered = err == nil
	if err == nil && status != http.StatusOK {
		r.err = fmt.Errorf("got %d %.300s", status, answer)
	}
}

// fail lets users of the version and of the one before it start the app. All users of the version
// fail.
func (r *rolling) fail(c *client) error {
	public := "/public/" + r.project
	for range 12 {
		if _, err := c.must(200, "POST", public+"/versions/check-update", map[string]any{"current_version": "1.0"}); err != nil {
			return err
		}
		crash := map[string]any{"level": 3, "content": "crash", "device_info": map[string]any{"app_version": r.version}}
		if _, err := c.must(201, "POST", public+"/logs", crash); err != nil {
			return err
		}
	}
	return nil
}

// verify returns whether the change was made. It returns an error if only a part of it was, or if an
// acknowledged change is missing.
func (r *rolling) verify(c *client) (changed bool, err error) {
	var now rolloutView
	var version struct {
		YankedAt   *int64  `json:"yanked_at"`
		YankReason *string `json:"yank_reason"`
	}
	if err := errors.Join(r.err, c.get(r.path+"/rollout", &now), c.get(r.path, &version)); err != nil {
		return false, err
	}
	yanked := version.YankedAt != nil
	switch {
	case yanked != (version.YankReason != nil), yanked && (r.name != "yank" || *version.YankReason != r.reason()):
		return false, fmt.Errorf("yanked at %v because of %v", version.YankedAt, version.YankReason)
	case reflect.DeepEqual(now, r.before):
		if yanked || r.answered {
			return false, fmt.Errorf("the rollout is as before, but yanked is %t and acknowledged is %t", yanked, r.answered)
		}
		return false, nil
	case now.State != r.state || len(now.History) != len(r.before.History)+1 || !reflect.DeepEqual(now.History[1:], r.before.History):
		return true, fmt.Errorf("got %+v after %+v", now, r.before)
	case r.name == "yank" && !yanked:
		return true, errors.New("the rollout is aborted, but the version is not yanked")
	}
	return true, r.verifyEntry(&now)
}

// verifyEntry checks the newest entry of the history.
func (r *rolling) verifyEntry(now *rolloutView) error {
	newest, reason, by := now.History[0], r.reason(), "admin"
	if r.name == "hold" {
		by = "rule crashes"
		if newest.Reason != nil && strings.HasSuffix(*newest.Reason, " on 1.0") {
			reason = *newest.Reason
		}
	}
	percent, step := r.before.Percent, r.before.Step
	switch r.name {
	case "advance":
		percent, step = 50, 1
	case "complete":
		percent, step = 100, 2
	}
	if newest.Action != r.entry || newest.By != by || newest.Reason == nil || *newest.Reason != reason || now.Percent != percent || now.Step != step {
		text, _ := json.Marshal(now) // consists of texts and numbers
		return fmt.Errorf("got %s, want %s by %s because of %q, at %v %% in step %d", text, r.entry, by, reason, percent, step)
	}
	return nil
}

// held waits until a health rule has held the rollout, which has happened once.
func (r *rolling) held(p *process, c *client) error {
	for late := time.Now().Add(patience); ; pause(p, 100*time.Millisecond) {
		var now rolloutView
		if err := c.get(r.path+"/rollout", &now); err != nil {
			return err
		}
		if now.State == "held" {
			_, err := r.verify(c)
			return err
		}
		if time.Now().After(late) {
			return fmt.Errorf("the rollout is not held: %+v", now)
		}
		if err := r.fail(c); err != nil {
			return err
		}
	}
}
