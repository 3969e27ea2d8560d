package svcsdk

import (
	"context"
	"net/http"
)

// ListTerms lists the terms documents. privacy-policy first, then sdk-compliance.
func (p *Public) ListTerms(ctx context.Context, opts *ReadOptions) (*List[TermsSummary], error) {
	return fetch[List[TermsSummary]](ctx, p.call(http.MethodGet, "/public/terms").where(opts))
}

// GetTerms reads a terms document. The text of the operator if there is one and it is switched on,
// in the language it is written in; otherwise the built-in text, in which {{ key }} stands for
// what the operator has not filled in.
func (p *Public) GetTerms(ctx context.Context, slug string, opts *ReadOptions) (*Terms, error) {
	return fetch[Terms](ctx, p.call(http.MethodGet, "/public/terms/{slug}", slug).where(opts))
}

// ListTermsDocuments lists the terms documents with their built-in texts and drafts.
func (a *Admin) ListTermsDocuments(ctx context.Context) (*List[TermsDocument], error) {
	return fetch[List[TermsDocument]](ctx, a.call(http.MethodGet, "/admin/terms/documents"))
}

// GetTermsDocument reads a terms document with its built-in text and draft.
func (a *Admin) GetTermsDocument(ctx context.Context, slug string) (*TermsDocument, error) {
	return fetch[TermsDocument](ctx, a.call(http.MethodGet, "/admin/terms/documents/{slug}", slug))
}

// UpdateTermsDocument saves a draft, or switches between the draft and the built-in text.
// Switching never changes the time that readers see: it is that of the text.
func (a *Admin) UpdateTermsDocument(ctx context.Context, slug string, in TermsDocumentFields) (*TermsDocument, error) {
	return fetch[TermsDocument](ctx, a.call(http.MethodPut, "/admin/terms/documents/{slug}", slug).body(in))
}

// ResetTermsDocument drops the draft and show the built-in text.
func (a *Admin) ResetTermsDocument(ctx context.Context, slug string) (*TermsDocument, error) {
	return fetch[TermsDocument](ctx, a.call(http.MethodDelete, "/admin/terms/documents/{slug}", slug))
}

// TermsSummary is a terms document without its text.
type TermsSummary struct {
	// Which document it is.
	Slug string `json:"slug"`
	// Its title, in the language asked for.
	Title string `json:"title"`
	// What it is about, in a sentence.
	Summary string `json:"summary"`
	// Whether the text is the built-in one or that of the operator.
	Source string `json:"source"`
	// When the text was last changed.
	UpdatedAt int64 `json:"updated_at"`
	// Only present when there is no built-in text in the language asked for; a sentence that says so.
	LocaleMessage string `json:"locale_message,omitempty"`
}

// Terms is a terms document.
type Terms struct {
	// Which document it is.
	Slug string `json:"slug"`
	// Its title, in the language asked for.
	Title string `json:"title"`
	// What it is about, in a sentence.
	Summary string `json:"summary"`
	// Whether the text is the built-in one or that of the operator.
	Source string `json:"source"`
	// When the text was last changed.
	UpdatedAt int64 `json:"updated_at"`
	// Only present when there is no built-in text in the language asked for; a sentence that says so.
	LocaleMessage string `json:"locale_message,omitempty"`
	// The text, in Markdown.
	Content string `json:"content"`
}

// TermsDocument is a terms document with its built-in text and draft.
type TermsDocument struct {
	// Which document it is.
	Slug string `json:"slug"`
	// Its title, in the language asked for.
	Title string `json:"title"`
	// What it is about, in a sentence.
	Summary string `json:"summary"`
	// Whether the draft is shown, if there is one.
	Custom bool `json:"custom"`
	// What people read at the moment.
	Content string `json:"content"`
	// The draft, in Markdown; it stays while `custom` is off.
	CustomContent *string `json:"custom_content"`
	// When the text of the draft last changed.
	CustomUpdatedAt *int64 `json:"custom_updated_at"`
	// The built-in text, in the language asked for.
	BuiltinContent string `json:"builtin_content"`
	// Revision of the built-in text.
	BuiltinUpdatedAt int64 `json:"builtin_updated_at"`
	// When it was last saved; null before and after a reset.
	UpdatedAt *int64 `json:"updated_at"`
	// The keys in the built-in text, each once, in the order in which they first appear.
	Placeholders []TermsPlaceholder `json:"placeholders"`
}

// TermsPlaceholder is a word of a terms document that the operator fills in.
type TermsPlaceholder struct {
	// What the text has between `{{` and `}}`.
	Key string `json:"key"`
	// Name of the field in a form, in the language asked for.
	Label string `json:"label"`
	// What belongs there.
	Hint string `json:"hint"`
	// A value as it may be.
	Example string `json:"example"`
	// Whether the text is incomplete without it.
	Required bool `json:"required"`
}

// TermsDocumentFields are the fields of a terms document that change.
type TermsDocumentFields struct {
	// Whether the draft is shown, if there is one.
	Custom *bool `json:"custom,omitempty"`
	// The draft, in Markdown. Trimmed; blank drops it.
	Content Opt[string] `json:"content,omitzero"`

	// Extra fields are merged into the body last.
	Extra map[string]any `json:"-"`
}
