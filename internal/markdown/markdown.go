// Package markdown renders the Markdown of people, GitHub's dialect of CommonMark, as HTML that may
// stand in any page: texts of projects, announcements, versions and terms documents.
package markdown

import (
	"bytes"
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const (
	// maxSource is how many bytes of Markdown are rendered. A longer text is shown as it was written.
	maxSource = 128 << 10

	// maxInline is how many bytes a paragraph or a line may have. The parser needs time that grows
	// with the square of them: 0.1 s for "*_ *_ …" of this length.
	maxInline = 16 << 10

	// maxMarks is how many marks that open a level may follow each other in a line. The
	// parser keeps every level open, so its time grows with the product of levels and lines.
	maxMarks = 64

	// outermost is the level of the highest heading: those above belong to the page around the text.
	outermost = 3

	linkRel = "nofollow noopener noreferrer"
)

// HTML renders Markdown.
//
// Headings begin at level 3 and leave no level out. Links lead to http, https, mailto or within the site, and tell nothing
// about the reader (rel="nofollow noopener noreferrer"). Pictures are loaded from https only, late
// and without referrer; others become links. Tags in the source are shown as text and comments not
// at all, so no element, attribute, id, class or style of an author gets into the page.
func HTML(source string) string { return nest(convert(source), outermost) }

// convert is HTML with the headings at the levels that the source gives them.
func convert(source string) string {
	source = strings.ToValidUTF8(source, "\uFFFD")
	if len(source) > maxSource || longLine(source) || deep.MatchString(source) {
		return plain(source)
	}
	var b strings.Builder
	if err := converter.Convert([]byte(source), &b); err != nil {
		return plain(source)
	}
	return policy.Sanitize(b.String())
}

func longLine(source string) bool {
	for line := range strings.Lines(source) {
		if len(line) > maxInline {
			return true
		}
	}
	return false
}

// plain is a text that is not rendered.
func plain(source string) string {
	return "<pre><code>" + html.EscapeString(strings.ReplaceAll(source, "\x00", "\uFFFD")) + "</code></pre>\n"
}

var (
	deep = regexp.MustCompile(fmt.Sprintf(`(?m)^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){%d}`, maxMarks))

	converter = goldmark.New(
		goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList),
		goldmark.WithParserOptions(
			parser.WithParagraphTransformers(
				util.Prioritized(paragraphs{}, 50), // before definitions of links, which are 100
				util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200),
			),
			parser.WithASTTransformers(
				util.Prioritized(extension.NewTableASTTransformer(), 0),
				util.Prioritized(rules{}, 1000),
			),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(
			util.Prioritized(texts{}, 100),
			// An attribute, because pages forbid style.
			util.Prioritized(extension.NewTableHTMLRenderer(
				extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
		)),
	)

	policy = newPolicy()
)

// newPolicy lists what converter makes, and nothing more: it holds when the converter errs.
func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "strong", "em", "del", "blockquote", "ul", "ol", "li",
		"pre", "code", "table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("start").Matching(regexp.MustCompile(`^\d{1,9}$`)).OnElements("ol")
	p.AllowAttrs("align").Matching(regexp.MustCompile(`^(left|center|right)$`)).OnElements("th", "td")

	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	p.RequireParseableURLs(true)
	p.AllowAttrs("href", "title").OnElements("a")
	p.AllowAttrs("rel").Matching(regexp.MustCompile("^" + linkRel + "$")).OnElements("a")

	p.AllowAttrs("src").Matching(regexp.MustCompile(`(?i)^https://`)).OnElements("img")
	p.AllowAttrs("alt", "title").OnElements("img")
	p.AllowAttrs("loading").Matching(regexp.MustCompile("^lazy$")).OnElements("img")
	p.AllowAttrs("referrerpolicy").Matching(regexp.MustCompile("^no-referrer$")).OnElements("img")
	return p
}

// paragraphs shows those that are too long as they were written.
type paragraphs struct{}

func (paragraphs) Transform(paragraph *ast.Paragraph, _ text.Reader, _ parser.Context) {
	lines, size := paragraph.Lines(), 0
	for i := range lines.Len() {
		line := lines.At(i)
		size += line.Len()
	}
	if size <= maxInline {
		return
	}
	code := ast.NewCodeBlock()
	code.SetLines(lines)
	paragraph.Parent().ReplaceChild(paragraph.Parent(), paragraph, code)
}

// tables leaves those alone whose short rows would be filled up with more cells than the text has
// bytes: a line of n columns and n short rows would make n² cells.
type tables struct{ parser.ParagraphTransformer }

func (t tables) Transform(paragraph *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, columns, size := paragraph.Lines(), 0, 0
	for i := range lines.Len() {
		line := lines.At(i)
		value := line.Value(reader.Source())
		columns, size = max(columns, bytes.Count(value, []byte("|"))), size+len(value)
	}
	if columns*lines.Len() <= size {
		t.ParagraphTransformer.Transform(paragraph, reader, pc)
	}
}

// rules changes the parsed text to what HTML says.
type rules struct{}

