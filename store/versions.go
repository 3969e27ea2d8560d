package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"svc/internal/asset"
	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/rollout"
	"svc/internal/searchtext"
)

// Version is a published version of a project. Its id contains its creation time.
type Version struct {
	ID            ID                     `json:"-"`
	Version       string                 `json:"version"` // display text, unique in the project
	Comparable    release.Comparable     `json:"comparable"`
	Title         *string                `json:"title,omitempty"`
	Content       *string                `json:"content,omitempty"`
	DownloadURL   *string                `json:"download_url,omitempty"`
	DownloadLinks []DownloadLink         `json:"download_links,omitempty"`
	Latest        bool                   `json:"latest,omitempty"`
	Preview       bool                   `json:"preview,omitempty"`
	Channel       string                 `json:"channel,omitempty"` // the project's own channel; "" = stable, or preview if Preview is set
	Milestone     bool                   `json:"milestone,omitempty"`
	Deprecated    bool                   `json:"deprecated,omitempty"`
	Platform      *platform.Platform     `json:"platform,omitempty"`
	Platforms     []platform.Platform    `json:"platforms,omitempty"`
	CustomData    json.RawMessage        `json:"custom_data,omitempty"` // a JSON object
	PublishedAt   int64                  `json:"published_at"`
	Translations  map[string]VersionText `json:"translations,omitempty"` // by the key of the language tag, see locale.Key

	Yank           *release.Yank           `json:"yank,omitempty"`            // nil = not yanked
	NativeVersions *release.NativeVersions `json:"native_versions,omitempty"` // nil = all are derived from Comparable

	// Rollout describes how far the version has been rolled out. nil = completely.
	Rollout *rollout.Rollout `json:"rollout,omitempty"`

	// Assets contains the fields of assets that were set by hand, by the name of the asset.
	Assets map[string]asset.Override `json:"assets,omitempty"`

	// ReleaseUpdatedAt is the modification time of the code host's release that last
	// overwrote the version, in Unix seconds. It is 0 if no release did, or if that time is
	// unknown.
	ReleaseUpdatedAt int64 `json:"release_updated_at,omitempty"`
}

// DownloadLink is one address from which a version can be downloaded.
type DownloadLink struct {
	URL      string `json:"url"`
	Name     string `json:"name,omitempty"`
	Platform string `json:"platform,omitempty"`
}

// VersionText is the translatable part of a version.
type VersionText struct {
	Title   *string `json:"title,omitempty"`
	Content *string `json:"content,omitempty"`
}

func (v *Version) identify(id ID) { v.ID = id }

// Runs reports whether the version is offered for a platform. A version that lists no
// platforms is offered for all of them.
func (v *Version) Runs(on platform.Platform) bool {
	if len(v.Platforms) == 0 && v.Platform == nil {
		return true
	}
	return slices.Contains(v.Platforms, on) || v.Platform != nil && *v.Platform == on
}

// OnChannel returns the name of the channel on which the version is published.
func (v *Version) OnChannel() string {
	switch {
	case v.Channel != "":
		return v.Channel
	case v.Preview:
		return release.Preview
	}
	return release.Stable
}

// SetChannel publishes the version on a channel. A version is a preview on all channels except the
// stable one.
func (v *Version) SetChannel(name string) {
	v.Preview, v.Channel = name != release.Stable, ""
	if name != release.Stable && name != release.Preview {
		v.Channel = name
	}
}

// SearchText returns the folded text that the parameter search= is matched against.
func (v *Version) SearchText() string {
	comparable := v.Comparable.String()
	return searchtext.Fields(&v.Version, &comparable, v.Title, v.Content)
}

func (v *Version) item() release.Item {
	return release.Item{
		ID: v.ID, Version: v.Version, Comparable: v.Comparable, PublishedAt: v.PublishedAt,
		Latest: v.Latest, Preview: v.Preview, Milestone: v.Milestone, Deprecated: v.Deprecated,
		Channel: v.Channel, Rollout: v.Rollout,
		Yank: v.Yank,
	}
}

func (v *Version) eachText(visit func(tag string, title, content *string)) {
	visit("", nil, v.Content)
	for tag, t := range v.Translations {
		visit(tag, t.Title, t.Content)
	}
}

