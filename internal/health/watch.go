package health

import (
	"net/netip"
	"strings"

	"svc/internal/asset"
	"svc/internal/fault"
	"svc/internal/release"
	"svc/internal/rollout"
	"svc/store"
)

// Watch counts the requests of a project in which a version is being rolled out. It is safe for
// concurrent use.
type Watch struct {
	counter *counter
	project store.ProjectID
	snap    *store.Snapshot
	// versions contains the versions that are being rolled out, and their baselines.
	versions map[store.ID]bool
	native   map[string]store.ID // these versions by their native texts, see nativeTexts
	events   map[string]bool     // names of the events that are failures
}

// SeeAddress counts a request from an address. version is the text by which the request names the
// version of the app. failed reports whether the request uploads an error log.
func (w *Watch) SeeAddress(from netip.Addr, version string, failed bool) {
	if id, ok := w.find(version); ok && from.IsValid() {
		w.counter.seeAddress(w.project, id, from, failed)
	}
}

// SeeUser counts an event with the given name. user is the distinct_id of the event, and version is
// the text by which the event names the version of the app.
func (w *Watch) SeeUser(user, version, event string) {
	id, ok := w.find(version)
	if !ok {
		return
	}
	if !w.events[event] {
		event = ""
	}
	w.counter.seeUser(w.project, id, user, event)
}

// find returns the watched version that a text names by its display text, its comparable version or
// one of its native texts, tried in this order. It ignores surrounding blanks. ok is false if the
// text names none of the watched versions.
func (w *Watch) find(text string) (id store.ID, ok bool) {
	if text = strings.TrimSpace(text); text == "" {
		return id, false
	}
	if at := w.snap.Catalog.ByVersion(text); at >= 0 {
		id = w.snap.Catalog.Item(at).ID
		return id, w.versions[id]
	}
	id, ok = w.native[text]
	return id, ok
}

// newWatch returns a Watch that counts no version yet, or nil if the project has been deleted.
func (e *Engine) newWatch(p store.ProjectID) (*Watch, error) {
	project, ok := e.DB.ProjectByID(p)
	if !ok {
		return nil, nil
	}
	snap, err := e.DB.Snapshot(project.Key)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	w := &Watch{
		counter: e.counter, project: p, snap: snap,
		versions: map[store.ID]bool{}, native: map[string]store.ID{}, events: map[string]bool{},
	}
	for _, rule := range snap.Distribution.Health.Rules {
		if rule.Metric == rollout.EventMetric {
			w.events[rule.Event] = true
		}
	}
	return w, nil
}

// add makes w count the users of a version and those of its baseline. r is the rollout of the
// version, and version is its display text.
func (w *Watch) add(db *store.Store, r *rollout.Rollout, version string) error {
	names := []string{version}
	if r.Baseline != nil {
		names = append(names, *r.Baseline)
	}
	for _, name := range names {
		at := w.snap.Catalog.Named(name)
		if at < 0 {
			continue
		}
		v := w.snap.Entry(at).Record
		w.versions[v.ID] = true
		assets, err := db.Assets(w.project, v)
		if err != nil {
			return err
		}
		for _, text := range nativeTexts(v, assets) {
			w.native[text] = v.ID
		}
	}
	return nil
}

// nativeTexts returns the texts that can name a version in an updater with its own rules for
// comparing versions, such as Sparkle. They include each CFBundleVersion of the version's assets.
func nativeTexts(v *store.Version, assets []asset.Asset) []string {
	var set release.NativeVersions
	if v.NativeVersions != nil {
		set = *v.NativeVersions
	}
	semver, _ := set.SemVerOf(v.Comparable)
	sparkle, _ := set.SparkleOf(v.Comparable, "")
	texts := []string{semver, sparkle}
	for i := range assets {
		texts = append(texts, assets[i].BundleVersion)
	}
	return texts
}
