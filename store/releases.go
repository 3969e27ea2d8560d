package store

import (
	"encoding/json"
	"time"

	"svc/internal/release"
)

// Release is what a release of the code host says of a version. Its texts keep to the
// limits of a version.
type Release struct {
	Version        string
	Comparable     release.Comparable
	Title, Content *string
	DownloadURL    *string        // nil = none
	DownloadLinks  []DownloadLink // nil = DownloadURL is the only link, if there is one
	Preview        bool
	PublishedAt    *time.Time // nil = now
	UpdatedAt      *time.Time // nil = not known
	CustomData     json.RawMessage
}

// PublishRelease creates the version of a release, or overwrites what the release says
// of the version with exactly its text; all else of that stays. stale is true, and
// nothing is changed, when a later state of the release was taken before.
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
	if created {
		latest := w.catalog().TakesLatest(-1, v.item())
		return v, true, false, tx.CreateVersion(p, v, &latest)
	}
	at, _ := w.find(v.ID)
	latest := w.catalog().TakesLatest(at, v.item())
	if _, err := w.catalog().PlanUpdate(at, v.item(), &latest, true); err != nil {
		// It is deprecated in favour of a version that is not greater than what the
		// release says. That it is offered to nobody matters more.
		v.Comparable = before.Comparable
	}
	return v, false, false, tx.UpdateVersion(p, v, &latest, true)
}

// apply changes what a release says of a version.
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
