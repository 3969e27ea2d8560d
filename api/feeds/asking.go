package feeds

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/api/web"
	"svc/internal/asset"
	"svc/internal/feed"
	"svc/internal/locale"
	"svc/internal/release"
	"svc/store"
)

// maxKey is the maximum number of characters of a rollout key.
const maxKey = 64

// asking is a request for a feed.
type asking struct {
	*Handlers
	*web.Request
	basis
	w http.ResponseWriter

	channel string   // name of the channel
	seen    []string // the channels whose versions it includes
	key     string   // rollout key; "" = none
	current release.Query
	named   string     // the caller's version as statistics count it; "" = unknown
	order   feed.Order // the order of the updater's native versions; "" = none

	releases []*feed.Release // by position in the catalog; nil = not yet needed
	shared   releases        // the same for all requests; nil = not yet needed
	misfits  *misfits        // versions whose native texts are in another order; nil = not yet known
	failed   error           // first error of a lookup
	timed    bool            // whether the response changes as time passes

	id         cached // key of the response in the cache
	identified bool   // whether it has such a key
}

func (h *Handlers) newAsking(w http.ResponseWriter, r *web.Request, snap *store.Snapshot) *asking {
	return &asking{Handlers: h, Request: r, w: w, basis: basis{snap, h.DB.FileState()}}
}

// on sets the channel. It returns false if the project has no such channel.
func (a *asking) on(channel string) bool {
	if channel == "latest" {
		channel = release.Stable
	}
	a.channel, a.seen = channel, a.snap.Catalog.Channels().Seen(channel)
	a.releases = make([]*feed.Release, a.snap.Catalog.Len())
	return a.seen != nil
}

// by sets the rollout key and the caller's version to the first value that was sent and is valid.
func (a *asking) by(keys []string, versions ...string) {
	for _, key := range append([]string{a.Query("key")}, keys...) {
		key = strings.TrimSpace(key)
		if n := utf8.RuneCountInString(key); a.key == "" && n >= 1 && n <= maxKey {
			a.key = key
		}
	}
	for _, text := range append(versions, a.Query("current")) {
		if q, ok := a.match(text); ok && !a.known() {
			a.runs(q, text)
		}
	}
}

// runs sets the version of the caller. text is how the request names it.
func (a *asking) runs(q release.Query, text string) {
	a.current, a.named = q, cmp.Or(q.Version, strings.TrimSpace(text))
}

// observe counts the version of the caller in the request statistics and for the health of rollouts.
// It also counts if there is nothing newer.
func (a *asking) observe() {
	if a.named == "" {
		return
	}
	a.Client().Version = a.named
	if watch := a.Health.Watch(a.snap.Project.ID); watch != nil && !a.DoNotTrack() {
		watch.SeeAddress(a.Addr, a.named, false)
	}
}

// known reports whether the caller's version is known.
func (a *asking) known() bool { return a.current.Version != "" || !a.current.Comparable.IsZero() }

// match finds the version that a text names: by its display text, its comparable value, or a native
// text. Any other comparable version is compared as it is. ok is false if the text is none.
func (a *asking) match(text string) (q release.Query, ok bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return q, false
	}
	if at := a.snap.Catalog.ByVersion(text); at >= 0 {
		return a.registered(at), true
	}
	if at := a.native(text, true); at >= 0 {
		return a.registered(at), true
	}
	q.Comparable, ok = release.Parse(text)
	return q, ok
}

func (a *asking) registered(at int) release.Query {
	return release.Query{Version: a.snap.Catalog.Item(at).Version}
}

// native returns the position of the version with a native text, or -1. Unless anyOrder is true, the
// text must be SemVer.
func (a *asking) native(text string, anyOrder bool) int {
	for at := range a.snap.Catalog.Len() {
		if a.snap.Catalog.Item(at).Comparable.IsZero() {
			break
		}
		v := a.common(at)
		if text != "" && v.SemVer == text || anyOrder && bears(v, text) {
			return at
		}
	}
	return -1
}

// bears reports whether Sparkle knows a version, or one of its assets, by the given text.
func bears(v *feed.Release, text string) bool {
	sparkle, _ := v.Sparkle("")
	return sparkle == text || slices.ContainsFunc(v.Assets, func(one asset.Asset) bool { return one.BundleVersion == text })
}

// release returns the version at a position of the catalog.
func (a *asking) release(at int) *feed.Release {
	if a.releases[at] == nil {
		v, e := *a.common(at), a.snap.Entry(at)
		v.Text = func() (string, string) { return a.text(e) }
		a.releases[at] = &v
	}
	return a.releases[at]
}

// common returns the version at a position of the catalog without its texts, which depend on the
// request. All requests share it, so it must not be changed.
func (a *asking) common(at int) *feed.Release {
	if a.shared == nil {
		a.shared = a.recallReleases()
	}
	if v := a.shared[at].Load(); v != nil {
		return v
	}
	item, e := a.snap.Catalog.Item(at), a.snap.Entry(at)
	assets, err := a.DB.Assets(a.snap.Project.ID, e.Record)
	if err != nil {
		a.fail(err)
	}
	v := feed.NewRelease(item.Version, item.Comparable, e.Record.NativeVersions, assets)
	v.Date, v.Milestone, v.Deprecated = item.PublishedAt, item.Milestone && !item.Preview, item.Deprecated
	v.Gap = item.Yank != nil || item.Rollout.IsAborted() || !item.Published()
	if item.Rollout != nil && item.Rollout.StartedAt != nil {
		v.Date = *item.Rollout.StartedAt
	}
	if err == nil {
		a.shared[at].Store(v)
	}
	return v
}

