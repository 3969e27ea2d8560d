package codehost

import (
	"encoding/json"
	"errors"
	"time"
)

// Release is a release as the REST API and webhook deliveries describe it. Times that are missing
// are nil.
type Release struct {
	TagName     string     `json:"tag_name"`
	Name        string     `json:"name"`
	Body        string     `json:"body"`
	Draft       bool       `json:"draft"`
	Prerelease  bool       `json:"prerelease"`
	PublishedAt *time.Time `json:"published_at"`
	CreatedAt   *time.Time `json:"created_at"`
	UpdatedAt   *time.Time `json:"updated_at"`
	HTMLURL     string     `json:"html_url"`
	ZipballURL  string     `json:"zipball_url"`
	Assets      []Asset    `json:"assets"`
}

// Asset is an attachment of a release.
type Asset struct {
	Name        string `json:"name"`
	DownloadURL string `json:"browser_download_url"`
}

// UnmarshalJSON accepts any JSON object. It treats a field of the wrong type as missing,
// so that one malformed release does not make a whole page of releases unreadable.
func (r *Release) UnmarshalJSON(raw []byte) error {
	o := objectOf(raw)
	if o == nil {
		return errors.New("a release must be an object")
	}
	*r = *releaseOf(o)
	return nil
}

func releaseOf(o object) *Release {
	r := &Release{
		TagName: o.text("tag_name"), Name: o.text("name"), Body: o.text("body"), Draft: o.is("draft"), Prerelease: o.is("prerelease"),
		PublishedAt: o.time("published_at"), CreatedAt: o.time("created_at"), UpdatedAt: o.time("updated_at"),
		HTMLURL: o.text("html_url"), ZipballURL: o.text("zipball_url"),
	}
	var assets []json.RawMessage
	if json.Unmarshal(o["assets"], &assets) != nil {
		return r
	}
	for _, raw := range assets {
		asset := objectOf(raw)
		r.Assets = append(r.Assets, Asset{Name: asset.text("name"), DownloadURL: asset.text("browser_download_url")})
	}
	return r
}
