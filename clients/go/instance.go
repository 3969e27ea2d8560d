package svcsdk

import (
	"context"
	"net/http"
)

// GetStatus sees how the instance stands, and what to do: backups, disk, certificates, scheduled
// jobs and more. Administrator only.
func (a *Admin) GetStatus(ctx context.Context) (*InstanceStatus, error) {
	return fetch[InstanceStatus](ctx, a.call(http.MethodGet, "/admin/status"))
}

// GetAbout sees which version runs, and whether there is a newer one: the operator may have set
// another instance that is asked. What was asked is kept for an hour unless refresh is true. A
// check that fails is no error of the request: the field Error of the update says why.
// Administrator only.
func (a *Admin) GetAbout(ctx context.Context, refresh bool) (*About, error) {
	return fetch[About](ctx, a.call(http.MethodGet, "/admin/about").param("refresh", refresh))
}

// PreviewMarkdown renders Markdown as public pages show it. The answer may stand in any page.
func (a *Admin) PreviewMarkdown(ctx context.Context, in MarkdownInput) (*MarkdownPreview, error) {
	return fetch[MarkdownPreview](ctx, a.call(http.MethodPost, "/admin/markdown-preview").body(in))
}

// CheckStatus says how bad something is: "ok", "note", "warning" or "problem". Values that this
// library does not know are kept.
type CheckStatus string

// InstanceStatus is how an instance stands.
type InstanceStatus struct {
	// The worst of the checks.
	Status CheckStatus `json:"status"`
	// Version of the server.
	Version string `json:"version"`
	// When it was started.
	StartedAt int64 `json:"started_at"`
	// When it was examined.
	CheckedAt int64 `json:"checked_at"`
	// Public address of the site; null when it is not set.
	SiteURL *string `json:"site_url"`
	// What links of files begin with; null when it is not set.
	DistributionURL *string `json:"distribution_url"`
	// The scheduled backups; null when none is known of.
	Backup *InstanceBackup `json:"backup"`
	// All checks, those without findings included.
	Checks []InstanceCheck `json:"checks"`
}

// InstanceBackup is how scheduled backups stand.
type InstanceBackup struct {
	// When the newest one was made; null when there is none.
	LastAt *int64 `json:"last_at"`
	// Size of it.
	Bytes int64 `json:"bytes"`
	// Why the last attempt failed; null when it went well.
	Error *string `json:"error"`
}

// InstanceCheck is one check, as in svc doctor.
type InstanceCheck struct {
	// Its name, such as "backup", "space", "certificates" or "jobs".
	Name string `json:"name"`
	// What it is about.
	Title string `json:"title"`
	// The worst of its findings.
	Status CheckStatus `json:"status"`
	// What it found; empty when all is well.
	Findings []InstanceFinding `json:"findings"`
}

// InstanceFinding is something to know or to do.
type InstanceFinding struct {
	// How bad it is.
	Status CheckStatus `json:"status"`
	// Names the kind of finding, such as "backup_late", for programs and for texts in other languages.
	Code string `json:"code"`
	// What there is.
	What string `json:"what"`
	// What to do about it.
	Repair string `json:"repair"`
	// The names, times and numbers in What and then in Repair, as they stand there.
	Values []string `json:"values"`
}

// About is which program runs, and what is published of it.
type About struct {
	// Version of the server.
	Version string `json:"version"`
	// What it was built from; null when it was built outside of a repository.
	Commit *string `json:"commit"`
	// It was built from files that differ from the commit.
	Modified bool `json:"modified"`
	// Version of Go that it was built with.
	Go string `json:"go"`
	// Operating system and architecture, such as "linux/amd64".
	Platform string `json:"platform"`
	// When it was started.
	StartedAt int64 `json:"started_at"`
	// Where the documentation is; null when it is not set.
	DocsURL *string `json:"docs_url"`
	// The instance that is asked for updates; null when nobody is asked.
	UpstreamURL *string `json:"upstream_url"`
	// The version that runs, as it is published; null when it is not, or nobody said so.
	Release *AboutRelease `json:"release"`
	// The check for updates; null when nobody is asked.
	Update *AboutUpdate `json:"update"`
}

// AboutRelease is a version of the server.
type AboutRelease struct {
	// Display version.
	Version string `json:"version"`
	// Headline.
	Title *string `json:"title"`
	// Release notes, Markdown.
	Content *string `json:"content"`
	// When it was published.
	PublishedAt int64 `json:"published_at"`
	// Its public page at the instance that publishes it.
	URL string `json:"url"`
}

// AboutUpdate is what a check for updates of the server has given.
type AboutUpdate struct {
	// When it was made.
	CheckedAt int64 `json:"checked_at"`
	// Why it gave nothing; null when it did.
	Error *string `json:"error"`
	// There is something newer.
	ShouldUpdate bool `json:"should_update"`
	// What runs is deprecated, or outside of the range in which updates are optional.
	Required bool `json:"required"`
	// Why, as in UpdateCheck.
	ReasonCodes []string `json:"reason_codes"`
	// What to install; null when there is nothing newer.
	Target *AboutRelease `json:"target"`
	// The newest version that could be offered; null when it is not known.
	Latest *AboutRelease `json:"latest"`
}

// MarkdownInput is a text to render.
type MarkdownInput struct {
	// The Markdown.
	Text string `json:"text"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}

// MarkdownPreview is a text as public pages show it.
type MarkdownPreview struct {
	// The text as HTML that may stand in any page.
	HTML string `json:"html"`
}