func (a *asking) fail(err error) {
	if a.failed == nil {
		a.failed = err
	}
}

// text returns the title and the notes of a version in the language of the request.
func (a *asking) text(e *store.VersionEntry) (title, notes string) {
	if e.Large {
		if err := a.Hold(e.Size); err != nil {
			a.fail(err)
			return "", ""
		}
	}
	v, err := a.DB.FullVersion(a.snap, e)
	if err != nil {
		a.fail(err)
		return "", ""
	}
	t := v.Translations[a.tag()]
	return first(t.Title, v.Title), first(t.Content, v.Content)
}

// tag returns the key of the language of the request, or "" for the default texts.
func (a *asking) tag() string {
	language, _ := a.snap.Locales.Resolve(a.Query("locale"))
	if language < 0 {
		return ""
	}
	return locale.Key(a.snap.Project.Languages[language].Tag)
}

// first returns the first text that is not nil.
func first(texts ...*string) string {
	for _, text := range texts {
		if text != nil {
			return *text
		}
	}
	return ""
}

// includes reports whether the version at a position is one of the channel's.
func (a *asking) includes(at int) bool {
	item := a.snap.Catalog.Item(at)
	return !item.Comparable.IsZero() && slices.Contains(a.seen, item.OnChannel())
}

// versions returns the versions of the channel in descending order.
func (a *asking) versions() (all []*feed.Release) {
	for at := range a.snap.Catalog.Len() {
		if a.includes(at) {
			all = append(all, a.release(at))
		}
	}
	return all
}

// offer decides which version is offered. It returns nil if there is none. With downgrade, that may
// be a version older than the caller's.
func (a *asking) offer(s feed.Selection, downgrade bool) *feed.Release {
	d := a.snap.Catalog.Offer(a.query(s))
	switch {
	case d.Target >= 0:
		return a.release(d.Target)
	case downgrade && d.Downgrade >= 0:
		return a.release(d.Downgrade)
	}
	return nil
}

// query returns the query for a caller of a feed. A caller without a key is offered complete
// versions only.
func (a *asking) query(s feed.Selection) release.Query {
	a.order = s.Order
	q, rules := a.current, a.rules()
	q.Channel, q.Fits = a.channel, func(at int) bool { return s.Fits(rules, a.ordered(at)) }
	q.CompleteOnly = a.key == ""
	if a.key != "" {
		q.Key, q.Platform, q.Country = a.key, s.On, a.Client().Place().CountryCode
	}
	return q
}

// ordered returns a version, with the orders that it breaks.
func (a *asking) ordered(at int) *feed.Release {
	v := a.release(at)
	if a.order == "" {
		return v
	}
	if a.misfits == nil {
		a.misfits = a.recallMisfits()
	}
	if a.misfits.leftOut[at] {
		v.OutOfOrder = []feed.Order{a.order}
	}
	if a.misfits.overtaken[at] {
		v.Overtaken = []feed.Order{a.order}
	}
	return v
}

// misfits contains the positions of the versions that native texts put in another order.
type misfits struct {
	leftOut   map[int]bool // the lower ones of such a pair
	overtaken map[int]bool // the greater ones
}

// misordered finds the versions of the channel that native texts put in another order.
func (a *asking) misordered() *misfits {
	compare := release.CompareSemVer
	switch a.order {
	case feed.SparkleOrder:
		compare = release.CompareSparkle
	case feed.WinSparkleOrder:
		compare = release.CompareWinSparkle
	}
	var positions []int
	var natives []release.Native
	for at := range a.snap.Catalog.Len() {
		item := a.snap.Catalog.Item(at)
		if !a.includes(at) || !item.Published() || item.Yank != nil {
			continue
		}
		if text := a.nativeText(at); text != "" {
			positions, natives = append(positions, at), append(natives, release.Native{Version: item.Comparable, Text: text})
		}
	}
	problem, leftOut := release.Misordered(natives, compare)
	all := &misfits{map[int]bool{}, map[int]bool{}}
	for i, at := range positions {
		switch {
		case leftOut[i]:
			all.leftOut[at] = true
		case problem[i]:
			all.overtaken[at] = true
		}
	}
	return all
}

// nativeText returns the text of a version in the order of the updater, or "".
func (a *asking) nativeText(at int) string {
	v := a.common(at)
	switch a.order {
	case feed.WinSparkleOrder:
		return v.WinSparkle
	case feed.SparkleOrder:
		bundle := ""
		if one := a.rules().SparkleAsset(v, ""); one != nil {
			bundle = one.BundleVersion
		}
		text, _ := v.Sparkle(bundle)
		return text
	}
	return v.SemVer
}

// rules returns the rules that all feeds of the project follow.
func (a *asking) rules() feed.Rules { return a.Files.FeedRules(a.Request, a.snap.TrustKeys) }

// origin returns the beginning of the addresses in feeds.
func (a *asking) origin() string { return a.Origin(a.BaseURL, a.SiteURL) }

// page returns the address of the project's public page.
func (a *asking) page() string {
	return a.Origin(a.SiteURL) + "/projects/" + url.PathEscape(a.snap.Project.Key)
}

// personal reports whether the response is only for this caller.
func (a *asking) personal() bool {
	if a.BaseURL == "" && a.SiteURL == "" {
		return true
	}
	known := a.known()
	if a.key == "" && !known {
		return false
	}
	for at := range a.snap.Catalog.Len() {
		item := a.snap.Catalog.Item(at)
		if !a.includes(at) {
			continue
		}
		if item.Rollout != nil && !item.Rollout.State.Final() || known && (item.Milestone || item.Yank != nil) {
			return true
		}
	}
	return false
}
