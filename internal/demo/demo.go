// Package demo generates three projects with 90 days of data: releases (including a bad
// one), their adoption and downloads, announcements, feedback, logs with an incident, behaviour
// events and request counters. It writes them as archives for "svc import", which validates them
// by the rules of the API.
//
//	demo.go      projects, and writing the archive of a project
//	quillmere.go, tidebrook.go, wicklume.go  the data of each project
//	content.go   texts: release notes, announcements, descriptions
//	people.go    the users of an app: places, platforms, versions
//	life.go      days, sessions, events and requests
//	reports.go   feedback and logs
//	assets.go    content of installers, and what is set for downloads
//	signing.go   signatures of files
//	rollouts.go  releases that reach their users step by step, and their health
//	voices.go    texts of feedback
//	cards.go     cards of the dashboard
//	keys.go      API keys
//	hooks.go     hooks
//	random.go    reproducible random numbers, and IDs
//
// The same seed and the same time produce identical bytes. A later time on the same UTC
// day only adds records.
package demo

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"time"

	"svc/internal/transfer"
)

// Days is the number of days for which there is data, including today.
const Days = 90

const day = 86400 // seconds

// Config configures the generated data.
type Config struct {
	Seed uint64
	// Now is the time at which the data ends.
	Now time.Time
	// BaseURL is the prefix of links to files, such as http://127.0.0.1:4000.
	BaseURL string
	// Program is the name of this program, for the manifests of the archives.
	Program string
}

// Keys returns the keys of the projects, in the order of their creation.
func Keys() []string {
	keys := make([]string, len(projects))
	for i, p := range projects {
		keys[i] = p.key
	}
	return keys
}

// Write writes the archive of the project with the given key to out.
func Write(out io.Writer, c Config, key string) error {
	at := slices.IndexFunc(projects, func(p *project) bool { return p.key == key })
	if at < 0 {
		return fmt.Errorf("there is no project %q in the demo", key)
	}
	w := newWorld(c, projects[at])
	w.live()
	return w.write(out)
}

// project holds the facts from which the data of one project is generated.
type project struct {
	key, name, author, site, docs, repo string
	folder                              string            // folder of the project's texts; also the name of its programs
	names                               map[string]string // names of the project by language
	optionalMin                         string
	begun                               int // how many days before today the project began
	aliases                             []former
	languages                           []language
	releases                            []release // the oldest first
	announcements                       []announcement
	people                              population
	session                             func(*session)
	events                              []definition
	voices                              []voice
	feedbacks                           int // approximate number of feedback entries
	logs                                []logKind
	logShare                            float64 // share of the sessions in which the app sends a log
	incidents                           []incident
	cards                               []card
	distribution                        *distribution // nil = the default settings
	signed                              bool          // whether stored files are signed
}

type former struct {
	key string
	ago int // days before today
}

type language struct {
	tag, label string
	synonyms   []string
}

// definition describes a behaviour event.
type definition struct {
	name, title, text string
	archived          bool
}

// world is the data of a project while it is being generated.
type world struct {
	Config
	*project
	now, today int64 // Unix seconds: the end of the data, and the start of that day

	people   []*person
	sessions []*session
	byTime   []*session // the sessions, ordered by their start
	rollouts []*rolledOut
	heldAt   map[string]int64 // Unix times at which health rules held releases, by version
	events   []eventLine
	counts   map[eventCount]int64
	requests map[requestCount]int64
	systems  map[versionCount]int64
	clients  map[versionCount]int64
	files    []file

	feedbackLines []feedbackLine
	logLines      []logLine
}

func newWorld(c Config, p *project) *world {
	now := c.Now.Unix()
	return &world{
		Config: c, project: p, now: now, today: now - now%day,
		counts: map[eventCount]int64{}, requests: map[requestCount]int64{}, systems: map[versionCount]int64{}, clients: map[versionCount]int64{},
	}
}

// ago returns the Unix time of the given UTC hour on the day that lies the given number of days
// before today, but no time after the end of the data.
func (w *world) ago(days int, hour float64) int64 {
	return min(w.now, w.today-int64(days)*day+int64(hour*3600))
}

// projectLine is a project as an archive contains it.
type projectLine struct {
	ProjectKey  string        `json:"project_key"`
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Author      string        `json:"author"`
	Repo        string        `json:"repo_url,omitempty"`
	Website     string        `json:"website_url,omitempty"`
	Docs        string        `json:"docs_url,omitempty"`
	PublishedAt int64         `json:"published_at"`
	OptionalMin string        `json:"optional_update_min_comparable_version,omitempty"`
	Texts       []projectText `json:"translations"`
	CreatedAt   int64         `json:"created_at"`
	UpdatedAt   int64         `json:"updated_at"`
}

