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

	channel string        // name of the channel
	seen    []string      // that channel and the channels that it includes
	key     string        // rollout key; "" = none
	current release.Query // the caller's version; zero = unknown
	named   string        // the caller's version as statistics count it; "" = unknown
	order   feed.Order    // the rules by which the updater compares versions; "" = none of its own

	releases []*feed.Release // by position in the catalog; nil = not yet needed
	shared   releases        // the versions without their texts, shared by all requests; nil = not yet needed
	misfits  *misfits        // versions that the updater would put in another order; nil = not yet known
	failed   error           // first error of a lookup
	timed    bool            // whether the response changes as time passes

	id         cached // key of the response in the cache
	identified bool   // whether the response has such a key
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

// by sets the rollout key and the caller's version unless they are already set. The key is the
// first valid one of the query parameter key and of keys. The version is the first valid one of
// versions and of the query parameter current.
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

// runs sets the version that the caller runs. text is that version as the request contains it.
func (a *asking) runs(q release.Query, text string) {
	a.current, a.named = q, cmp.Or(q.Version, strings.TrimSpace(text))
}

// observe counts the version of the caller in the request statistics and for the health of
// rollouts, even if the caller is offered no version.
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
// text, which is the text by which updaters know the version. If the project has no such version
// but the text can be compared, q contains the comparable value of the text. Otherwise, ok is
// false.
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

// native returns the position in the catalog of the version with the given native text, or -1 if
// there is none. Unless anyOrder is true, it only considers native texts that are SemVer.
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

// bears reports whether Sparkle knows the version v, or one of its assets, by the given text.
func bears(v *feed.Release, text string) bool {
	sparkle, _ := v.Sparkle("")
	return sparkle == text || slices.ContainsFunc(v.Assets, func(one asset.Asset) bool { return one.BundleVersion == text })
}

// release returns the version at the given position in the catalog.
func (a *asking) release(at int) *feed.Release {
	if a.releases[at] == nil {
		v, e := *a.common(at), a.snap.Entry(at)
		v.Text = func() (string, string) { return a.text(e) }
		a.releases[at] = &v
	}
	return a.releases[at]
}

// common returns the version at the given position in the catalog without its title and notes,
// which depend on the language of the request. All requests share the result, so it must not be
// changed.
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

// tag returns the key of the translations in the language of the request, or "" if the default
// texts apply.
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

// includes reports whether the version at the given position in the catalog can be compared and
// belongs to the channel of the feed or to a channel that this channel includes.
func (a *asking) includes(at int) bool {
	item := a.snap.Catalog.Item(at)
	return !item.Comparable.IsZero() && slices.Contains(a.seen, item.OnChannel())
}

// versions returns the versions that the channel of the feed includes, the greatest first.
func (a *asking) versions() (all []*feed.Release) {
	for at := range a.snap.Catalog.Len() {
		if a.includes(at) {
			all = append(all, a.release(at))
		}
	}
	return all
}

// offer returns the version that is offered to the caller, or nil if there is none. If downgrade is
// true, the version may be older than the caller's.
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

// query returns the query by which the catalog selects the version to offer. Callers without a
// rollout key are only offered versions that are completely rolled out.
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

// ordered returns the version at the given position in the catalog. It sets OutOfOrder or Overtaken
// in the version if the updater would put it in another order.
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

// misfits describes the pairs of versions that an updater would put in the wrong order, because it
// compares their native texts. It contains positions in the catalog.
type misfits struct {
	leftOut   map[int]bool // the lower version of each pair
	overtaken map[int]bool // the greater version of each pair, unless it is in leftOut
}

// misordered finds the versions of the channel that the updater would put in another order.
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

// nativeText returns the text by which the updater compares the version at the given position in
// the catalog, or "" if it cannot compare that version.
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

// origin returns the beginning of the addresses in feeds, such as "https://example.com".
func (a *asking) origin() string { return a.Origin(a.BaseURL, a.SiteURL) }

// page returns the address of the project's public page.
func (a *asking) page() string {
	return a.Origin(a.SiteURL) + "/projects/" + url.PathEscape(a.snap.Project.Key)
}

// personal reports whether the response depends on the caller, so that caches must not share it.
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
