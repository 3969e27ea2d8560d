package crash

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// moment is a time, as a number on the clock of a test. Later times have greater numbers.
type moment int64

// view holds the fields of all kinds of records that these tests read.
type view struct {
	ID         string `json:"id"`
	ProjectKey string `json:"project_key"`
	Name       string `json:"name"`
	Title      string `json:"title"`
	Content    string `json:"content"`
	Hidden     bool   `json:"is_hidden"`
	Active     *bool  `json:"is_active"`
}

// kind is a kind of record that can be created, changed, deleted and searched.
type kind struct {
	name string
	list string                     // path of the list, below the project; records are created there too
	rest string                     // query parameters that make the list contain all records
	body func(view, int) any        // returns the body for creating a record, with a unique number
	edit func(view) any             // returns the body for changing a record
	is   func(view) string          // returns the content that the record should have
	next func(old, fresh view) view // returns the result of changing a record
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
	logs = &kind{ // logs can only be hidden and shown
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

// inProjects lists the kinds of records that are part of a project.
var inProjects = []*kind{versions, announcements, feedback, logs}

// short truncates a text to the maximum length of feedback and logs.
func short(text string) string { return text[:min(len(text), 4000)] }

// thing is a record and its history. Only one client changes it at a time.
type thing struct {
	kind *kind
	path string // path of its list
	id   string // "" until the server has returned it
	word string // a word that all texts of this record contain, and no others
	said int    // number of texts generated so far
	past []revision
}

// revision is a state of a record: the one after a certain request.
type revision struct {
	state string // "" if the record does not exist
	view  view
	mark  string // a word that only the text of this revision contains
	begun moment // a time before the request was sent
	done  moment // a time after the response arrived; 0 if there was none
}

// newThing returns a record that has not been created on the server.
func newThing(k *kind, path string, random *rand.Rand) *thing {
	return &thing{kind: k, path: path, word: word(random, 10), past: []revision{{}}}
}

// word returns a random word.
func word(random *rand.Rand, letters int) string {
	b := make([]byte, letters)
	for i := range b {
		b[i] = 'a' + byte(random.IntN(26))
	}
	return string(b)
}

// fresh returns a new text for a record. The text is occasionally several pages long.
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

// at returns the possible states of a record on a server that ended at the time end and has kept everything that was
// acknowledged by the time sure. These are the last state that was acknowledged by then, and the states that were
// requested after it and before end.
func (th *thing) at(sure, end moment) (allowed []revision) {
	allowed = []revision{th.past[0]}
	for _, r := range th.past[1:] {
		switch {
		case r.done > 0 && r.done <= sure:
			allowed = []revision{r}
		case r.begun <= end:
			allowed = append(allowed, r)
		}
	}
	return allowed
}

// last returns the last requested revision.
func (th *thing) last() *revision { return &th.past[len(th.past)-1] }

// alive reports whether the record exists according to the last requested revision.
func (th *thing) alive() bool { return th.last().state != "" }

// settle records the observed revision. It deletes the later ones, which have been lost.
func (th *thing) settle(seen revision, now moment) {
	at := len(th.past) - 1
	for at > 0 && (th.past[at].begun != seen.begun || th.past[at].state != seen.state) {
		at--
	}
	th.past = th.past[:at+1]
	if last := th.last(); at > 0 && last.done == 0 {
		last.done = now
	}
}
