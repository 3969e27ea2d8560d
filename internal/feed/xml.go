package feed

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"

	"svc/internal/markdown"
)

// document is an XML document that is being written as text, because encoding/xml cannot write
// prefixed names or CDATA as clients expect them.
type document struct{ bytes.Buffer }

const xmlHead = `<?xml version="1.0" encoding="utf-8"?>` + "\n"

// rssDate is the layout of dates in RSS. Sparkle reads only English names and numeric time zones.
const rssDate = "Mon, 02 Jan 2006 15:04:05 -0700"

// sparkleNamespace is the XML namespace of Sparkle's elements. Clients compare it as text.
const sparkleNamespace = "http://www.andymatuschak.org/xml-namespaces/sparkle"

// Appcast is the head of a feed of Sparkle or WinSparkle.
type Appcast struct {
	Title string // name of the project
	Link  string // address of the project's page
}

func newAppcast(head Appcast) *document {
	x := &document{}
	x.WriteString(xmlHead + `<rss version="2.0" xmlns:sparkle="` + sparkleNamespace + `">` + "\n")
	x.open("channel")
	x.text("title", head.Title)
	x.text("link", head.Link)
	return x
}

// endAppcast closes the elements that newAppcast has opened, and returns the document.
func (x *document) endAppcast() []byte {
	x.close("channel")
	x.WriteString("</rss>\n")
	return x.Bytes()
}

func (x *document) open(name string)  { x.WriteString("<" + name + ">\n") }
func (x *document) close(name string) { x.WriteString("</" + name + ">\n") }

func (x *document) text(name, text string) {
	x.WriteString("<" + name + ">" + escaped(text) + "</" + name + ">\n")
}

// empty writes an element without content. attributes contains names, each followed by its value.
func (x *document) empty(name string, attributes ...string) {
	x.WriteString("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		x.WriteString(" " + attributes[i] + `="` + escaped(attributes[i+1]) + `"`)
	}
	x.WriteString("/>\n")
}

func (x *document) author(name string) {
	x.open("author")
	x.text("name", name)
	x.close("author")
}

// head writes the elements that an item for Sparkle and one for WinSparkle have in common. The
// parameter version is the text that the updater compares.
func (x *document) head(v *Release, version string) {
	title, notes := v.named()
	x.text("title", title)
	x.text("pubDate", utc(v.Date).Format(rssDate))
	x.text("sparkle:version", version)
	x.text("sparkle:shortVersionString", v.Version)
	if notes != "" {
		x.WriteString("<description>" + cdata(markdown.HTML(notes)) + "</description>\n")
	}
}

// cdata returns a text as a CDATA section. A text that contains ]]>, the end of a section, is split
// into several sections.
func cdata(text string) string {
	return "<![CDATA[" + strings.ReplaceAll(allowed(text), "]]>", "]]]]><![CDATA[>") + "]]>"
}

// allowed returns a text without the characters that XML 1.0 forbids.
func allowed(text string) string {
	return strings.Map(func(c rune) rune {
		if c == '\t' || c == '\n' || c == '\r' || c >= 0x20 && c <= 0xd7ff || c >= 0xe000 && c <= 0xfffd || c >= 0x10000 {
			return c
		}
		return -1
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(allowed(text))) // a strings.Builder returns no error
	return b.String()
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }
