package resource

import (
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/locale"
	"svc/internal/terms"
	"svc/store"
)

func (h *Handlers) termsRoutes() []web.Route {
	const public = web.V1 + "/public/terms"
	const all = web.V1 + "/admin/terms/documents"
	login := web.LoginOnly()
	return []web.Route{
		{Method: "GET", Path: public, Access: web.Anyone(), Handler: web.OK(h.listTerms)},
		{Method: "GET", Path: public + "/:slug", Access: web.Anyone(), Handler: web.OK(h.getTerms)},
		{Method: "GET", Path: all, Access: login, Handler: web.OK(h.listTermsDocuments)},
		{Method: "GET", Path: all + "/:slug", Access: login, Handler: web.OK(h.getTermsDocument)},
		{Method: "PUT", Path: all + "/:slug", Access: login, Handler: web.OK(web.Decoded(h.updateTermsDocument))},
		{Method: "DELETE", Path: all + "/:slug", Access: login, Handler: web.OK(h.resetTermsDocument)},
	}
}

// maxDraft is the maximum length of a draft, in characters.
const maxDraft = 65536

type termsSummaryView struct {
	Slug          string `json:"slug"`
	Title         string `json:"title"`
	Summary       string `json:"summary"`
	Source        string `json:"source"`
	UpdatedAt     int64  `json:"updated_at"`
	LocaleMessage string `json:"locale_message,omitempty"`
}

type termsView struct {
	termsSummaryView
	Content string `json:"content"`
}

// viewTerms returns the public view of a document. The view contains the draft if the draft is in
// effect, and otherwise the built-in text in the language of the caller. UpdatedAt is the time of
// the text in the view.
func viewTerms(r *web.Request, d *terms.Document, own *store.TermsDocument) termsView {
	preference := r.Query("locale")
	language, unknown := terms.LanguageFor(preference)
	text := d.In(language)
	v := termsView{
		termsSummaryView{Slug: d.Slug, Title: text.Title, Summary: text.Summary, Source: "builtin", UpdatedAt: d.Revised}, text.Content,
	}
	if unknown {
		v.LocaleMessage = locale.Message(preference)
	}
	if own.Effective() {
		v.Source, v.UpdatedAt, v.Content = "custom", own.DraftAt, own.Draft
	}
	return v
}

func (h *Handlers) listTerms(r *web.Request) (web.ListView, error) {
	return eachDocument(h, func(d *terms.Document, own *store.TermsDocument) termsSummaryView {
		return viewTerms(r, d, own).termsSummaryView
	})
}

func (h *Handlers) getTerms(r *web.Request) (termsView, error) {
	return oneDocument(r, viewTerms, func(s store.Setting[store.TermsDocument]) (*store.TermsDocument, error) {
		return web.GetSettings(r, h.DB, s)
	})
}

type termsDocumentView struct {
	Slug             string            `json:"slug"`
	Title            string            `json:"title"`
	Summary          string            `json:"summary"`
	Custom           bool              `json:"custom"`
	Content          string            `json:"content"`
	CustomContent    *string           `json:"custom_content"`
	CustomUpdatedAt  *int64            `json:"custom_updated_at"`
	BuiltinContent   string            `json:"builtin_content"`
	BuiltinUpdatedAt int64             `json:"builtin_updated_at"`
	UpdatedAt        *int64            `json:"updated_at"`
	Placeholders     []placeholderView `json:"placeholders"`
}

// placeholderView describes a placeholder of a built-in text, which is a field in the form that
// fills in the text.
type placeholderView struct {
	Key      string `json:"key"`
	Label    string `json:"label"`
	Hint     string `json:"hint"`
	Example  string `json:"example"`
	Required bool   `json:"required"`
}