type projectText struct {
	Locale      string `json:"locale"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
}

func (w *world) projectLine() projectLine {
	line := projectLine{
		ProjectKey: w.key, Name: w.name, Description: w.text("description").whole(), Author: w.author, Repo: w.repo, Website: w.site,
		Docs:        w.docs,
		PublishedAt: w.ago(w.begun, 9), OptionalMin: w.optionalMin, CreatedAt: w.ago(w.begun, 8.5), UpdatedAt: w.ago(6, 15),
	}
	for _, l := range w.languages {
		if t, ok := w.translated("description", l.tag); ok {
			line.Texts = append(line.Texts, projectText{l.tag, w.names[l.tag], t.whole()})
		}
	}
	return line
}

type aliasLine struct {
	Alias     string `json:"alias"`
	CreatedAt int64  `json:"created_at"`
}

type languageLine struct {
	Locale    string   `json:"locale"`
	Aliases   []string `json:"aliases"`
	Label     string   `json:"label"`
	CreatedAt int64    `json:"created_at"`
}

type definitionLine struct {
	ID          string  `json:"event_definition_id"`
	Name        string  `json:"name"`
	DisplayName *string `json:"display_name"`
	Description *string `json:"description"`
	Archived    bool    `json:"archived"`
	FirstSeen   int64   `json:"first_seen_time"`
	LastSeen    int64   `json:"last_seen_time"`
}

// write writes the archive of the project.
func (w *world) write(out io.Writer) error {
	a := transfer.NewWriter(out, transfer.Manifest{Program: w.Program, CreatedAt: w.now, ProjectKey: w.key})
	versions := w.versions() // also creates the files
	steps := []struct {
		name  string
		lines func(add func(any) error) error
	}{
		{transfer.ProjectFile, each([]projectLine{w.projectLine()})},
		{transfer.AliasesFile, each(w.formerKeys())},
		{transfer.LanguagesFile, each(w.languageLines())},
		{transfer.DistributionFile, each(w.distributionLines())},
		{transfer.TrustKeysFile, each(w.trustKeyLines())},
		{transfer.VersionsFile, each(versions)},
		{transfer.AnnouncementsFile, each(w.announcementLines())},
		{transfer.FeedbacksFile, each(w.feedbackLines)},
		{transfer.LogsFile, each(w.logLines)},
		{transfer.CardsFile, each(w.cardLines())},
		{transfer.DefinitionsFile, each(w.definitions())},
		{transfer.EventsFile, each(w.events)},
		{transfer.EventCountersFile, each(w.eventCounts())},
		{transfer.RequestsFile, each(w.requestCounts())},
		{transfer.SystemVersionsFile, each(versionCounts(w.systems))},
		{transfer.ClientVersionsFile, each(versionCounts(w.clients))},
		{transfer.DownloadsFile, each(w.downloads())},
		{transfer.HealthFile, each(w.healthLines())},
	}
	for _, step := range steps {
		if err := a.Begin(step.name); err != nil {
			return err
		}
		if err := step.lines(a.Line); err != nil {
			return err
		}
	}
	for i := range w.files {
		f := &w.files[i]
		var err error
		if f.Size, f.SHA256, err = a.Content(f.ID, bytes.NewReader(f.content)); err != nil {
			return err
		}
	}
	if err := a.Begin(transfer.FilesFile); err != nil {
		return err
	}
	if err := each(w.files)(a.Line); err != nil {
		return err
	}
	_, err := a.Close()
	return err
}

// each returns a function that calls its argument add for each record of list, until add returns an
// error.
func each[R any](list []R) func(add func(any) error) error {
	return func(add func(any) error) error {
		for i := range list {
			if err := add(&list[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

func (w *world) formerKeys() []aliasLine {
	list := make([]aliasLine, len(w.aliases))
	for i, f := range w.aliases {
		list[i] = aliasLine{f.key, w.ago(f.ago, 11)}
	}
	return list
}

func (w *world) languageLines() []languageLine {
	list := make([]languageLine, len(w.languages))
	for i, l := range w.languages {
		list[i] = languageLine{l.tag, append([]string{}, l.synonyms...), l.label, w.ago(w.begun-i, 10)}
	}
	return list
}

// definitions returns the definitions of the events that occur in the data, with the
// times at which each was first and last seen.
func (w *world) definitions() []definitionLine {
	first, last := map[string]int64{}, map[string]int64{}
	for i := range w.events {
		e := &w.events[i]
		if first[e.Name] == 0 {
			first[e.Name] = e.ReceivedAt
		}
		last[e.Name] = e.ReceivedAt
	}
	r := w.chance("definitions")
	var list []definitionLine
	for _, d := range w.project.events {
		if first[d.name] == 0 {
			continue
		}
		line := definitionLine{ID: r.uuid7(first[d.name]), Name: d.name, Archived: d.archived, FirstSeen: first[d.name], LastSeen: last[d.name]}
		if d.title != "" {
			line.DisplayName = &d.title
		}
		if d.text != "" {
			line.Description = &d.text
		}
		list = append(list, line)
	}
	return list
}
