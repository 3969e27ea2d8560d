package pages

import (
	"html/template"
	"net/http"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/terms"
	"svc/store"
)

// base returns the configured address of the site. If none is configured, it derives the address
// from the request.
func (h *Handlers) base(r *web.Request) string {
	return r.Origin(h.SiteURL)
}

// asPage returns a rendered page as a web.File.
func asPage(text string) *web.File {
	return web.NewFile(html[0], func() string { return text }, nil)
}

// effective returns the text of a terms document that is in effect, and the Unix time of its last
// change. The text is the administrator's draft if that is in effect, and otherwise the built-in
// text in language l.
func (h *Handlers) effective(d *terms.Document, l terms.Language) (text string, updated int64, err error) {
	own, err := store.Read(h.DB, func(tx *store.Tx) (*store.TermsDocument, error) { return store.TermsSettings(d.Slug).Get(tx) })
	if err != nil {
		return "", 0, err
	}
	if own.Effective() {
		return own.Draft, own.DraftAt, nil
	}
	return d.In(l).Content, d.Revised, nil
}

// terms serves a terms document. A document that still contains placeholders is not published,
// because it does not name the operator that is bound by it.
func (h *Handlers) terms(w http.ResponseWriter, r *web.Request) error {
	d := terms.Find(r.Param("slug"))
	if d == nil {
		return fault.New(fault.NotFound, "there is no terms document %s", web.Quote(r.Param("slug")))
	}
	tags, _ := wishes(r)
	language := pageLanguage(tags)
	content, updated, err := h.effective(d, language)
	if err != nil {
		return err
	}
	if !terms.Complete(content) {
		h.problem(w, r, http.StatusNotFound, func(t *words) string { return t.UnpublishedTitle },
			func(t *words) string { return t.UnpublishedText })
		return nil
	}
	builtin := d.In(language)
	l := h.layout(r, "/terms/"+d.Slug)
	l.Title, l.Description = builtin.Title, builtin.Summary
	text, err := render("terms", struct {
		layout
		Heading string
		Text    template.HTML
		Updated moment
	}{l, builtin.Title, prose(content, 1), l.T.moment(updated)})
	if err != nil {
		return err
	}
	return publish(w, r, asPage(text), noScripts)
}
