package svcsdk

import (
	"context"
	"net/http"
)

// Search searches all projects. Looks through projects, versions, announcements, feedback and logs
// as the lists of each do, newest first. Any of the five scopes opens it; what a key may not read
// is left out, without an error.
func (a *Admin) Search(ctx context.Context, opts *SearchOptions) (*Page[SearchHit], error) {
	return fetch[Page[SearchHit]](ctx, a.call(http.MethodGet, "/admin/search").where(opts))
}

// SearchKind is a kind of thing that a search finds: "project", "version", "announcement",
// "feedback" or "log".
type SearchKind string

// SearchHit is something that was found.
type SearchHit struct {
	// A kind of thing that can be found.
	Kind SearchKind `json:"kind"`
	// Key of the project it belongs to.
	ProjectKey string `json:"project_key"`
	// Its id.
	ID string `json:"id"`
	// One line that says what it is.
	Title string `json:"title"`
	// The part of a text in which it was found; cut ends have an ellipsis.
	Excerpt string `json:"excerpt"`
	// When it was made here.
	CreatedAt int64 `json:"created_at"`
}

// SearchOptions say what is searched.
type SearchOptions struct {
	// What to look for.
	Q string `query:"q"`
	// Only in this project.
	Project string `query:"project"`
	// Only this kind.
	Kind SearchKind `query:"kind"`
	// 1 to 100; 20 when 0.
	Limit int `query:"limit"`
	// Hidden ones, too.
	IncludeHidden *bool `query:"include_hidden"`
}