func (v *Version) dropTexts() { v.setTexts(&Version{}) }

func (v *Version) setTexts(from *Version) {
	v.Content, v.Translations = from.Content, from.Translations
}

// cost estimates the memory, in bytes, that the record uses together with its responses:
// one with the default texts, and one for each translation. A response in a translation
// contains the default text for everything that is not translated.
func (v *Version) cost() int64 {
	plain := 1024 + len(v.CustomData)
	for _, l := range v.DownloadLinks {
		plain += len(l.URL) + len(l.Name) + len(l.Platform)
	}
	for name := range v.Assets {
		plain += 256 + len(name)
	}
	return int64(2*(plain+textSize(v)) + len(v.Translations)*(plain+length(v.Content)))
}

// Version reads one version of a project.
func (tx *Tx) Version(p ProjectID, id ID) (*Version, error) {
	return read[Version](tx.contentBucket(p, versionsBucket), id, "version")
}

// OwnedVersion reads a version and the project that owns it, given only the version's id.
func (tx *Tx) OwnedVersion(id ID) (*Project, *Version, error) {
	return owned(tx, id, "version", tx.Version)
}

// VersionNamed returns the version with exactly the given display text, or nil if there
// is none.
func (tx *Tx) VersionNamed(p ProjectID, text string) (*Version, error) {
	raw := tx.content(p).Bucket(versionNamesBucket).Get([]byte(text))
	if raw == nil {
		return nil, nil
	}
	id, err := idOf(raw)
	if err != nil {
		return nil, err
	}
	return tx.Version(p, id)
}

// EachVersion visits the versions of a project, the oldest first. visit must not
// write.
func (tx *Tx) EachVersion(p ProjectID, visit func(*Version) error) error {
	b := tx.contentBucket(p, versionsBucket)
	if b == nil {
		return fmt.Errorf("%w: project number %d has no content", ErrDamaged, p)
	}
	return eachRecord(b, visit)
}

// CreateVersion stores a new version, gives it its id, and decides which version is the
// latest. The parameter latest is the value that the client sent for the flag, or nil if
// it sent none. The error is a Conflict if the display text already exists, and Invalid
// if it is not UTF-8.
func (tx *Tx) CreateVersion(p ProjectID, v *Version, latest *bool) error {
	if err := tx.createVersion(p, v, latest); err != nil {
		return err
	}
	return tx.notifyVersion(p, nil, v)
}

// ImportVersion is CreateVersion for a version that was published elsewhere before. It sends no event,
// and the version does not become the latest.
func (tx *Tx) ImportVersion(p ProjectID, v *Version) error { return tx.createVersion(p, v, new(false)) }

func (tx *Tx) createVersion(p ProjectID, v *Version, latest *bool) error {
	if err := checkText(v.Version); err != nil {
		return err
	}
	if err := tx.writeGroupsOf(p); err != nil {
		return err
	}
	names := tx.content(p).Bucket(versionNamesBucket)
	if names.Get([]byte(v.Version)) != nil {
		return errVersionExists(v.Version)
	}
	w, err := tx.workOn(p)
	if err != nil {
		return err
	}
	v.ID = tx.newID()
	plan, err := w.catalog().PlanCreate(v.item(), latest)
	if err != nil {
		return err
	}
	v.Latest = plan.Latest
	if err := carryOut(tx, p, w, plan); err != nil {
		return err
	}
	w.chooseBaseline(v)
	tx.count(p, countVersions, 1)
	tx.count(p, countRollouts, v.openRollouts())
	return errors.Join(
		names.Put([]byte(v.Version), v.ID[:]),
		tx.bolt.Bucket(ownersBucket).Put(v.ID[:], p.key()),
		tx.putVersion(p, v),
	)
}

// checkText returns an error if a display text is not valid UTF-8. A request path with
// escapes can contain such a text. JSON would store it differently from the key under
// which the version is found.
func checkText(text string) error {
	if !utf8.ValidString(text) {
		return fault.Validation("version must be UTF-8")
	}
	return nil
}

