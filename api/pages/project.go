package pages

import (
	"fmt"
	stdhtml "html"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/locale"
	"svc/internal/markdown"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

const (
	shownVersions      = 50
	versionsOnPage     = 12
	shownAnnouncements = 20

	// Limits in bytes. A longer text is cut and links to a separate page with the whole text.
	maxNotes     = 8 << 10 // limit for the latest version
	maxOldNotes  = 2 << 10 // limit for each version in the timeline
	maxAnnounced = 3 << 10 // limit for each announcement

	excerptLength     = 180 // characters
	descriptionLength = 320 // length up to which a description is shown completely
)

// projectPage is the data of a project's page.
type projectPage struct {
	layout
	Project       projectView
	Chosen        *versionView // the latest version, or the requested one
	Announcement  *announcementView
	Announcements []announcementView
	Changes       *changesView
	Choices       []string // versions since which changes can be shown
	Locale        bool     // whether the address selects a language, which is LocaleTag
	LocaleTag     string
	Versions      []versionView // one page of the timeline
	First         int           // position of the first of Versions in the timeline
	Newer, Older  string        // addresses of the adjacent pages, or ""
	Empty         bool          // there are no versions
}

type projectView struct {
	Key, Name, Initial, Icon, Href string
	Hue                            int
	Author                         *namedLink
	Published                      *moment
	Links                          []namedLink
	About                          *aboutView
}

// aboutView is the view of a project's description. If the description is long, the page shows a
// short text until the visitor opens the description.
type aboutView struct {
	Short string
	Text  template.HTML
}

// namedLink is a name with an address. If a browser can open the address, Href contains it.
// Otherwise Href is "" and Text contains the address.
type namedLink struct {
	Name, Text string
	Href       template.URL
}

// linkNamed returns the namedLink for an address that was entered as free text.
func linkNamed(name, address string) namedLink {
	address = strings.TrimSpace(address)
	if web.IsURL(address) {
		return namedLink{Name: name, Href: template.URL(address)} //nolint:gosec // the scheme has been checked; the template allows fewer
	}
	return namedLink{Name: name, Text: address}
}

type versionView struct {
	Number, Title, Href string
	Newest              bool // whether it is the latest version
	Flags               []flag
	Platforms           []string
	PlatformNames       string
	Published           moment
	Notes               template.HTML
	More                string     // address of the page with all notes if they are cut
	Offer               *offerView // the download for the visitor's system, or nil
	Downloads           []downloadView

	varies bool // whether the view depends on the visitor's system
}

// flag is a short remark about a version, such as its state. Kind is the CSS class of the remark.
type flag struct{ Name, Kind string }

type downloadView struct {
	namedLink
	About, Size string
	Only        bool

	system platform.Platform // "" if the link is not for one system
}

type announcementView struct {
	ID, Title, Author, Href string
	Pinned                  bool
	Platforms               []string
	Published               moment
	Whole                   bool   // whether the announcement is longer than Excerpt
	Excerpt                 string // plain text
	Text                    template.HTML
}

// project serves the public page of a project.
func (h *Handlers) project(w http.ResponseWriter, r *web.Request) error {
	var text string
	var varies bool
	err := r.Snapshot(h.DB, func(snap *store.Snapshot) (err error) {
		text, varies, err = h.projectText(r, snap)
		return err
	})
	switch {
	case err != nil:
		return err
	case varies:
		return publishVarying(w, r, asPage(text))
	}
	return publish(w, r, asPage(text), noScripts)
}

// reader builds the views of one project in the language of one visitor.
type reader struct {
	*Handlers
	*words
	request  *web.Request
	snap     *store.Snapshot
	language int    // index of a language of the project, or -1 for the untranslated texts
	tag      string // tag of that language in the form of locale.Key, or ""
	href     string // address of the page
	locale   string // the query parameter that links must keep: "" or locale=…
}

// projectText returns the HTML of a project's page, and whether it depends on the visitor's system.
func (h *Handlers) projectText(r *web.Request, snap *store.Snapshot) (text string, varies bool, err error) {
	p := snap.Project
	tags, asked := wishes(r)
	page := projectPage{layout: h.layout(r, "/projects/"+url.PathEscape(p.Key))}
	to := reader{Handlers: h, words: page.T, request: r, snap: snap, language: textLanguage(snap.Locales, tags), href: page.Path}
	if to.language >= 0 {
		to.tag = locale.Key(p.Languages[to.language].Tag)
	}
	page.App = true
	if asked {
		page.Locale, page.LocaleTag = true, r.Query("locale")
		to.locale = "locale=" + url.QueryEscape(r.Query("locale"))
		if pageTags := acceptedLanguages(strings.Join(r.Header["Accept-Language"], ",")); !speaks(tags) {
			to.words = in(pageLanguage(pageTags))
			page.T, page.Language = to.words, to.Tag
		}
	}
	page.Project = to.project()
	page.Title, page.Picture = page.Project.Name, page.Project.Icon
	page.Description = fmt.Sprintf(page.T.AboutProject, page.Project.Name)
	if page.Project.About != nil {
		page.Description = excerpt(string(page.Project.About.Text))
	}
	page.Languages = to.languages(page.Languages)

	entries := snap.ListedVersions(false)
	page.Empty = len(entries) == 0
	switch {
	case r.Sent("since"):
		page.Hidden = true
		if page.Changes, err = to.changes(r.Query("since")); err == nil {
			page.Title = fmt.Sprintf(page.T.ChangesSince, page.Changes.Since) + " · " + page.Project.Name
		}
	case r.Sent("version"):
		page.Hidden = true
		at := snap.Catalog.Named(r.Query("version"))
		if at < 0 || !snap.Entry(at).Record.Published() {
			return "", false, fault.New(fault.NotFound, "version %s not found", web.Quote(r.Query("version")))
		}
		page.Title = page.Project.Name + " " + snap.Catalog.Item(at).Version
		page.Chosen, err = to.chosen(snap.Entry(at), 0)
	case r.Sent("announcement"):
		page.Hidden = true
		if page.Announcement, err = to.announcement(r.Query("announcement")); err == nil {
			page.Title = page.Announcement.Title + " · " + page.Project.Name
		}
	default:
		err = to.fill(&page, r, entries)
	}
	if err != nil {
		return "", false, err
	}
	text, err = render("project", &page)
	return text, page.Chosen != nil && page.Chosen.varies, err
}

// speaks reports whether the wording of pages is available in the first language of the list tags.
func speaks(tags []string) bool {
	first, _, _ := strings.Cut(locale.Key(tags[0]), "-")
	for _, w := range allWords {
		if own, _, _ := strings.Cut(locale.Key(w.Tag), "-"); own == first {
			return true
		}
	}
	return false
}

// fill adds the latest version, the announcements and one page of the timeline to the data of the
// page.
func (to reader) fill(page *projectPage, r *web.Request, entries []*store.VersionEntry) (err error) {
	entries = entries[:min(len(entries), shownVersions)]
	batches := max(1, (len(entries)+versionsOnPage-1)/versionsOnPage)
	batch := 1
	if n, err := strconv.Atoi(r.Query("page")); err == nil {
		batch = min(max(n, 1), batches)
	}
	if batch > 1 {
		page.Hidden = true
		page.Newer = to.link("page", strconv.Itoa(batch-1), "#versions")
	} else {
		if at := to.snap.Catalog.Latest(); at >= 0 {
			if page.Chosen, err = to.chosen(to.snap.Entry(at), maxNotes); err != nil {
				return err
			}
		}
		page.Choices = choices(entries)
		if page.Announcements, err = to.announcements(); err != nil {
			return err
		}
	}
	if batch < batches {
		page.Older = to.link("page", strconv.Itoa(batch+1), "#versions")
	}
	from := (batch - 1) * versionsOnPage
	page.First = from + 1
	for _, e := range entries[from:min(from+versionsOnPage, len(entries))] {
		v, err := to.version(e, maxOldNotes)
		if err != nil {
			return err
		}
		page.Versions = append(page.Versions, *v)
	}
	return nil
}

// link returns the address of the page with an additional query parameter and an anchor.
func (to reader) link(name, value, anchor string) string {
	query := name + "=" + url.QueryEscape(value)
	if to.locale != "" {
		query += "&" + to.locale
	}
	return to.href + "?" + query + anchor
}

// languages returns links to the page in each language of the project. If the project has no
// languages, it returns ofPages, the links to the languages in which the words of pages are
// available.
func (to reader) languages(ofPages []languageLink) []languageLink {
	if len(to.snap.Project.Languages) == 0 {
		return ofPages
	}
	all := []languageLink{{Name: to.Original, Href: "?locale=", Current: to.language < 0}}
	for i, l := range to.snap.Project.Languages {
		name := l.Tag
		if l.Label != nil && *l.Label != "" {
			name = *l.Label
		}
		all = append(all, languageLink{Name: name, Href: "?locale=" + url.QueryEscape(l.Tag), Current: i == to.language})
	}
	return all
}

// texts returns the name and the description of the project in the language of the visitor.
func (to reader) texts() (name, description string) {
	p := to.snap.Project
	name, description = p.Name, orEmpty(p.Description)
	if t, ok := p.Translations[to.tag]; ok && to.tag != "" {
		name, description = first(t.Name, name), first(t.Description, description)
	}
	return name, description
}

func (to reader) project() projectView {
	p := to.snap.Project
	name, description := to.texts()
	v := projectView{Key: p.Key, Name: name, Initial: initial(name), Icon: secure(orEmpty(p.IconURL)), Href: to.href, Hue: hue(p)}
	if to.locale != "" {
		v.Href += "?" + to.locale
	}
	if author := orEmpty(p.Author); author != "" {
		v.Author = new(linkNamed(author, orEmpty(p.AuthorHomepageURL)))
	}
	if p.PublishedAt != nil {
		v.Published = new(to.moment(*p.PublishedAt))
	}
	for _, l := range []struct {
		name    string
		address *string
	}{{to.Website, p.WebsiteURL}, {to.Documentation, p.DocsURL}, {to.Repository, p.RepoURL}} {
		if link := linkNamed(l.name, orEmpty(l.address)); link.Href != "" || link.Text != "" {
			v.Links = append(v.Links, link)
		}
	}
	if description != "" {
		v.About = &aboutView{Text: prose(description, 1)}
		if utf8.RuneCountInString(description) > descriptionLength {
			v.About.Short = excerpt(string(v.About.Text))
		}
	}
	return v
}

// version returns the view of a version. It cuts notes that exceed the given limit in bytes. If the
// limit is 0, notes are not cut.
func (to reader) version(e *store.VersionEntry, limit int) (*versionView, error) {
	if e.Large {
		if err := to.hold(e.Size, limit); err != nil {
			return nil, err
		}
	}
	full, err := to.DB.FullVersion(to.snap, e)
	if err != nil {
		return nil, err
	}
	title, notes := orEmpty(full.Title), orEmpty(full.Content)
	if t, ok := full.Translations[to.tag]; ok && to.tag != "" {
		title, notes = first(t.Title, title), first(t.Content, notes)
	}
	v := &versionView{
		Number: full.Version, Title: title, Published: to.moment(full.PublishedAt), Href: to.link("version", full.Version, ""),
		Newest: to.snap.Catalog.Latest() == to.snap.Catalog.Named(full.Version), Downloads: to.downloads(full),
	}
	if title == full.Version {
		v.Title = ""
	}
	if shown := cut(notes, limit); shown != "" {
		v.Notes = prose(shown, 3)
		if len(shown) < len(notes) {
			v.More = v.Href
		}
	}
	for _, f := range []struct {
		set bool
		flag
	}{
		{v.Newest, flag{to.Latest, "good"}}, {full.Preview, flag{to.Preview, ""}},
		{full.Milestone, flag{to.Milestone, ""}}, {full.Deprecated, flag{to.Deprecated, "bad"}},
	} {
		if f.set {
			v.Flags = append(v.Flags, f.flag)
		}
	}
	platforms := full.Platforms
	if len(platforms) == 0 && full.Platform != nil {
		platforms = []platform.Platform{*full.Platform}
	}
	v.Platforms = to.platforms(platforms)
	v.PlatformNames = strings.Join(v.Platforms, ", ")
	return v, nil
}

// hold waits until there is memory for rendering a text of the given size in bytes. If limit is 0,
// the whole text is rendered. The Markdown, its HTML and the page then take about eleven times the
// size. Otherwise the text is cut, and the memory that Request.Hold reserves for the given size is
// sufficient.
func (to reader) hold(size, limit int) error {
	if limit == 0 {
		size *= 3 // Hold reserves four times the size of a record
	}
	return to.request.Hold(size)
}

func (to reader) platforms(list []platform.Platform) (names []string) {
	for _, p := range list {
		names = append(names, to.platform(p))
	}
	return names
}

func (to reader) downloads(v *store.Version) []downloadView {
	links := v.DownloadLinks
	if len(links) == 0 && v.DownloadURL != nil {
		links = []store.DownloadLink{{URL: *v.DownloadURL}}
	}
	var all []downloadView
	for _, l := range links {
		d := downloadView{namedLink: linkNamed(l.Name, l.URL), Only: len(links) == 1}
		var about []string
		if p, ok := platform.Parse(l.Platform); ok {
			d.system = p
			about = append(about, to.platform(p))
		} else if l.Platform != "" {
			about = append(about, l.Platform)
		}
		if u, err := url.Parse(string(d.Href)); err == nil && d.Href != "" {
			if d.Name == "" {
				d.Name = path.Base(u.Path)
			}
			if d.Size = to.size(u.EscapedPath()); d.Size != "" {
				about = append(about, d.Size)
			}
		}
		if d.Name == "" || d.Name == "." || d.Name == "/" {
			d.Name = to.Download
		}
		d.About = strings.Join(about, " · ")
		all = append(all, d)
	}
	return all
}

// size returns the formatted size of a file, given the path of the file's link. It returns "" if
// the file is not on this server.
func (to reader) size(escapedPath string) string {
	key, ok := files.ParseLink(escapedPath)
	if !ok {
		return ""
	}
	f, _, err := to.DB.LinkedFile(key)
	if err != nil {
		return ""
	}
	switch {
	case f.Size < 1000:
		return fmt.Sprintf("%d B", f.Size)
	case f.Size < 1000_000:
		return fmt.Sprintf("%.0f kB", float64(f.Size)/1000)
	case f.Size < 1000_000_000:
		return fmt.Sprintf("%.1f MB", float64(f.Size)/1000_000)
	}
	return fmt.Sprintf("%.1f GB", float64(f.Size)/1000_000_000)
}

// sees reports whether the page shows an announcement. The announcement must apply to all versions,
// because the visitor's version of the app is unknown. It must not have expired. It must not be
// hidden, neither as a whole nor in the visitor's language.
func (to reader) sees(e *store.AnnouncementEntry) bool {
	a := e.Record
	return !a.Hidden && !a.Expired(to.Now().Unix()) && (to.tag == "" || !a.Translations[to.tag].Hidden) && a.Versions == release.Range{}
}

func (to reader) announcements() ([]announcementView, error) {
	var all []announcementView
	for _, e := range to.snap.Announcements(to.sees) {
		if len(all) == shownAnnouncements {
			break
		}
		v, err := to.announced(e, maxAnnounced)
		if err != nil {
			return nil, err
		}
		all = append(all, *v)
	}
	return all, nil
}

// announcement returns the view of the announcement with the given ID.
func (to reader) announcement(id string) (*announcementView, error) {
	for _, e := range to.snap.Announcements(to.sees) {
		if e.Record.ID.String() == id {
			return to.announced(e, 0)
		}
	}
	return nil, fault.New(fault.NotFound, "announcement not found")
}

// announced returns the view of an announcement. If the text exceeds the given limit in bytes, the
// view links to a separate page with the whole text. If the limit is 0, the text is not cut.
func (to reader) announced(e *store.AnnouncementEntry, limit int) (*announcementView, error) {
	if e.Large {
		if err := to.hold(e.Size, limit); err != nil {
			return nil, err
		}
	}
	full, err := to.DB.FullAnnouncement(to.snap, e)
	if err != nil {
		return nil, err
	}
	title, content := full.Title, full.Content
	if t, ok := full.Translations[to.tag]; ok && to.tag != "" {
		title, content = first(t.Title, title), first(t.Content, content)
	}
	id := full.ID.String()
	v := &announcementView{
		ID: id, Title: title, Author: orEmpty(full.Author), Href: to.link("announcement", id, ""), Pinned: full.Pinned,
		Platforms: to.platforms(full.Platforms), Published: to.moment(full.PublishedAt),
	}
	shown := cut(content, limit)
	text := prose(shown, 3)
	v.Excerpt = excerpt(string(text))
	v.Whole = len(shown) < len(content) || v.Excerpt != plain(string(text))
	if len(shown) == len(content) {
		v.Text = text
	}
	return v, nil
}

// prose renders Markdown to safe HTML that is shown under a heading of the given level. Headings in
// the Markdown become lower headings than that one.
func prose(source string, below int) template.HTML {
	return template.HTML(markdown.Below(source, below)) //nolint:gosec // that is what it returns
}

// cut shortens Markdown to the given limit in bytes. It cuts at the end of a paragraph or, if that
// is not possible, of a line. If the limit is 0, it does not cut.
func cut(source string, limit int) string {
	if limit == 0 || len(source) <= limit {
		return source
	}
	part := source[:limit]
	for _, end := range []string{"\n\n", "\n", " "} {
		if at := strings.LastIndex(part, end); at > limit/2 {
			return part[:at]
		}
	}
	for !utf8.RuneStart(source[len(part)]) {
		part = part[:len(part)-1]
	}
	return part
}

var (
	tags   = regexp.MustCompile(`<[^>]*>`)
	blocks = regexp.MustCompile(`</(?:p|h[1-6]|li|blockquote|pre|t[dhr]|table|ul|ol)>|<br>`)
)

// plain converts HTML that was rendered by prose to a single line of plain text.
func plain(rendered string) string {
	text := tags.ReplaceAllString(blocks.ReplaceAllString(rendered, " "), "")
	return strings.Join(strings.Fields(stdhtml.UnescapeString(text)), " ")
}

// excerpt returns the beginning of the plain text of HTML that was rendered by prose. It ends
// between words if possible.
func excerpt(rendered string) string {
	text := plain(rendered)
	if utf8.RuneCountInString(text) <= excerptLength {
		return text
	}
	part := string([]rune(text)[:excerptLength])
	if at := strings.LastIndexByte(part, ' '); at > len(part)*2/3 {
		part = part[:at]
	}
	return strings.TrimRightFunc(part, func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) }) + "…"
}

// initial returns the letter that is shown instead of a missing project icon.
func initial(name string) string {
	for _, r := range name {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return string(unicode.ToUpper(r))
		}
	}
	return "·"
}

// secure returns the given address if the Content-Security-Policy of pages permits pictures from
// that address. Otherwise it returns "".
func secure(address string) string {
	if u, err := url.Parse(address); err != nil || u.Scheme != "https" || u.Host == "" {
		return ""
	}
	return address
}

// first returns *translated, or the parameter other if translated is nil.
func first(translated *string, other string) string {
	if translated != nil {
		return *translated
	}
	return other
}

func orEmpty(text *string) string { return first(text, "") }
