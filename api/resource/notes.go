package resource

import (
	"encoding/json"
	"html"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/markdown"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

const (
	notedVersions = 50        // default number of versions in the notes of several versions
	maxNotes      = 256 << 10 // maximum size in bytes of the content of such notes
)

// notesView is the JSON form of the notes of several versions.
type notesView struct {
	From      *string         `json:"from"`
	To        string          `json:"to"`
	Locale    *string         `json:"locale"`
	Message   json.RawMessage `json:"locale_message,omitempty"`
	Entries   []noteView      `json:"entries"`
	Content   string          `json:"content"`   // all entries as one text
	Truncated bool            `json:"truncated"` // whether the oldest entries are missing
}

type noteView struct {
	Version     string  `json:"version"`
	Comparable  string  `json:"comparable_version"`
	Title       *string `json:"title"`
	Content     *string `json:"content"`
	Locale      *string `json:"locale"`
	PublishedAt int64   `json:"published_at"`
	IsPreview   bool    `json:"is_preview"`
	IsMilestone bool    `json:"is_milestone"`
}

// changes selects the versions for a response with notes, and the format of the notes.
type changes struct {
	channel  string
	from     release.Comparable // zero = only the version to
	fromText string             // text for from in the response
	to       int                // position in the catalog
	platform *platform.Platform // only versions that run on it; nil = all
	html     bool
	limit    int
}

// publicNotes responds with the notes of a range of versions. The query parameter from names the
// version before the range. The query parameter to names the last version of the range.
func (h *Handlers) publicNotes(r *web.Request) (notesView, error) {
	var p problems
	ask := changes{
		channel: strings.TrimSpace(r.Query("channel")), platform: p.PlatformFilter(r), limit: p.Count(r, "limit", notedVersions, 1, 100),
	}
	switch r.Query("format") {
	case "", "markdown":
	case "html":
		ask.html = true
	default:
		p.Add("format must be markdown or html")
	}
	if err := p.Err(); err != nil {
		return notesView{}, err
	}
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (notesView, error) {
		ask, err := ask.between(r, snap)
		if err != nil {
			return notesView{}, err
		}
		return h.reader(r, snap, r.Query("locale")).notes(ask)
	})
}

// between returns c with the range of versions that the query parameters from and to specify. If
// the query does not contain to, the range ends at the version that the channel offers.
func (c changes) between(r *web.Request, snap *store.Snapshot) (changes, error) {
	catalog := snap.Catalog
	if c.channel == "" {
		c.channel = release.Stable
	}
	if !catalog.Channels().Has(c.channel) {
		return c, fault.New(fault.Invalid, "channel: the project has no channel %s", web.Quote(c.channel))
	}
	if c.fromText = strings.TrimSpace(r.Query("from")); c.fromText != "" {
		if at := catalog.ByVersion(c.fromText); at >= 0 {
			c.from, c.fromText = catalog.Item(at).Comparable, catalog.Item(at).Version
		} else {
			c.from, _ = release.Parse(c.fromText)
		}
		if c.from.IsZero() {
			return c, fault.New(fault.Invalid, "from must be a version of the project or a comparable version, such as 1.2.3 or 1.2.3-rc.1")
		}
	}
	if to := strings.TrimSpace(r.Query("to")); to != "" {
		if c.to = catalog.ByVersion(to); c.to < 0 {
			return c, fault.New(fault.NotFound, "version %s not found", web.Quote(to))
		}
	} else if c.to = catalog.Offer(locate(r, snap, release.Query{Channel: c.channel})).Target; c.to < 0 {
		return c, fault.New(fault.NotFound, "the channel %s has no version yet", web.Quote(c.channel))
	}
	if to := catalog.Item(c.to); c.from.Compare(to.Comparable) > 0 {
		return c, fault.New(fault.Invalid, "from must not be greater than to, which is %s", web.Quote(to.Version))
	}
	return c, nil
}

// notes returns the notes of several versions in the language of the caller. The text grows from the
// newest version to older ones until it has reached its limits.
func (r reader) notes(c changes) (notesView, error) {
	v := notesView{From: web.OrNull(c.fromText), To: r.snap.Catalog.Item(c.to).Version, Message: r.message, Entries: []noteView{}}
	entries := r.entries(c)
	if err := r.holdNotes(entries, c.html); err != nil {
		return notesView{}, err
	}
	var content strings.Builder
	for _, e := range entries {
		note, err := r.note(e)
		if err != nil {
			return notesView{}, err
		}
		if web.OrNil(note.Title) == nil && web.OrNil(note.Content) == nil {
			continue
		}
		part := ""
		if len(v.Entries) < c.limit {
			part = note.section(c.html)
		}
		if len(v.Entries) == c.limit || content.Len()+len("\n\n")+len(part) > maxNotes {
			v.Truncated = true
			break
		}
		if content.Len() > 0 {
			content.WriteString("\n\n")
		}
		content.WriteString(part)
		if note.Locale != nil {
			v.Locale = note.Locale
		}
		v.Entries = append(v.Entries, note)
	}
	v.Content = content.String()
	return v, nil
}

// entries returns the versions that c selects, greatest version first.
func (r reader) entries(c changes) (all []*store.VersionEntry) {
	for _, at := range r.snap.Catalog.Since(c.channel, c.from, c.to) {
		if e := r.snap.Entry(at); c.platform == nil || e.Record.Runs(*c.platform) {
			all = append(all, e)
		}
	}
	return all
}

// holdNotes waits until memory for the notes of versions is available if they may be large. The
// response contains each text twice, and reading an entry takes memory even if it turns out to be
// too large.
func (r reader) holdNotes(entries []*store.VersionEntry, asHTML bool) error {
	all, largest := 0, 0
	for _, e := range entries {
		all, largest = all+e.Size, max(largest, e.Size)
	}
	size := 2*min(all, maxNotes) + largest
	if asHTML {
		size *= 3 // the Markdown and its HTML
	}
	if size <= web.MaxUnheld {
		return nil
	}
	return r.request.Hold(size)
}

// note returns the notes of one version in the language of the caller.
func (r reader) note(e *store.VersionEntry) (noteView, error) {
	full, err := r.handlers.DB.FullVersion(r.snap, e)
	if err != nil {
		return noteView{}, err
	}
	v := viewVersionIn(r.snap.Project, full, r.language)
	return noteView{
		Version: v.Version, Comparable: v.Comparable, Title: v.Title, Content: v.Content, Locale: v.Locale,
		PublishedAt: v.PublishedAt, IsPreview: v.IsPreview, IsMilestone: v.IsMilestone,
	}, nil
}

// section returns the notes of a version below a heading, in HTML if asHTML is true, and otherwise
// in Markdown. If asHTML is true, it also converts v.Content to HTML.
func (v *noteView) section(asHTML bool) string {
	title := v.Version
	if v.Title != nil && strings.TrimSpace(*v.Title) != "" {
		title = strings.Join(strings.FieldsFunc(*v.Title, func(c rune) bool { return c == '\n' || c == '\r' }), " ")
	}
	if asHTML {
		section := "<h2>" + html.EscapeString(title) + "</h2>"
		if v.Content != nil {
			text := strings.TrimSuffix(markdown.Below(*v.Content, 2), "\n")
			v.Content = &text
			section += "\n" + text
		}
		return section
	}
	section := "## " + title
	if text := strings.Trim(markdown.Lower(web.OrEmpty(v.Content)), "\r\n"); text != "" {
		section += "\n\n" + text
	}
	return section
}