func errVersionExists(text string) error {
	return fault.New(fault.Conflict, "version %q exists already", text)
}

// UpdateVersion stores a changed version and decides which version is the latest. The parameter
// latest is the value that the client sent for the flag, or nil if it sent none. previewSent
// reports whether the client sent is_preview. The error is a Conflict if another version already
// has the display text.
func (tx *Tx) UpdateVersion(p ProjectID, v *Version, latest *bool, previewSent bool) error {
	if err := tx.writeGroupsOf(p); err != nil {
		return err
	}
	w, err := tx.workOn(p)
	if err != nil {
		return err
	}
	at, before := w.find(v.ID)
	plan, err := w.catalog().PlanUpdate(at, v.item(), latest, previewSent)
	if err != nil {
		return err
	}
	if before.Version != v.Version {
		if err := checkText(v.Version); err != nil {
			return err
		}
		names := tx.content(p).Bucket(versionNamesBucket)
		if names.Get([]byte(v.Version)) != nil {
			return errVersionExists(v.Version)
		}
		if err := errors.Join(names.Delete([]byte(before.Version)), names.Put([]byte(v.Version), v.ID[:])); err != nil {
			return err
		}
	}
	v.Latest = plan.Latest
	if err := carryOut(tx, p, w, plan); err != nil {
		return err
	}
	w.chooseBaseline(v)
	tx.count(p, countRollouts, v.openRollouts()-before.openRollouts())
	return errors.Join(
		tx.renameBaseline(p, w, before.Version, v.Version),
		tx.putVersion(p, v),
		tx.notifyVersion(p, before, v),
	)
}

// DeleteVersion removes a version. If it was the latest, its successor becomes the
// latest.
func (tx *Tx) DeleteVersion(p ProjectID, v *Version) error {
	if err := tx.writeGroupsOf(p); err != nil {
		return err
	}
	w, err := tx.workOn(p)
	if err != nil {
		return err
	}
	at, _ := w.find(v.ID)
	if err := carryOut(tx, p, w, w.catalog().PlanDelete(at)); err != nil {
		return err
	}
	w.remove(v.ID)
	tx.count(p, countVersions, -1)
	tx.count(p, countRollouts, -v.openRollouts())
	return errors.Join(
		tx.content(p).Bucket(versionNamesBucket).Delete([]byte(v.Version)),
		tx.erase(versionsBucket, Change{Kind: KindVersion, Project: p, ID: v.ID}),
	)
}

// carryOut carries out a plan: it sets and clears the latest flag of the versions that the plan
// names.
func carryOut(tx *Tx, p ProjectID, w *work, plan release.Plan) error {
	flags := map[ID]bool{}
	for _, at := range plan.Clear {
		flags[w.catalog().Item(at).ID] = false
	}
	if plan.Elect >= 0 {
		flags[w.catalog().Item(plan.Elect).ID] = true
	}
	for id, latest := range flags {
		other, err := tx.Version(p, id)
		if err != nil {
			return err
		}
		other.Latest = latest
		if err := tx.putVersion(p, other); err != nil {
			return err
		}
	}
	return nil
}

// putVersion stores the record and adds it to the snapshot that the commit will publish.
func (tx *Tx) putVersion(p ProjectID, v *Version) error {
	w, err := tx.workOn(p)
	if err != nil {
		return err
	}
	stored, err := write(tx, versionsBucket, Change{Kind: KindVersion, Project: p, ID: v.ID}, v)
	if err != nil {
		return err
	}
	w.put(stored)
	tx.changeSigned(p)
	return nil
}

// VersionStatistics contains statistics about the versions of all projects.
type VersionStatistics struct {
	Versions, Projects int64  // Projects is the number of projects that have a version
	Newest, Oldest     *int64 // creation times in Unix seconds; nil without versions
}

// HasVersions reports whether a project has versions. The error is NotFound if the project is gone.
func (tx *Tx) HasVersions(p ProjectID) (bool, error) {
	content := tx.content(p)
	if content == nil {
		return false, notFound("project")
	}
	n, err := counted(content.Bucket(countsBucket), countVersions)
	return n > 0, err
}

