package pages

import (
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/release"
	"svc/store"
)

// changesView lists the versions that are newer than the version Since.
type changesView struct {
	Since    string
	Versions []versionView // newest first
}

// changes returns the versions that are newer than since. The parameter is the name of a version
// or, for a build that was not published here, a comparable version. Previews are included only if
// since is the name of a preview.
func (to reader) changes(since string) (*changesView, error) {
	since = strings.TrimSpace(since)
	var from release.Comparable
	preview := false
	if at := to.snap.Catalog.Named(since); at >= 0 && to.snap.Entry(at).Record.Published() {
		item := to.snap.Catalog.Item(at)
		from, preview = item.Comparable, item.Preview
	} else if parsed, ok := release.Parse(since); ok {
		from = parsed
	}
	if from.IsZero() {
		return nil, fault.New(fault.NotFound, "version %s not found", web.Quote(since))
	}
	v := &changesView{Since: since}
	newer := to.snap.Versions(func(e *store.VersionEntry) bool {
		c := e.Record.Comparable
		return e.Record.Listed() && e.Record.Yank == nil && !c.IsZero() && c.Compare(from) > 0 && (preview || !e.Record.Preview)
	})
	for i, e := range newer[:min(len(newer), shownVersions)] {
		one, err := to.version(e, maxOldNotes)
		if err != nil {
			return nil, err
		}
		if i >= versionsOnPage && one.Notes != "" { // omit the notes, so that the page stays small
			one.Notes, one.More = "", one.Href
		}
		v.Versions = append(v.Versions, *one)
	}
	return v, nil
}

// choices returns the names of the versions for which a visitor can list the changes since then.
// These are the given versions except the first, which is the newest, and except those that cannot
// be compared.
func choices(entries []*store.VersionEntry) []string {
	var names []string
	for i, e := range entries {
		if i > 0 && !e.Record.Comparable.IsZero() {
			names = append(names, e.Record.Version)
		}
	}
	return names
}
