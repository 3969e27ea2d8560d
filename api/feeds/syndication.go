package feeds

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"svc/internal/feed"
	"svc/internal/files"
	"svc/internal/markdown"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

// maxEntries is the maximum number of entries in a feed for feed readers.
const maxEntries = 30

// syndication serves the feeds for feed readers. Caches may share the responses, whatever
// parameters their addresses contain.
func (h *Handlers) syndication(a *asking) error {
	kind, format, _ := strings.Cut(a.Param("one"), ".")
	channel := cmp.Or(strings.TrimSpace(a.Query("channel")), release.Stable)
	if format != "atom" && format != "rss" || !a.on(channel) {
		return a.missing()
	}
	p := a.snap.Project
	name := first(p.Translations[a.tag()].Name, &p.Name)
	f := feed.Syndication{
		ID:    "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceURL, []byte(a.origin()+"/"+fmt.Sprint(p.ID)+"/"+kind)).String(),
		Title: name, Author: cmp.Or(first(p.Author), name), Link: a.page(), Self: a.origin() + a.URL.EscapedPath(), Updated: p.CreatedAt,
	}
	switch kind {
	case "releases":
		f.Entries = a.releaseEntries()
	case "announcements":
		a.timed = true // announcements expire
		f.Entries = a.announcementEntries()
	default:
		return a.missing()
	}
	for _, e := range f.Entries {
		f.Updated = max(f.Updated, e.Updated)
	}
	if format == "atom" {
		return a.sendAs(true, varyByEncoding, atomType, f.Atom())
	}
	return a.sendAs(true, varyByEncoding, rssType, f.RSS())
}

// releaseEntries returns the entries of the newest versions of the channel that are completely
// rolled out.
func (a *asking) releaseEntries() (entries []feed.Entry) {
	rules := a.rules()
	positions := a.newest()
	for _, at := range positions[:min(len(positions), maxEntries)] {
		item, v := a.snap.Catalog.Item(at), a.release(at)
		title, notes := v.Text()
		e := feed.Entry{
			ID: "urn:uuid:" + item.ID.String(), Title: cmp.Or(title, item.Version), Link: a.page() + "?version=" + url.QueryEscape(item.Version),
			Published: item.PublishedAt, Updated: max(item.PublishedAt, a.snap.Entry(at).Record.ReleaseUpdatedAt), HTML: markdown.HTML(notes),
		}
		for i := range v.Assets {
			if one := &v.Assets[i]; !one.Hidden {
				e.Enclosures = append(e.Enclosures, feed.Enclosure{URL: rules.URL(one), Type: files.ContentType(one.Name), Size: one.Size})
			}
		}
		entries = append(entries, e)
	}
	return entries
}

// newest returns the positions in the catalog of those versions of the channel that are completely
// rolled out and not yanked, the newest first.
func (a *asking) newest() (positions []int) {
	for at := range a.snap.Catalog.Len() {
		if item := a.snap.Catalog.Item(at); item.Eligible() && slices.Contains(a.seen, item.OnChannel()) {
			positions = append(positions, at)
		}
	}
	slices.SortStableFunc(positions, func(one, two int) int {
		return cmp.Compare(a.snap.Catalog.Item(two).PublishedAt, a.snap.Catalog.Item(one).PublishedAt)
	})
	return positions
}

// announcementEntries returns the entries of the newest announcements that are meant for the
// reader's platform and version.
func (a *asking) announcementEntries() (entries []feed.Entry) {
	all := slices.Clone(a.snap.Announcements(a.sees()))
	slices.SortStableFunc(all, func(one, two *store.AnnouncementEntry) int {
		return cmp.Compare(two.Record.PublishedAt, one.Record.PublishedAt)
	})
	for _, e := range all[:min(len(all), maxEntries)] {
		if e.Large {
			if err := a.Hold(e.Size); err != nil {
				a.fail(err)
				return nil
			}
		}
		n, err := a.DB.FullAnnouncement(a.snap, e)
		if err != nil {
			a.fail(err)
			return nil
		}
		t, id := n.Translations[a.tag()], n.ID.String()
		entries = append(entries, feed.Entry{
			ID: "urn:uuid:" + id, Title: first(t.Title, &n.Title), Author: first(n.Author), Link: a.page() + "?announcement=" + id,
			Published: n.PublishedAt, Updated: max(n.UpdatedAt, n.PublishedAt), HTML: markdown.HTML(first(t.Content, &n.Content)),
		})
	}
	return entries
}

// sees returns a function that reports whether an announcement is visible to the reader. If the
// reader's version is unknown, only announcements for all versions are visible.
func (a *asking) sees() func(*store.AnnouncementEntry) bool {
	text := strings.TrimSpace(a.Query("version"))
	version, known := release.Parse(text)
	if !known {
		if at := a.snap.Catalog.Named(text); at >= 0 {
			version, known = a.snap.Catalog.Item(at).Comparable, true
		}
	}
	on, filtered := platform.Parse(a.Query("platform"))
	now, tag := a.Now().Unix(), a.tag()
	return func(e *store.AnnouncementEntry) bool {
		n := e.Record
		switch {
		case n.Hidden || n.Expired(now) || tag != "" && n.Translations[tag].Hidden || filtered && !n.For(on):
			return false
		case known:
			return n.Versions.Contains(version)
		}
		return n.Versions == release.Range{}
	}
}
