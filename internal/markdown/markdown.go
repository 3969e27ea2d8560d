// Package markdown renders Markdown that users have written, in GitHub's dialect of
// CommonMark, as HTML that is safe in any page. It is used for the texts of projects,
// announcements, versions and terms documents.
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
	// maxSource is the maximum size, in bytes, of a text that is rendered. A longer text is
	// shown as plain text.
	maxSource = 128 << 10

	// maxInline is the maximum size, in bytes, of a paragraph or a line that is rendered.
	// The time that the parser takes grows with the square of that size: with this size, "*_
	// *_ …" takes 0.1 s.
	maxInline = 16 << 10

	// maxMarks is the maximum number of consecutive marks in a line that each open a level
	// of nesting. The parser keeps all levels open, so the time that it takes grows with the
	// product of levels and lines.
	maxMarks = 64

	// outermost is the highest level of headings in the output. Higher levels belong to the
	// page around the text.
	outermost = 3

	linkRel = "nofollow noopener noreferrer"
)

// HTML renders Markdown.
//
// Headings begin at level 3, and no level is skipped. Links may only lead to http, https,
// mailto or a place within the site. They reveal nothing about the reader (rel="nofollow
// noopener noreferrer"). Images are loaded only over https, lazily and without a
// referrer. Other images become links. Tags in the source are shown as text and comments
// are omitted, so that authors cannot add elements, attributes, IDs, classes or styles to
// the page.
func HTML(source string) string { return nest(convert(source), outermost) }

// convert renders Markdown. Headings keep their levels.
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

// plain returns HTML that shows a text as preformatted plain text.
func plain(source string) string {
	return "<pre><code>" + html.EscapeString(strings.ReplaceAll(source, "\x00", "\uFFFD")) + "</code></pre>\n"
}

var (
	deep = regexp.MustCompile(fmt.Sprintf(`(?m)^(?:[ \t]*(?:>|[-+*][ \t]|\d{1,9}[.)][ \t])){%d}`, maxMarks))

	converter = goldmark.New(
		goldmark.WithExtensions(extension.Linkify, extension.Strikethrough, extension.TaskList),
		goldmark.WithParserOptions(
			parser.WithParagraphTransformers(
				util.Prioritized(paragraphs{}, 50), // before the link reference definitions, which have priority 100
				util.Prioritized(tables{extension.NewTableParagraphTransformer()}, 200),
			),
			parser.WithASTTransformers(
				util.Prioritized(extension.NewTableASTTransformer(), 0),
				util.Prioritized(rules{}, 1000),
			),
		),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(
			util.Prioritized(texts{}, 100),
			// as an attribute, because the policy of the pages forbids style
			util.Prioritized(extension.NewTableHTMLRenderer(
				extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), 500),
		)),
	)

	policy = newPolicy()
)

// newPolicy returns a policy for the sanitizer that allows exactly the elements that the variable
// converter produces. The sanitizer protects against errors in the converter.
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

// paragraphs is a transformer that shows a paragraph as plain text if it is longer than maxInline.
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

// tables is a transformer for tables. It does not transform a table if padding its short
// rows would produce more cells than the text has bytes. Otherwise a line of n columns
// and n short rows would produce n² cells.
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

// rules is a transformer that applies to the parsed text the rules for links and images in the
// comment of the function HTML.
type rules struct{}

func (rules) Transform(document *ast.Document, reader text.Reader, _ parser.Context) {
	source := reader.Source()
	var links, images, addresses []ast.Node
	// the function never returns an error, so neither does Walk
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := node.(type) {
		case *ast.Link:
			if !entering { // process inner nodes before outer ones
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
		if !n.HasChildren() { // a link without text would be invisible
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

// image determines how an image is loaded. An image that is not loaded over https becomes
// a link or, where a link is not possible, its description.
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

// linkable reports whether a link may lead to a destination.
func linkable(destination []byte) bool {
	address, ok := parseAddress(destination)
	switch address.Scheme {
	case "http", "https", "mailto":
		return ok
	case "":
		return ok && address.String() != "" && address.String()[0] != '#' // a fragment leads nowhere, because headings have no ids
	}
	return false
}

// parseAddress parses a destination after it has brought it into the form that the renderer
// writes. The source can contain another form, for example with a colon written as an entity.
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

// unwrap replaces a node with its children.
func unwrap(n ast.Node) {
	parent := n.Parent()
	for child := n.FirstChild(); child != nil; child = n.FirstChild() {
		parent.InsertBefore(parent, n, child)
	}
	parent.RemoveChild(parent, n)
}

// texts is a renderer for elements, such as HTML tags, that are not allowed on a page. It shows
// them as plain text. It also renders code blocks.
type texts struct{}

func (texts) RegisterFuncs(register renderer.NodeRendererFuncRegisterer) {
	register.Register(ast.KindHTMLBlock, renderHTMLBlock)
	register.Register(ast.KindRawHTML, renderTag)
	register.Register(extast.KindTaskCheckBox, renderTask)
	register.Register(ast.KindFencedCodeBlock, renderCode)
	register.Register(ast.KindCodeBlock, renderCode)
}

// renderHTMLBlock shows a block of HTML as text. It leaves out comments, which are for
// readers of the source.
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

// renderTask shows the check box of a task as a character, because a form field would
// need a label.
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

// renderCode renders a code block without the name of its language, which is not used.
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
