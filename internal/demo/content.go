package demo

import (
	"embed"
	"fmt"
	"math"
	"slices"
	"strings"

	"svc/internal/rollout"
)

// texts contains the Markdown texts of each project: its description, release notes and
// announcements. The first line of a file is the title. The name of a translated file
// contains the language.
//
//go:embed content
var texts embed.FS

// text is a text with a title.
type text struct{ title, body string }

// whole returns the text including its title.
func (t text) whole() string { return strings.TrimSpace(t.title + "\n\n" + t.body) }

// text reads the text with the given name. It panics if the text does not exist.
func (w *world) text(name string) text {
	t, ok := w.read(name + ".md")
	if !ok {
		panic("demo: there is no text " + w.key + "/" + name) // cannot happen, because TestTexts reads all texts
	}
	return t
}

// translated reads the translation of a text into the language with the given tag. It reports
// whether there is one.
func (w *world) translated(name, tag string) (text, bool) { return w.read(name + "." + tag + ".md") }

func (w *world) read(name string) (text, bool) {
	raw, err := texts.ReadFile("content/" + w.folder + "/" + name)
	if err != nil {
		return text{}, false
	}
	title, body, _ := strings.Cut(string(raw), "\n")
	return text{title, strings.TrimSpace(body)}, true
}

// release is a version of a project.
type release struct {
	version     string
	ago         int     // days before today
	hour        float64 // UTC hour of that day
	preview     bool
	milestone   bool
	withdrawnIn float64 // hours from the publication until it was deprecated; 0 = never
	deprecated  bool
	platforms   []string // empty = all platforms of the project
	files       bool     // whether the release has files to download
	rolling     *rolling // nil = offered to everybody at once
}

type versionLine struct {
	ID           string           `json:"id"`
	Version      string           `json:"version"`
	Comparable   string           `json:"comparable_version"`
	Title        string           `json:"title"`
	Content      string           `json:"content"`
	Translations []contentText    `json:"translations"`
	Links        []link           `json:"download_links"`
	IsLatest     bool             `json:"is_latest"`
	IsPreview    bool             `json:"is_preview"`
	IsMilestone  bool             `json:"is_milestone"`
	IsDeprecated bool             `json:"is_deprecated"`
	Platforms    []string         `json:"platforms"`
	CustomData   map[string]any   `json:"custom_data"`
	Rollout      *rollout.Rollout `json:"rollout,omitempty"`
	PublishedAt  int64            `json:"published_at"`
	CreatedAt    int64            `json:"created_at"`

	Assets map[string]assetLine `json:"assets,omitempty"` // by file name
}

type link struct {
	URL      string `json:"url"`
	Name     string `json:"name"`
	Platform string `json:"platform"`
}

type contentText struct {
	Locale   string `json:"locale"`
	Title    string `json:"title,omitempty"`
	Content  string `json:"content,omitempty"`
	IsHidden bool   `json:"is_hidden,omitempty"`
}

// file is the entry of a stored file in an archive.
type file struct {
	ID        string `json:"id"`
	Filename  string `json:"filename"`
	Size      int64  `json:"size"`
	SHA256    string `json:"sha256"`
	Source    string `json:"source"`
	ObjectKey string `json:"object_key"`
	CreatedAt int64  `json:"created_at"`
	Status    string `json:"status"`
	Content   bool   `json:"content"`

	content []byte
	share   float64 // share of the users on the file's platform
}

// platformNames holds the display names of the platforms.
var platformNames = map[string]string{
	"windows": "Windows", "macos": "macOS", "linux": "Linux", "ios": "iOS", "android": "Android", "web": "Web",
}

// endings maps a platform to the suffix of its installers' file names. For the other
// platforms, users get the app from a store.
var endings = map[string]string{
	"windows": "-windows-x64.zip", "macos": "-macos-universal.zip", "linux": "-linux-x64.tar.gz", "android": "-android.apk",
}

// published returns the time of publication of a release.
func (w *world) published(r *release) int64 { return w.ago(r.ago, r.hour) }

// versions returns the records of all releases for the archive, and creates the files of the
// releases.
func (w *world) versions() []versionLine {
	c := w.chance("versions")
	latest := -1
	for i, r := range w.releases {
		if !r.preview && !r.deprecated && r.withdrawnIn == 0 && r.rolling == nil {
			latest = i
		}
	}
	lines := make([]versionLine, len(w.releases))
	for i := range w.releases {
		r := &w.releases[i]
		at, t := w.published(r), w.text("versions/"+r.version)
		commit := fmt.Sprintf("%010x", c.Uint64()>>24)
		before := len(w.files)
		lines[i] = versionLine{
			ID: c.uuid7(at), Version: r.version, Comparable: r.version, Title: t.title, Content: t.body,
			Translations: w.translations("versions/"+r.version, ""),
			Links:        w.links(c, r, at), IsLatest: i == latest, IsPreview: r.preview, IsMilestone: r.milestone,
			IsDeprecated: r.deprecated || r.withdrawnIn > 0,
			Platforms:    r.platforms, Rollout: w.rolloutOf(r), PublishedAt: at, CreatedAt: at,
			CustomData: map[string]any{"build": 1200 + 37*i, "commit": commit, "channel": channel(r)},
		}
		lines[i].Assets = w.assets(r.version, lines[i].Links, w.files[before:])
		if lines[i].Platforms == nil {
			lines[i].Platforms = []string{}
		}
	}
	return lines
}

