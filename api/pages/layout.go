package pages

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"

	"svc/api/web"
	"svc/assets"
	"svc/internal/terms"
)

// layout is the data that all public pages share. Each page embeds it.
type layout struct {
	T           *words
	Title       string
	Description string
	Path        string // canonical address of the page, below Site
	Site        string // public address of the site; "" = unknown
	SiteName    string
	Picture     string // address of the page's preview image, or ""
	Hidden      bool   // whether search engines must not index the page
	Language    string // language of the page
	Documents   []documentLink
	Languages   []languageLink
	Files       *fileSet
	Reference   bool // true on pages of the API reference
	Start       bool // true on the start page
	App         bool // true on the page of a project
}

// documentLink is a link to a published terms document.
type documentLink struct {
	Slug, Title string
	Current     bool
}

// languageLink is a link to the same page in another language.
type languageLink struct {
	Name, Tag, Href string
	Current         bool
}

// layout returns the shared data of a page. The parameter at is the path of the page.
func (h *Handlers) layout(r *web.Request, at string) layout {
	tags, _ := wishes(r)
	language := pageLanguage(tags)
	t := in(language)
	l := layout{T: t, Path: at, Site: h.SiteURL, SiteName: "svc", Language: t.Tag, Files: pageFiles()}
	if u, err := url.Parse(h.SiteURL); err == nil && u.Host != "" {
		l.SiteName = u.Host
	}
	for _, d := range terms.All() {
		// Omit a document that cannot be read: the page is still useful without the link.
		if text, _, err := h.effective(d, language); err == nil && terms.Complete(text) {
			l.Documents = append(l.Documents, documentLink{Slug: d.Slug, Title: d.In(language).Title, Current: at == "/terms/"+d.Slug})
		}
	}
	for _, other := range allWords {
		l.Languages = append(l.Languages, languageLink{other.Name, other.Tag, "?locale=" + other.Tag, other == t})
	}
	return l
}

// fileSet holds the addresses of the files that pages load. The names of the files contain a hash
// of their content.
type fileSet struct {
	Style, Icon, ReferenceStyle, ReferenceScript string

	byPath map[string]*web.File
}

var pageFiles = sync.OnceValue(func() *fileSet {
	all := &fileSet{byPath: map[string]*web.File{}}
	add := func(from fs.FS, name string) string {
		text := embedded(from, name)
		sum := sha256.Sum256([]byte(text))
		kind := path.Ext(name)
		hashed := "/" + strings.TrimSuffix(name, kind) + "-" + hex.EncodeToString(sum[:6]) + kind
		all.byPath[hashed] = web.NewFile(web.FileType(name), func() string { return text }, nil)
		return hashed
	}
	all.Style, all.Icon = add(assets.Pages, "pages/style.css"), add(assets.Pages, "pages/icon.svg")
	all.ReferenceStyle, all.ReferenceScript = add(assets.Reference, "reference/reference.css"), add(assets.Reference, "reference/reference.js")
	return all
})

func servePageFile(w http.ResponseWriter, r *web.Request) error {
	f, ok := pageFiles().byPath[path.Dir(r.Route.Path)+"/"+r.Param("file")]
	if !ok {
		return web.ErrNoPath
	}
	f.Serve(w, r, web.Forever)
	return nil
}

// templates maps names to the templates of the public pages, each combined with the layout.
var templates = sync.OnceValue(func() map[string]*template.Template {
	all := map[string]*template.Template{}
	for _, name := range []string{"home", "project", "terms", "problem"} {
		all[name] = template.Must(template.ParseFS(assets.Pages, "pages/layout.html", "pages/"+name+".html"))
	}
	reference := template.Must(template.ParseFS(assets.Pages, "pages/layout.html"))
	all["reference"] = template.Must(reference.ParseFS(assets.Reference, "reference/reference.html"))
	return all
})

// render executes the named template with the data of a page.
func render(name string, of any) (string, error) {
	var page bytes.Buffer
	err := templates()[name].Execute(&page, of)
	return page.String(), err
}

// Values of script-src in the Content-Security-Policy. Most public pages need no scripts.
const (
	noScripts  = "'none'"
	ownScripts = "'self'"
)

// Shared header values of public pages. They must not be modified.
var (
	forAMinute     = []string{"public, max-age=60"}
	varyByLanguage = []string{"Accept-Encoding, Accept-Language"}
)

// publish responds with a public page, which caches may keep for a minute. scripts is the value of
// script-src in the page's Content-Security-Policy.
func publish(w http.ResponseWriter, r *web.Request, page *web.File, scripts string) error {
	setPublicHeaders(w.Header(), scripts)
	page.Serve(w, r, forAMinute)
	return nil
}

// setPublicHeaders sets the headers that all public pages share.
func setPublicHeaders(header http.Header, scripts string) {
	setPolicy(header, scripts, "", " 'none'")
	header["Vary"] = varyByLanguage
}

// problem responds with an error page.
func (h *Handlers) problem(w http.ResponseWriter, r *web.Request, status int, title, text func(*words) string) {
	l := h.layout(r, r.URL.Path)
	l.Title, l.Hidden = title(l.T), true
	page, err := render("problem", struct {
		layout
		Heading, Text string
		Retry         bool
	}{l, title(l.T), text(l.T), status >= 500})
	if err != nil {
		page = http.StatusText(status)
	}
	header := w.Header()
	setPublicHeaders(header, noScripts)
	header["Content-Type"] = html
	header["Content-Length"] = []string{strconv.Itoa(len(page))}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write([]byte(page)) // an error means that the client has disconnected
	}
}
