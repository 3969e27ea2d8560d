package control

import (
	"slices"

	"svc/api/web"
	"svc/internal/upstream"
)

// Build describes how the program was built.
type Build struct {
	Commit   string // "" if built outside a repository
	Modified bool   // built from files that differ from the commit
	Go       string
	Platform string
}

// aboutView describes the running program and its published versions for the administrator.
type aboutView struct {
	Version     string            `json:"version"`
	Commit      *string           `json:"commit"`
	Modified    bool              `json:"modified"`
	Go          string            `json:"go"`
	Platform    string            `json:"platform"`
	StartedAt   int64             `json:"started_at"`
	DocsURL     *string           `json:"docs_url"`
	UpstreamURL *string           `json:"upstream_url"`
	Release     *aboutReleaseView `json:"release"`
	Update      *aboutUpdateView  `json:"update"`
}

// aboutUpdateView is the result of a check for updates.
type aboutUpdateView struct {
	CheckedAt    int64             `json:"checked_at"`
	Error        *string           `json:"error"`
	ShouldUpdate bool              `json:"should_update"`
	Required     bool              `json:"required"`
	ReasonCodes  []string          `json:"reason_codes"`
	Target       *aboutReleaseView `json:"target"`
	Latest       *aboutReleaseView `json:"latest"`
}

// aboutReleaseView is a published version of the program.
type aboutReleaseView struct {
	Version     string  `json:"version"`
	Title       *string `json:"title"`
	Content     *string `json:"content"`
	PublishedAt int64   `json:"published_at"`
	URL         string  `json:"url"`
}

// about responds with the running version and with the updates that the publishing instance offers.
// If the check for updates fails, the response contains the failure and about returns no error.
func (h *Handlers) about(r *web.Request) (aboutView, error) {
	v := aboutView{
		Version: h.Version, Commit: web.OrNull(h.Build.Commit), Modified: h.Build.Modified, Go: h.Build.Go, Platform: h.Build.Platform,
		StartedAt: h.started.Unix(), DocsURL: web.OrNull(h.DocsURL),
	}
	if h.Upstream == nil {
		return v, nil
	}
	defer web.NoWriteDeadline(r.Writer)()
	check := h.Upstream.Check(r.Context(), slices.Contains([]string{"true", "1"}, r.Query("refresh")))
	v.UpstreamURL = &h.Upstream.Origin
	v.Release = h.viewRelease(check.Running)
	v.Update = &aboutUpdateView{
		CheckedAt: check.At.Unix(), Error: web.OrNull(check.Failure),
		ShouldUpdate: check.ShouldUpdate, Required: check.Required, ReasonCodes: append([]string{}, check.Reasons...),
		Target: h.viewRelease(check.Target), Latest: h.viewRelease(check.Latest),
	}
	return v, nil
}

func (h *Handlers) viewRelease(r *upstream.Release) *aboutReleaseView {
	if r == nil {
		return nil
	}
	return &aboutReleaseView{r.Version, r.Title, r.Content, r.PublishedAt, h.Upstream.Page(r.Version)}
}
