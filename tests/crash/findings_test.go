package crash

import (
	"fmt"
	"maps"
	"slices"
)

// findings compares the state of a server with the states that the model allows for a server that
// ended at the time end and has kept everything that was acknowledged by the time sure. It holds what it has observed.
type findings struct {
	world     *world
	client    *client
	sure, end moment

	seen   map[*thing]revision // records that were found, with their revisions
	latest moment              // when the request of the latest change that is there began
	oldest moment              // when the oldest change that has been lost was acknowledged; 0 if there is none
}

// found records that a change is there. begun is a time before its request.
func (f *findings) found(begun moment) { f.latest = max(f.latest, begun) }

// lost records that a change is not there. done is a time after its acknowledgement, or 0 if there was none.
func (f *findings) lost(done moment) {
	if done > 0 && (f.oldest == 0 || done < f.oldest) {
		f.oldest = done
	}
}

// inOrder returns an error if a change has been lost although a later one is there.
func (f *findings) inOrder() error {
	if f.oldest > 0 && f.oldest < f.latest {
		return fmt.Errorf("a change that was acknowledged at %d has been lost, one that was requested at %d has not", f.oldest, f.latest)
	}
	return nil
}

// compareAll compares all lists.
func (f *findings) compareAll() error {
	var all []*thing
	for _, e := range f.world.editors {
		for _, p := range e.projects {
			all = append(all, p.thing)
		}
	}
	there, err := pages[view](f.client, projects.list+"?")
	if err != nil {
		return err
	}
	there = slices.DeleteFunc(there, func(v view) bool { return v.ProjectKey == eventProject })
	if err := f.compare(projects, all, there); err != nil {
		return err
	}
	for _, e := range f.world.editors {
		for _, p := range e.projects {
			if err := f.compareProject(p); err != nil {
				return fmt.Errorf("project %s: %w", p.id, err)
			}
		}
	}
	all = nil
	for _, e := range f.world.editors {
		all = append(all, e.keys...)
	}
	var list struct{ Data []view }
	if err := f.client.get(keys.list, &list); err != nil {
		return err
	}
	// Revoked keys stay in the list, but count as deleted here.
	return f.compare(keys, all, slices.DeleteFunc(list.Data, func(v view) bool { return !*v.Active }))
}

// compareProject compares the lists of a project that exists.
func (f *findings) compareProject(p *project) error {
	if f.seen[p.thing].state == "" {
		return nil
	}
	for _, k := range inProjects {
		var all []*thing
		for _, th := range p.things {
			if th.kind == k {
				all = append(all, th)
			}
		}
		there, err := pages[view](f.client, p.path+"/"+p.id+k.list+"?"+k.rest)
		if err != nil {
			return err
		}
		if err := f.compare(k, all, there); err != nil {
			return err
		}
	}
	return nil
}

// compare compares a list with the allowed states of the records of one kind.
func (f *findings) compare(k *kind, all []*thing, list []view) error {
	there, known := map[string]view{}, map[string]string{}
	for _, v := range list {
		there[v.key(k)] = v
		known[k.is(v)] = v.key(k)
	}
	for _, th := range all {
		id, allowed := th.id, th.at(f.sure, f.end)
		if id == "" && len(allowed) > 1 { // the record was created, but the response with its id was lost
			id = known[allowed[1].state]
		}
		state := ""
		if v, ok := there[id]; ok {
			state = k.is(v)
			delete(there, id)
		}
		at := slices.IndexFunc(allowed, func(r revision) bool { return r.state == state })
		if at < 0 {
			return fmt.Errorf("%s %s is %.200q, but may only be one of %.200q", k.name, th.id, state, states(allowed))
		}
		if id != "" && f.end == always {
			th.id = id
		}
		f.seen[th] = allowed[at]
		if slices.ContainsFunc(allowed[at+1:], func(r revision) bool { return r.state == state }) {
			continue // which of them it is cannot be told
		}
		f.found(allowed[at].begun)
		if at+1 < len(allowed) {
			f.lost(allowed[at+1].done)
		}
	}
	if len(there) > 0 {
		return fmt.Errorf("%d %ss are there that should not be, one is %.300v", len(there), k.name, slices.Collect(maps.Values(there))[0])
	}
	return nil
}

// states returns the states of revisions. The state "" means that the record does not exist.
func states(all []revision) (list []string) {
	for _, r := range all {
		list = append(list, r.state)
	}
	return list
}

// sample is the maximum number of records for which search searches.
const sample = 24

// search searches for the texts of some records. A search for the current text must find the
// record. A search for the text of another revision must find nothing.
func (f *findings) search() error {
	var all []*thing
	for _, e := range f.world.editors {
		for _, p := range e.projects {
			if r, ok := f.seen[p.thing]; ok {
				all = append(all, p.thing)
				if r.state != "" {
					all = append(all, p.things...)
				}
			}
		}
	}
	for range min(sample, len(all)) {
		th := all[f.world.random.IntN(len(all))]
		now := f.seen[th]
		if now.state != "" {
			if err := lookFor(f.client, th, &now, true); err != nil {
				return err
			}
		}
		other := th.past[f.world.random.IntN(len(th.past))]
		if other.mark != "" && other.mark != now.mark {
			if err := lookFor(f.client, th, &other, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// events compares the counters and the stored events with the state of the trackers.
func (f *findings) events() error {
	const of = "/admin/projects/" + eventProject + "/events"
	var counters struct {
		Data []struct {
			Key   string
			Count int
		}
	}
	if err := f.client.get(of+"/stats/breakdown?start_time=0", &counters); err != nil {
		return err
	}
	counted := map[string]int{}
	for _, one := range counters.Data {
		counted[one.Key] = one.Count
	}
	for _, t := range f.world.trackers {
		details, err := f.details(t)
		if err != nil {
			return err
		}
		if details != counted[t.name] {
			return fmt.Errorf("%d events of %s are counted, %d are stored", counted[t.name], t.name, details)
		}
		if err := f.verify(t, counted[t.name]); err != nil {
			return err
		}
	}
	return nil
}

// details returns the number of stored events of a tracker. It can differ from the counter, which
// the server increments when an event arrives.
func (f *findings) details(t *tracker) (int, error) {
	answer, err := f.client.must(200, "POST", "/admin/projects/"+eventProject+"/events/analysis/query", map[string]any{
		"type": "value", "start_time": 0, "events": []any{map[string]string{"name": t.name, "alias": "A"}},
		"filters": []any{map[string]string{"property": "batch", "op": "exists"}},
	})
	if err != nil {
		return 0, err
	}
	return valueOf(answer)
}