// viewTermsDocument returns the administrator's view of a document. The built-in text and the
// labels of the form are in the language that the query specifies.
func viewTermsDocument(r *web.Request, d *terms.Document, own *store.TermsDocument) termsDocumentView {
	language, _ := terms.LanguageFor(r.Query("locale"))
	text := d.In(language)
	v := termsDocumentView{
		Slug: d.Slug, Title: text.Title, Summary: text.Summary,
		Custom: own.Custom, Content: text.Content, CustomContent: web.OrNil(&own.Draft), CustomUpdatedAt: timeOrNil(own.DraftAt),
		BuiltinContent: text.Content, BuiltinUpdatedAt: d.Revised, UpdatedAt: timeOrNil(own.UpdatedAt),
		Placeholders: []placeholderView{},
	}
	if own.Effective() {
		v.Content = own.Draft
	}
	for _, p := range text.Placeholders {
		v.Placeholders = append(v.Placeholders, placeholderView{p.Key, p.Label, p.Hint, p.Example, p.Required})
	}
	return v
}

// timeOrNil returns a pointer to the given time in Unix seconds, or nil if the time is 0.
func timeOrNil(at int64) *int64 {
	if at == 0 {
		return nil
	}
	return &at
}

func (h *Handlers) listTermsDocuments(r *web.Request) (web.ListView, error) {
	return eachDocument(h, func(d *terms.Document, own *store.TermsDocument) termsDocumentView {
		return viewTermsDocument(r, d, own)
	})
}

func (h *Handlers) getTermsDocument(r *web.Request) (termsDocumentView, error) {
	return oneDocument(r, viewTermsDocument, func(s store.Setting[store.TermsDocument]) (*store.TermsDocument, error) {
		return web.GetSettings(r, h.DB, s)
	})
}

type termsInput struct {
	Custom  web.Optional[bool]   `json:"custom"`
	Content web.Optional[string] `json:"content"`
}

func (h *Handlers) updateTermsDocument(r *web.Request, in termsInput) (termsDocumentView, error) {
	p := web.Problems{Update: true}
	p.Flag("custom", in.Custom)
	p.Text("content", in.Content, web.TextRule{Max: maxDraft, Trim: true})
	if err := p.Err(); err != nil {
		return termsDocumentView{}, err
	}
	return oneDocument(r, viewTermsDocument, func(s store.Setting[store.TermsDocument]) (*store.TermsDocument, error) {
		return web.PutSettings(r, h.DB, s, func(_ *store.Tx, own *store.TermsDocument) {
			web.Set(&own.Custom, in.Custom)
			if in.Content.Sent {
				own.Draft = strings.TrimSpace(in.Content.Or(""))
			}
		})
	})
}

func (h *Handlers) resetTermsDocument(r *web.Request) (termsDocumentView, error) {
	return oneDocument(r, viewTermsDocument, func(s store.Setting[store.TermsDocument]) (*store.TermsDocument, error) {
		return web.DeleteSettings(r, h.DB, s)
	})
}

// oneDocument returns the view of the document in the path. It calls the function run to read or
// change the document's settings, which this function must return.
func oneDocument[V any](
	r *web.Request, view func(*web.Request, *terms.Document, *store.TermsDocument) V,
	run func(store.Setting[store.TermsDocument]) (*store.TermsDocument, error),
) (v V, err error) {
	d := terms.Find(r.Param("slug"))
	if d == nil {
		return v, fault.New(fault.NotFound, "there is no terms document %s", web.Quote(r.Param("slug")))
	}
	own, err := run(store.TermsSettings(d.Slug))
	if err != nil {
		return v, err
	}
	return view(r, d, own), nil
}

// eachDocument returns the views of all documents, in the order in which the terms package lists
// them.
func eachDocument[V any](h *Handlers, view func(*terms.Document, *store.TermsDocument) V) (web.ListView, error) {
	var list []V
	err := h.DB.View(func(tx *store.Tx) error {
		for _, d := range terms.All() {
			own, err := store.TermsSettings(d.Slug).Get(tx)
			if err != nil {
				return err
			}
			list = append(list, view(d, own))
		}
		return nil
	})
	return web.ListView{Data: list}, err
}
