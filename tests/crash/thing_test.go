package crash

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// moment is a point on the clock of a story. What happened at a smaller one
// happened before.
type moment int64

// view is what these tests read of the answers to all kinds of lists.
type view struct {
	ID         string `json:"id"`
	ProjectKey string `json:"project_key"`
	Name       string `json:"name"`
	Title      string `json:"title"`
	Content    string `json:"content"`
	Hidden     bool   `json:"is_hidden"`
	Active     *bool  `json:"is_active"`
}

// kind is a kind of record that is made, changed, deleted and found.
type kind struct {
	name string
	list string                     // below the project; where records are made, too
	rest string                     // of the query that lists all
	body func(view, int) any        // to make one, with a number that no other has
	edit func(view) any             // to change one
	is   func(view) string          // what must come back
	next func(old, fresh view) view // what a change makes of a record
}

func replaced(_, fresh view) view { return fresh }

func titled(v view) string { return v.Title + "\n" + v.Content }

var (
	projects = &kind{
		name: "project", list: "/admin/projects",
		body: func(v view, _ int) any { return map[string]any{"project_key": v.ProjectKey, "name": v.Name} },
		edit: func(v view) any { return map[string]any{"name": v.Name} },
		is:   func(v view) string { return v.Name },
		next: replaced,
	}
	versions = &kind{
		name: "version", list: "/versions",
		body: func(v view, n int) any {
			number := fmt.Sprintf("1.%d.0", n)
			return map[string]any{"version": number, "comparable_version": number, "title": v.Title, "content": v.Content}
		},
		edit: func(v view) any { return map[string]any{"title": v.Title, "content": v.Content} },
		is:   titled,
		next: replaced,
	}
	announcements = &kind{
		name: "announcement", list: "/announcements",
		body: func(v view, _ int) any { return map[string]any{"title": v.Title, "content": v.Content} },
		edit: func(v view) any { return map[string]any{"title": v.Title, "content": v.Content} },
		is:   titled,
		next: replaced,
	}
	feedback = &kind{
		name: "feedback", list: "/feedbacks", rest: "include_hidden=1&",
		body: func(v view, n int) any { return map[string]any{"content": short(v.Content), "rating": n%5 + 1} },
		edit: func(v view) any { return map[string]any{"content": short(v.Content), "status": "resolved"} },
		is:   func(v view) string { return short(v.Content) },
		next: replaced,
	}
	logs = &kind{ // of which nothing can be changed but whether it is shown
		name: "log", list: "/logs", rest: "include_hidden=1&",
		body: func(v view, n int) any { return map[string]any{"content": short(v.Content), "level": n % 4} },
		edit: func(v view) any { return map[string]any{"is_hidden": v.Hidden} },
		is:   func(v view) string { return fmt.Sprint(short(v.Content), v.Hidden) },
		next: func(old, _ view) view { old.Hidden = !old.Hidden; return old },
	}
	keys = &kind{
		name: "API key", list: "/auth/api-keys",
		body: func(v view, _ int) any { return map[string]any{"name": v.Name, "scopes": []string{"projects:read"}} },
		edit: func(v view) any { return map[string]any{"name": v.Name} },
		is:   func(v view) string { return v.Name },
		next: replaced,
	}
)

// inProjects are the kinds of which each record belongs to a project.
var inProjects = []*kind{versions, announcements, feedback, logs}

// short is what feedback and logs take.
func short(text string) string { return text[:min(len(text), 4000)] }

// thing is a record and what happened to it. One client at a time changes it.
type thing struct {
	kind *kind
	path string // of its list
	id   string // "" until the server has said it
	word string // is in all its texts and nowhere else
	said int    // texts it was given
	past []revision
}

// revision is what became of a thing with a request.
type revision struct {
	state string // "" = it is not there
	view  view
	mark  string // is in the text of this revision and nowhere else
	begun moment // before the request was sent
	done  moment // after the answer had come; 0 = it has not
}

// newThing thinks of a thing that the server does not know yet.
func newThing(k *kind, path string, random *rand.Rand) *thing {
	return &thing{kind: k, path: path, word: word(random, 10), past: []revision{{}}}
}

// word is a random word.
func word(random *rand.Rand, letters int) string {
	b := make([]byte, letters)
	for i := range b {
		b[i] = 'a' + byte(random.IntN(26))
	}
	return string(b)
}

// fresh is another text for a thing, now and then one of several pages.
func (th *thing) fresh(random *rand.Rand) (v view, mark string) {
	th.said++
	mark = fmt.Sprintf("%sr%dx", th.word, th.said)
	length := random.IntN(300)
	if random.IntN(12) == 0 {
		length = random.IntN(20_000)
	}
	var text strings.Builder
	text.WriteString(mark)
	for text.Len() < length {
		text.WriteString(" " + word(random, 2+random.IntN(8)))
	}
	return view{ID: th.id, ProjectKey: th.id, Name: mark, Title: "About " + mark, Content: text.String()}, mark
}

// at is what a thing may be when everything ends at a moment: what was last
// acknowledged before, or what was asked for since.
func (th *thing) at(end moment) (allowed []revision) {
	allowed = []revision{th.past[0]}
	for _, r := range th.past[1:] {
		switch {
		case r.done > 0 && r.done <= end:
			allowed = []revision{r}
		case r.begun <= end:
			allowed = append(allowed, r)
		}
	}
	return allowed
}

// last is what was last asked for.
func (th *thing) last() *revision { return &th.past[len(th.past)-1] }

// alive reports whether the thing is there for all that is known.
func (th *thing) alive() bool { return th.last().state != "" }

// settle notes what was seen of the last request that had no answer.
func (th *thing) settle(seen revision, now moment) {
	last := th.last()
	if last.done > 0 || len(th.past) == 1 {
		return
	}
	if last.state == seen.state {
		last.done = now
		return
	}
	th.past = slices.Delete(th.past, len(th.past)-1, len(th.past))
}
