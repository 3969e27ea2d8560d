package pages

import (
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/openapi"
)

// keyHeader is the header that examples use for an API key.
const keyHeader = "X-API-Key"

// manual is the parsed description of the API and the texts that have been rendered from it.
type manual struct {
	*openapi.Document
	json  *web.File
	texts sync.Map // maps Markdown to HTML; it only contains texts of the description, so its size is limited
}

func newManual(description []byte) (*manual, error) {
	d, err := openapi.Read(description)
	if err != nil {
		return nil, err
	}
	return &manual{Document: d, json: web.NewFile("application/json", func() string { return string(d.JSON) }, nil)}, nil
}

// prose renders a Markdown text of the description to HTML and caches the result.
func (m *manual) prose(text string) template.HTML {
	if known, ok := m.texts.Load(text); ok {
		return known.(template.HTML)
	}
	rendered := prose(text, 1)
	m.texts.Store(text, rendered)
	return rendered
}

// referencePage is the data of a page of the API reference. It is the start page, the page of an
// operation or of a tag, or a page of search results.
type referencePage struct {
	layout
	manual    *manual
	Slug      string
	Tags      []tagView
	Operation *openapi.Operation
	Tag       *openapi.Tag
	Found     []*openapi.Operation // operations that have the tag or match the search
	Searched  bool
	Query     string
	Asked     string // language in the query, which links must preserve
	Suffix    string // query that selects the language Asked; appended to addresses
	About     string
	Schemes   []openapi.Scheme
	Curl      string
	Starts    []startView // examples on the start page
	Sent      *sentBody
}

type tagView struct {
	*openapi.Tag
	Count   int
	Current bool
}

// sentBody is the initial content of the request body in the form for sending a request. If Text is
// empty, the body is a file.
type sentBody struct{ Type, Text string }

// startView is an example on the start page of the reference.
type startView struct {
	Title string
	Curl  string
	*openapi.Operation
}

// starts returns examples of the two requests that most readers of the reference look for.
func (p *referencePage) starts(base string) []startView {
	var all []startView
	for _, s := range []struct{ title, id, path, body string }{
		{p.T.StartPublish, "publishVersion", "/admin/projects/my-app/versions/by-version/1.4.0",
			`{"comparable_version": "1.4.0", "is_latest": true, "download_url": "https://example.com/my-app-1.4.0.zip"}`},
		{p.T.StartCheck, "checkForUpdate", "/public/my-app/versions/check-update", `{"current_version": "1.3.0"}`},
	} {
		o := p.manual.Operation(s.id)
		if o == nil {
			continue
		}
		curl := "curl "
		if o.Method != http.MethodPost { // curl itself chooses POST if there is a body
			curl += "-X " + o.Method + " "
		}
		curl += base + "/api/v1" + s.path
		if len(o.Schemes) > 0 {
			curl += " \\\n  -H \"" + keyHeader + ": $SVC_KEY\""
		}
		all = append(all, startView{s.title, curl + " \\\n  --json '" + s.body + "'", o})
	}
	return all
}

// part combines a part of a page with the page for use in a template.
type part struct {
	Page *referencePage
	Of   any
}

// With combines the page with one of its parts.
func (p *referencePage) With(of any) part { return part{p, of} }

// With combines the page of p with another part.
func (p part) With(of any) part { return part{p.Page, of} }

// Prose renders a text of the description to HTML.
func (p *referencePage) Prose(text string) template.HTML { return p.manual.prose(text) }

// Line returns a text of the description as a single line of plain text.
func (p *referencePage) Line(text string) string { return plain(string(p.manual.prose(text))) }

// reference serves the API reference.
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
		p.Starts = p.starts(h.base(r))
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

// sample sets the fields of p that show how to call the operation o with curl and from the page.
// The parameter base is the address of the site.
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
	switch {
	case slices.ContainsFunc(o.Schemes, func(s openapi.Scheme) bool { return strings.HasPrefix(s.Header, keyHeader+":") }):
		b.WriteString(" \\\n  -H \"" + keyHeader + ": $SVC_KEY\"")
	case len(o.Schemes) > 0:
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

// serveOpenAPI responds with the description of the API as JSON.
func (h *Handlers) serveOpenAPI(w http.ResponseWriter, r *web.Request) error {
	m, err := h.manual()
	if err != nil {
		return err
	}
	m.json.Serve(w, r, web.ForMinutes)
	return nil
}
