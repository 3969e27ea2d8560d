package resource

import (
	"svc/api/web"
	"svc/internal/markdown"
)

// markdownRoutes returns the routes for Markdown previews. Callers that may read at least one kind
// of text can use them.
func (h *Handlers) markdownRoutes() []web.Route {
	readers := web.AnyScope("projects:read", "versions:read", "announcements:read", "events:read", "feedbacks:read", "logs:read", "files:read",
		"stats:read")
	return []web.Route{
		{Method: "POST", Path: web.V1 + "/admin/markdown-preview", Reads: true, Access: readers, Handler: web.OK(web.Decoded(previewMarkdown))},
	}
}

type markdownInput struct {
	Text web.Optional[string] `json:"text"`
}

type markdownView struct {
	HTML string `json:"html"`
}

// previewMarkdown renders a text in the same way as the public pages. It stores nothing.
func previewMarkdown(r *web.Request, in markdownInput) (markdownView, error) {
	var p problems
	p.Text("text", in.Text, web.TextRule{Required: true})
	if err := p.Err(); err != nil {
		return markdownView{}, err
	}
	return markdownView{markdown.HTML(*in.Text.Value)}, nil
}
