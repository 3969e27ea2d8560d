package codehost

import "time"

// Release is a release as the REST API and deliveries describe it. Times that are
// absent are nil.
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
