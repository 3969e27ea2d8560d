package pages

import (
	"cmp"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc/api/web"
	"svc/internal/locale"
	"svc/store"
)

// HomeList is the value of Config.Home for a list of the projects.
const HomeList = "list"

// shownProjects limits the number of projects on the start page.
const shownProjects = 100

// projectCard is a project on the start page.
type projectCard struct {
	Name, Initial, Icon, Href, About, Version string
	Hue                                       int
	Published                                 moment
}

// home serves the start page. Depending on the configuration, it lists the projects that have an
// official version for all users, or redirects to another page.
func (h *Handlers) home(w http.ResponseWriter, r *web.Request) error {
	switch {
	case h.Home == "" || h.Home == HomeList:
	case strings.Contains(h.Home, "://"):
		return redirect(w, h.Home)
	default:
		return redirect(w, "/projects/"+url.PathEscape(h.Home))
	}
	l := h.layout(r, "/")
	cards := h.cards(r, l.T)
	l.Title, l.Description, l.Start = l.SiteName, l.T.HomeText, true
	text, err := render("home", struct {
		layout
		Projects []projectCard
	}{l, cards})
	if err != nil {
		return err
	}
	return publish(w, r, asPage(text), noScripts)
}

// redirect responds with a redirect that may change at any time.
func redirect(w http.ResponseWriter, to string) error {
	header := w.Header()
	header["Location"] = []string{to}
	header["Cache-Control"] = forAMinute
	w.WriteHeader(http.StatusFound)
	return nil
}

// cards returns the projects that have an official version for all users, ordered by name. A
// project without such a version has nothing to offer yet, and its name may be a secret.
func (h *Handlers) cards(r *web.Request, t *words) []projectCard {
	var all []projectCard
	tags, _ := wishes(r)
	for _, p := range h.DB.Projects() {
		snap, err := h.DB.Snapshot(p.Key)
		if err != nil {
			continue // deleted or renamed since the list was read
		}
		at := snap.Catalog.Latest()
		if at < 0 || snap.Catalog.Item(at).Preview {
			continue
		}
		to := reader{Handlers: h, words: t, request: r, snap: snap, language: textLanguage(snap.Locales, tags)}
		if to.language >= 0 {
			to.tag = locale.Key(snap.Project.Languages[to.language].Tag)
		}
		all = append(all, to.card(snap.Catalog.Item(at).Version, snap.Catalog.Item(at).PublishedAt))
	}
	slices.SortFunc(all, func(a, b projectCard) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.Href, b.Href))
	})
	return all[:min(len(all), shownProjects)]
}

func (to reader) card(version string, published int64) projectCard {
	p := to.snap.Project
	name, description := to.texts()
	c := projectCard{
		Name: name, Initial: initial(name), Icon: secure(orEmpty(p.IconURL)), Href: "/projects/" + url.PathEscape(p.Key), Hue: hue(p),
		Version: version, Published: to.moment(published),
	}
	if description != "" {
		c.About = excerpt(string(prose(description, 1)))
	}
	return c
}

// hues is the number of colours in style.css.
const hues = 8

// hue returns the number of the colour that a project's page has. The number depends only on the
// project's key, so it never changes.
func hue(p *store.Project) int {
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(p.Key)) // never fails
	return int(sum.Sum32() % hues)
}
