package crash

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
)

// project is a project of an editor, with its records.
type project struct {
	*thing
	things []*thing
}

// editor is a client that creates, changes, deletes and searches its own records.
type editor struct {
	name     string
	random   *rand.Rand
	clock    func() moment
	projects []*project // the projects; the first one is never deleted
	keys     []*thing
	serial   int
}

// fullProject is the maximum number of records of a kind in a project of an editor.
const fullProject = 60

// step performs one random operation.
func (e *editor) step(c *client) error {
	var there []*project
	for _, p := range e.projects {
		if p.alive() {
			there = append(there, p)
		}
	}
	roll := e.random.IntN(100)
	switch {
	case len(there) == 0 || roll < 3 && len(there) < 4:
		return e.makeProject(c)
	case roll < 5 && len(there) > 1:
		return e.remove(c, there[1+e.random.IntN(len(there)-1)].thing)
	}
	p := there[e.random.IntN(len(there))]
	switch {
	case roll < 8:
		return e.change(c, p.thing)
	case roll < 12:
		return e.work(c, keys, keys.list, &e.keys)
	}
	k := inProjects[e.random.IntN(len(inProjects))]
	return e.work(c, k, p.path+"/"+p.id+k.list, &p.things)
}

func (e *editor) makeProject(c *client) error {
	p := &project{thing: newThing(projects, projects.list, e.random)}
	p.id = e.name + "-" + p.word
	e.projects = append(e.projects, p)
	return e.make(c, p.thing, p.path)
}

// work creates, changes, deletes or searches for a record of the given kind.
func (e *editor) work(c *client, k *kind, path string, list *[]*thing) error {
	var there []*thing
	for _, th := range *list {
		if th.kind == k && th.alive() {
			there = append(there, th)
		}
	}
	roll := e.random.IntN(10)
	if k != logs && len(there) > fullProject {
		roll = 9
	}
	if len(there) == 0 || roll < 4 {
		th := newThing(k, path, e.random)
		*list = append(*list, th)
		return e.make(c, th, e.way(k, path))
	}
	th := there[e.random.IntN(len(there))]
	switch {
	case roll < 7:
		return e.change(c, th)
	case roll == 9 && k != logs:
		return e.remove(c, th)
	case k == keys:
		return nil // the server has no search for keys
	}
	return lookFor(c, th, th.last(), true)
}

// way returns the path for creating a record. Feedback and logs are sometimes created at the path
// for apps.
func (e *editor) way(k *kind, path string) string {
	if (k == feedback || k == logs) && e.random.IntN(2) == 0 {
		return "/public" + path[len(projects.list):]
	}
	return path
}

// make creates a record and stores its ID.
func (e *editor) make(c *client, th *thing, path string) error {
	e.serial++
	v, mark := th.fresh(e.random)
	answer, err := e.ask(c, th, v, mark, 201, "POST", path, th.kind.body(v, e.serial))
	if err != nil {
		return err
	}
	var made view
	if err := json.Unmarshal(answer, &made); err != nil {
		return err
	}
	th.id = made.key(th.kind)
	return nil
}

func (e *editor) change(c *client, th *thing) error {
	v, mark := th.fresh(e.random)
	v = th.kind.next(th.last().view, v)
	if th.kind == logs {
		mark = th.last().mark
	}
	_, err := e.ask(c, th, v, mark, 200, "PATCH", th.path+"/"+th.id, th.kind.edit(v))
	return err
}

func (e *editor) remove(c *client, th *thing) error {
	_, err := e.ask(c, th, view{}, "", 200, "DELETE", th.path+"/"+th.id, nil)
	return err
}

// ask changes or deletes a record. It records the new revision as requested, sends the request, and
// then records the acknowledgement. An empty mark means that the request deletes the record.
func (e *editor) ask(c *client, th *thing, v view, mark string, want int, method, path string, body any) ([]byte, error) {
	r := revision{view: v, mark: mark, begun: e.clock()}
	if mark != "" {
		r.state = th.kind.is(v)
	}
	th.past = append(th.past, r)
	answer, err := c.must(want, method, path, body)
	if err == nil {
		th.last().done = e.clock()
	}
	return answer, err
}

// lookFor searches for the text of a revision. If there is true, the search must find the record;
// otherwise, it must find nothing.
func lookFor(c *client, th *thing, r *revision, there bool) error {
	found, err := pages[view](c, th.path+"?"+th.kind.rest+"search="+r.mark+"&")
	if err != nil {
		return err
	}
	switch {
	case there && (len(found) != 1 || found[0].key(th.kind) != th.id):
		return fmt.Errorf("search for %s %s by %q: got %v, want it and nothing else", th.kind.name, th.id, r.mark, found)
	case !there && len(found) > 0:
		return fmt.Errorf("search for what was %s %s by %q: got %v, want nothing", th.kind.name, th.id, r.mark, found)
	}
	return nil
}

// key returns the key that addresses the record in paths.
func (v view) key(k *kind) string {
	if k == projects {
		return v.ProjectKey
	}
	return v.ID
}

// settle records the observed outcomes of requests without a response. If forget is true, it
// discards the history and keeps only the current state.
func (e *editor) settle(seen map[*thing]revision, now moment, forget bool) {
	settled := func(th *thing) (gone bool) {
		if r, ok := seen[th]; ok {
			th.settle(r, now)
		}
		if forget && len(th.past) > 1 {
			th.past = th.past[len(th.past)-1:]
		}
		return len(th.past) == 1 && !th.alive()
	}
	e.projects = slices.DeleteFunc(e.projects, func(p *project) bool {
		p.things = slices.DeleteFunc(p.things, settled)
		return settled(p.thing)
	})
	e.keys = slices.DeleteFunc(e.keys, settled)
}