// VersionStatistics counts the versions of all projects. For each project, it reads only the count
// and the keys of the first and the last version.
func (tx *Tx) VersionStatistics() (VersionStatistics, error) {
	var st VersionStatistics
	err := tx.bolt.Bucket(contentBucket).ForEachBucket(func(key []byte) error {
		if !tx.alive(key) {
			return nil
		}
		content := tx.bolt.Bucket(contentBucket).Bucket(key)
		n, err := counted(content.Bucket(countsBucket), countVersions)
		if err != nil || n == 0 {
			return err
		}
		st.Versions += n
		st.Projects++
		cursor := content.Bucket(versionsBucket).Cursor()
		key, _ = cursor.First()
		first, err := idOf(key)
		if err != nil {
			return err
		}
		key, _ = cursor.Last()
		last, err := idOf(key)
		if err != nil {
			return err
		}
		oldest, newest := CreatedAt(first), CreatedAt(last)
		if st.Oldest == nil || oldest < *st.Oldest {
			st.Oldest = &oldest
		}
		if st.Newest == nil || newest > *st.Newest {
			st.Newest = &newest
		}
		return nil
	})
	return st, err
}

// Release describes a release of the code host as a version. Its texts do not exceed the
// limits of a version.
type Release struct {
	Version        string
	Comparable     release.Comparable
	Title, Content *string
	DownloadURL    *string        // nil = none
	DownloadLinks  []DownloadLink // nil = DownloadURL, if there is one, is the only link
	Preview        bool
	PublishedAt    *time.Time // nil = now
	UpdatedAt      *time.Time // nil = not known
	CustomData     json.RawMessage
}

// PublishRelease creates the version for a release. If a version with exactly the display text
// r.Version exists, PublishRelease overwrites the fields that the release provides and leaves the
// others unchanged. stale reports that nothing was changed, because a later state of the release
// has already been published.
func (tx *Tx) PublishRelease(p ProjectID, r *Release) (v *Version, created, stale bool, err error) {
	v, err = tx.VersionNamed(p, r.Version)
	switch {
	case err != nil:
		return nil, false, false, err
	case v == nil:
		v, created = &Version{Version: r.Version}, true
	case r.UpdatedAt != nil && r.UpdatedAt.Unix() < v.ReleaseUpdatedAt:
		return v, false, true, nil
	}
	before := *v
	r.apply(v, tx.now)
	w, err := tx.workOn(p)
	if err != nil {
		return nil, false, false, err
	}
	if v.Preview != before.Preview { // otherwise it stays on its channel
		v.SetChannel(w.Distribution.Channels.Default(v.Preview, v.Comparable))
	}
	if created {
		if v.Rollout, err = tx.DefaultRollout(p, rollout.Schedule); err != nil {
			return nil, false, false, err
		}
		return v, true, false, tx.CreateVersion(p, v, new(w.catalog().TakesLatest(-1, v.item())))
	}
	at, _ := w.find(v.ID)
	latest := w.catalog().TakesLatest(at, v.item())
	if _, err := w.catalog().PlanUpdate(at, v.item(), &latest, true); err != nil {
		// The version is deprecated, and with the release's Comparable, no greater version would
		// replace it. Keep the old Comparable, because it is more important that the version stays
		// deprecated.
		v.Comparable = before.Comparable
	}
	return v, false, false, tx.UpdateVersion(p, v, &latest, true)
}

// apply sets the fields of v that the release provides.
func (r *Release) apply(v *Version, now time.Time) {
	v.Comparable, v.Title, v.Content, v.Preview, v.CustomData = r.Comparable, r.Title, r.Content, r.Preview, r.CustomData
	v.DownloadURL, v.DownloadLinks = r.DownloadURL, r.DownloadLinks
	if r.DownloadLinks == nil && r.DownloadURL != nil {
		v.DownloadLinks = []DownloadLink{{URL: *r.DownloadURL}}
	}
	v.PublishedAt = now.Unix()
	if r.PublishedAt != nil {
		v.PublishedAt = r.PublishedAt.Unix()
	}
	if r.UpdatedAt != nil {
		v.ReleaseUpdatedAt = r.UpdatedAt.Unix()
	}
}