func channel(r *release) string {
	if r.preview {
		return "preview"
	}
	return "stable"
}

// links creates the files of a release and returns links to them. For a release that has no files
// in the demo, it returns links to the website of the project.
func (w *world) links(c *chance, r *release, at int64) []link {
	list := []link{}
	weights := 0.0
	for _, p := range w.project.people.platforms {
		weights += p.weight
	}
	for _, p := range w.project.people.platforms {
		name, ending := platformNames[p.value], endings[p.value]
		if ending == "" || len(r.platforms) > 0 && !slices.Contains(r.platforms, p.value) {
			continue
		}
		filename := w.folder + "-" + r.version + ending
		if !r.files {
			list = append(list, link{w.site + "releases/" + r.version + "/" + filename, name, p.value})
			continue
		}
		content := make([]byte, c.between(6<<10, 40<<10))
		for i := range content {
			content[i] = byte(c.Uint32())
		}
		head := fmt.Sprintf("%s %s for %s: a file of the demo, with nothing in it that could run.\n", w.folder, r.version, name)
		f := file{
			ID: c.fileID(), Filename: filename, Source: "upload", CreatedAt: at - 900, Status: "ready", Content: true,
			content: w.packed(p.value, r.version, append([]byte(head), content...)), share: p.weight / weights,
		}
		if r.rolling != nil {
			f.share *= 0.3 // only a part of the users is reached
		}
		f.ObjectKey = "f/" + w.key + "/" + f.ID + "/" + filename
		w.files = append(w.files, f)
		list = append(list, link{w.BaseURL + "/" + f.ObjectKey, name, p.value})
	}
	return list
}

type downloadLine struct {
	Day   int64  `json:"day"`
	File  string `json:"file_id"`
	Count int64  `json:"count"`
}

// downloads returns the number of downloads of each file by UTC day. About half of the users on its
// platform download a file on its first day, and fewer on each later day.
func (w *world) downloads() []downloadLine {
	c := w.chance("downloads")
	var lines []downloadLine
	for i := range w.files {
		f := &w.files[i]
		for at := f.CreatedAt - f.CreatedAt%day; at <= w.now; at += day {
			age := float64(max(0, at-f.CreatedAt)) / day
			n := 0.5 * float64(w.project.people.number) * f.share * (math.Exp(-age/4) + 0.02) * (0.8 + 0.4*c.Float64())
			n *= float64(min(at+day, w.now)-max(at, f.CreatedAt)) / day // the first and the last day are not whole
			if n >= 1 && at >= w.today-(Days-1)*day {
				lines = append(lines, downloadLine{at, f.ID, int64(n)})
			}
		}
	}
	return lines
}

// translations returns the translations of the text with the given name. The parameter
// hidden is the language of the translation that is marked as hidden; "" marks none.
func (w *world) translations(name, hidden string) []contentText {
	list := []contentText{}
	for _, l := range w.languages {
		t, ok := w.translated(name, l.tag)
		if ok || l.tag == hidden {
			list = append(list, contentText{l.tag, t.title, t.body, l.tag == hidden})
		}
	}
	return list
}

// announcement is an announcement of a project.
type announcement struct {
	name      string
	ago       int     // days before today
	hour      float64 // UTC hour of that day
	pinned    bool
	hidden    bool
	hiddenFor string // language in which the announcement is hidden
	min, max  string // lowest and highest version of the app to which it is shown; "" = no limit
	platforms []string
	author    string
	ends      int // days from today until it expires; 0 = never
}

type announcementLine struct {
	ID           string        `json:"id"`
	Title        string        `json:"title"`
	Content      string        `json:"content"`
	IsPinned     bool          `json:"is_pinned"`
	IsHidden     bool          `json:"is_hidden"`
	Platforms    []string      `json:"platforms"`
	Author       string        `json:"author,omitempty"`
	Min          string        `json:"min_comparable_version,omitempty"`
	Max          string        `json:"max_comparable_version,omitempty"`
	Translations []contentText `json:"translations"`
	PublishedAt  int64         `json:"published_at"`
	ExpiresAt    int64         `json:"expires_at,omitempty"`
	CreatedAt    int64         `json:"created_at"`
	UpdatedAt    int64         `json:"updated_at"`
}

func (w *world) announcementLines() []announcementLine {
	c := w.chance("announcements")
	lines := make([]announcementLine, len(w.announcements))
	for i, a := range w.announcements {
		at, t := w.ago(a.ago, a.hour), w.text("announcements/"+a.name)
		lines[i] = announcementLine{
			ID: c.uuid7(at), Title: t.title, Content: t.body, IsPinned: a.pinned, IsHidden: a.hidden, Platforms: append([]string{}, a.platforms...),
			Author: a.author,
			Min:    a.min, Max: a.max, Translations: w.translations("announcements/"+a.name, a.hiddenFor), PublishedAt: at, CreatedAt: at,
			UpdatedAt: at,
		}
		if a.ends > 0 {
			lines[i].ExpiresAt = w.today + int64(a.ends)*day + 4*3600
		}
	}
	return lines
}