func (rules) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	source := reader.Source()
	var links, images, addresses []ast.Node
	// The function returns no error, so Walk has none.
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Link:
			if !entering { // inner nodes before outer ones
				links = append(links, n)
			}
		case *ast.Image:
			if !entering {
				images = append(images, n)
			}
		case *ast.AutoLink:
			if entering {
				addresses = append(addresses, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, node := range links {
		n := node.(*ast.Link)
		if insideLink(n) || !linkable(n.Destination) {
			unwrap(n)
			continue
		}
		if !n.HasChildren() { // a link needs a name
			n.AppendChild(n, ast.NewString(n.Destination))
		}
		n.SetAttributeString("rel", []byte(linkRel))
	}
	for _, node := range addresses {
		n := node.(*ast.AutoLink)
		if insideLink(n) || n.AutoLinkType == ast.AutoLinkURL && !linkable(n.URL(source)) {
			n.Parent().ReplaceChild(n.Parent(), n, ast.NewString(n.Label(source)))
			continue
		}
		n.SetAttributeString("rel", []byte(linkRel))
	}
	for _, node := range images {
		image(node.(*ast.Image))
	}
}

// image says how a picture is loaded. One that is not on an https server becomes a link, or its
// description where a link cannot be.
func image(n *ast.Image) {
	address, ok := parseAddress(n.Destination)
	switch {
	case ok && address.Scheme == "https" && address.Host != "":
		n.SetAttributeString("loading", []byte("lazy"))
		n.SetAttributeString("referrerpolicy", []byte("no-referrer"))
	case linkable(n.Destination) && !insideLink(n):
		link := ast.NewLink()
		link.Destination, link.Title = n.Destination, n.Title
		link.SetAttributeString("rel", []byte(linkRel))
		if !n.HasChildren() {
			n.AppendChild(n, ast.NewString(n.Destination))
		}
		for child := n.FirstChild(); child != nil; child = n.FirstChild() {
			link.AppendChild(link, child)
		}
		n.Parent().ReplaceChild(n.Parent(), n, link)
	default:
		unwrap(n)
	}
}

// linkable reports whether a link may lead to an address.
func linkable(destination []byte) bool {
	address, ok := parseAddress(destination)
	switch address.Scheme {
	case "http", "https", "mailto":
		return ok
	case "":
		return ok && address.String() != "" && address.String()[0] != '#' // headings have no ids
	}
	return false
}

// parseAddress reads a destination as the renderer writes it, which is not as it stands in the
// source: that may have a colon as an entity.
func parseAddress(destination []byte) (*url.URL, bool) {
	address, err := url.Parse(string(util.URLEscape(destination, true)))
	if err != nil {
		return &url.URL{}, false
	}
	return address, true
}

func insideLink(n ast.Node) bool {
	for parent := n.Parent(); parent != nil; parent = parent.Parent() {
		if parent.Kind() == ast.KindLink || parent.Kind() == ast.KindImage {
			return true
		}
	}
	return false
}

// unwrap puts the children of a node in its place.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child)
	}
	parent.RemoveChild(parent, n)
}

// texts renders what would be other elements as text.
type texts struct{}

func (texts) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindHTMLBlock, renderHTMLBlock)
	register.Register(ast.KindRawHTML, renderTag)
	register.Register(extast.KindTaskCheckBox, renderTask)
	register.Register(ast.KindFencedCodeBlock, renderCode)
	register.Register(ast.KindCodeBlock, renderCode)
}

// renderHTMLBlock shows a block of HTML as it was written. A comment is for those who read the source.
func renderHTMLBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.HTMLBlock)
	if !entering || n.HTMLBlockType == ast.HTMLBlockType2 {
		return ast.WalkSkipChildren, nil
	}
	_, _ = w.WriteString("<p>")
	writeLines(w, source, n.Lines())
	if n.HasClosure() {
		_, _ = w.Write(util.EscapeHTML(n.ClosureLine.Value(source)))
	}
	_, err := w.WriteString("</p>\n")
	return ast.WalkSkipChildren, err
}

func renderTag(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	segments := node.(*ast.RawHTML).Segments
	if !entering || strings.HasPrefix(string(segments.Value(source)), "<!--") {
		return ast.WalkSkipChildren, nil
	}
	writeLines(w, source, segments)
	return ast.WalkSkipChildren, nil
}

// renderTask shows a box as a character: a form field needs a label.
func renderTask(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	box := "☐ "
	if node.(*extast.TaskCheckBox).IsChecked {
		box = "☑ "
	}
	if entering {
		_, _ = w.WriteString(box)
	}
	return ast.WalkContinue, nil
}

// renderCode leaves the language of a block out, which nothing needs.
func renderCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		_, err := w.WriteString("</code></pre>\n")
		return ast.WalkContinue, err
	}
	_, _ = w.WriteString("<pre><code>")
	writeLines(w, source, node.Lines())
	return ast.WalkContinue, nil
}

func writeLines(w util.BufWriter, source []byte, lines *text.Segments) {
	for i := range lines.Len() {
		line := lines.At(i)
		_, _ = w.Write(util.EscapeHTML(line.Value(source)))
	}
}
