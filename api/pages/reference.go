package pages

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/openapi"
)

// manual is the description of the interface, made ready for pages.
type manual struct {
	*openapi.Document
	json  *web.File
	texts sync.Map // Markdown to HTML; of the description alone
}

func newManual(description []byte) (*manual, error) {
	d, err := openapi.Read(description)
	if err != nil {
		return nil, err
	}
	return &manual{Document: d, json: web.NewFile("application/json", func() string { return string(d.JSON) }, nil)}, nil
}

// prose renders a text of the description, once.
func (m *manual) prose(text string) template.HTML {
	if known, ok := m.texts.Load(text); ok {
		return known.(template.HTML)
	}
	rendered := prose(text, 1)
	m.texts.Store(text, rendered)
	return rendered
}

// referencePage is a page of the API reference: of an operation, of a tag, the results of a
// search, or the first one.
type referencePage struct {
	layout
	manual    *manual
	Slug      string
	Tags      []tagView
	Operation *openapi.Operation
	Tag       *openapi.Tag
	Found     []*openapi.Operation // of the tag, or by the search
	Searched  bool
	Query     string
	Asked     string // the language in the query, to be kept
	Suffix    string // the same, of addresses
	About     string
	Schemes   []openapi.Scheme
	Curl      string
	Sent      *sentBody
}

type tagView struct {
	*openapi.Tag
	Count   int
	Current bool
}

// sentBody is the body of a request to begin with. One without a text is a file.
type sentBody struct{ Type, Text string }

// part is a part of a page, with the page around it.
type part struct {
	Page *referencePage
	Of   any
}

// With is a part of a page for a template.
func (p *referencePage) With(of any) part { return part{p, of} }

// With is another part of the same page.
func (p part) With(of any) part { return part{p.Page, of} }

// Prose is a text of the description as HTML.
func (p *referencePage) Prose(text string) template.HTML { return p.manual.prose(text) }

// Line is a text of the description in one line, without marks.
func (p *referencePage) Line(text string) string { return plain(string(p.manual.prose(text))) }

// reference shows the API reference.
func (h *Handlers) reference(w http.ResponseWriter, r *web.Request) error {
	m, err := h.manual()
	if err != nil {
		return err
	}
	slug := r.Param("slug")
	at := "/doc"
	if slug != "" {
		at += "/" + url.PathEscape(slug)
	}
	p := referencePage{layout: h.layout(r, at), manual: m, Slug: slug, About: m.Description, Schemes: m.Schemes}
	p.Reference = true
	p.Title, p.Asked = p.T.Reference, r.Query("locale")
	if p.Asked != "" {
		p.Suffix = "?locale=" + url.QueryEscape(p.Asked)
	}
	switch {
	case slug == "" && strings.TrimSpace(r.Query("q")) != "":
		p.Hidden, p.Searched, p.Query = true, true, r.Query("q")
		p.Found = m.Search(p.Query)
	case slug == "":
	case m.Operation(slug) != nil:
		o := m.Operation(slug)
		p.Operation, p.Title = o, o.Summary+" · "+p.T.Reference
		p.Description = p.Line(o.Description)
		p.sample(o, h.base(r))
	case m.Tag(slug) != nil:
		t := m.Tag(slug)
		p.Tag, p.Found, p.Title = t, t.Operations, t.Name+" · "+p.T.Reference
		p.Description = p.Line(t.Description)
	default:
		return fault.New(fault.NotFound, "there is no operation %s", web.Quote(slug))
	}
	for _, t := range m.Tags {
		p.Tags = append(p.Tags, tagView{t, len(t.Operations), t == p.Tag || p.Operation != nil && p.Operation.Tag == t})
	}
	text, err := render("reference", &p)
	if err != nil {
		return err
	}
	return publish(w, r, asPage(text), ownScripts)
}

// sample fills in how to send a request, by hand and on the page.
func (p *referencePage) sample(o *openapi.Operation, base string) {
	var b strings.Builder
	b.WriteString("curl ")
	if o.Method != http.MethodGet {
		b.WriteString("-X " + o.Method + " ")
	}
	path := o.Path
	for _, f := range o.Parameters {
		if f.In == "path" && f.Example != "" {
			path = strings.ReplaceAll(path, "{"+f.Name+"}", url.PathEscape(f.Example))
		}
	}
	b.WriteString("'" + base + path + "'")
	if len(o.Schemes) > 0 {
		b.WriteString(" \\\n  -H \"Authorization: Bearer $TOKEN\"")
	}
	if len(o.Body) > 0 {
		body := o.Body[0]
		p.Sent = &sentBody{Type: body.Type}
		if len(body.Examples) > 0 {
			p.Sent.Text = body.Examples[0].Text
			b.WriteString(" \\\n  --json '" + strings.ReplaceAll(p.Sent.Text, "'", `'\''`) + "'")
		} else {
			b.WriteString(" \\\n  -H 'Content-Type: " + body.Type + "' --data-binary @file")
		}
	}
	p.Curl = b.String()
}

// serveOpenAPI answers with the description of the interface as JSON.
func (h *Handlers) serveOpenAPI(w http.ResponseWriter, r *web.Request) error {
	m, err := h.manual()
	if err != nil {
		return err
	}
	m.json.Serve(w, r, web.ForMinutes)
	return nil
}
