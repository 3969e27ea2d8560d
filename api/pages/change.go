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

// changes returns the versions that a visitor gains with an update. The parameter since is the
// version to update from. It is the name of a version or, for a build that was not published here,
// a comparable version. The channel is stable or, if since is the name of a preview, the channel of
// that preview.
func (to reader) changes(since string) (*changesView, error) {
	since = strings.TrimSpace(since)
	catalog := to.snap.Catalog
	var from release.Comparable
	channel := release.Stable
	if at := catalog.Named(since); at >= 0 && to.snap.Entry(at).Record.Published() {
		item := catalog.Item(at)
		from, channel = item.Comparable, item.OnChannel()
	} else if parsed, ok := release.Parse(since); ok {
		from = parsed
	}
	if from.IsZero() {
		return nil, fault.New(fault.NotFound, "version %s not found", web.Quote(since))
	}
	v := &changesView{Since: since}
	offered := catalog.Offer(release.Query{Channel: channel}).Target
	if offered < 0 {
		return v, nil
	}
	newer := catalog.Since(channel, from, offered)
	for i, at := range newer[:min(len(newer), shownVersions)] {
		one, err := to.version(to.snap.Entry(at), maxOldNotes)
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

// choices returns the names of the versions that a visitor can choose as the start of a list of
// changes. These are the given versions except the first, which is the newest, and except those
// that cannot be compared.
func choices(entries []*store.VersionEntry) []string {
	var names []string
	for i, e := range entries {
		if i > 0 && !e.Record.Comparable.IsZero() {
			names = append(names, e.Record.Version)
		}
	}
	return names
}
