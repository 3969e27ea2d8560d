package feed

import "time"

// Syndication is a feed for feed readers.
type Syndication struct {
	ID      string // URN of a UUID
	Title   string
	Author  string
	Link    string // address of the web page with the same content
	Self    string // address of the feed
	Updated int64  // Unix seconds
	Entries []Entry
}

// Entry is an entry of a feed.
type Entry struct {
	ID                 string // URN of a UUID
	Title              string
	Author             string // "" = the author of the feed
	Link               string
	Published, Updated int64  // Unix seconds
	HTML               string // sanitised
	Enclosures         []Enclosure
}

// Enclosure is a file that belongs to an entry.
type Enclosure struct {
	URL  string
	Type string // media type
	Size *int64 // bytes; nil = not known
}

// Atom returns the feed in the Atom format of RFC 4287.
func (s Syndication) Atom() []byte {
	var x document
	x.WriteString(xmlHead + `<feed xmlns="http://www.w3.org/2005/Atom">` + "\n")
	x.text("id", s.ID)
	x.text("title", s.Title)
	x.text("updated", utc(s.Updated).Format(time.RFC3339))
	x.author(s.Author)
	x.empty("link", "rel", "self", "type", "application/atom+xml", "href", s.Self)
	x.empty("link", "rel", "alternate", "type", "text/html", "href", s.Link)
	for _, e := range s.Entries {
		x.open("entry")
		x.text("id", e.ID)
		x.text("title", e.Title)
		x.text("updated", utc(e.Updated).Format(time.RFC3339))
		x.text("published", utc(e.Published).Format(time.RFC3339))
		if e.Author != "" {
			x.author(e.Author)
		}
		x.empty("link", "rel", "alternate", "type", "text/html", "href", e.Link)
		for _, f := range e.Enclosures {
			attributes := []string{"rel", "enclosure", "type", f.Type, "href", f.URL}
			if f.Size != nil {
				attributes = append(attributes, "length", decimal(*f.Size))
			}
			x.empty("link", attributes...)
		}
		x.WriteString(`<content type="html">` + escaped(e.HTML) + "</content>\n")
		x.close("entry")
	}
	x.WriteString("</feed>\n")
	return x.Bytes()
}

// RSS returns the feed in the format RSS 2.0.
func (s Syndication) RSS() []byte {
	var x document
	x.WriteString(xmlHead + `<rss version="2.0">` + "\n")
	x.open("channel")
	x.text("title", s.Title)
	x.text("link", s.Link)
	x.text("description", s.Title)
	x.text("lastBuildDate", utc(s.Updated).Format(rssDate))
	for _, e := range s.Entries {
		x.open("item")
		x.text("title", e.Title)
		x.text("link", e.Link)
		x.WriteString(`<guid isPermaLink="false">` + escaped(e.ID) + "</guid>\n")
		x.text("pubDate", utc(e.Published).Format(rssDate))
		if e.HTML != "" {
			x.WriteString("<description>" + cdata(e.HTML) + "</description>\n")
		}
		for _, f := range e.Enclosures {
			length := "0" // RSS demands a length, and 0 stands for an unknown one
			if f.Size != nil {
				length = decimal(*f.Size)
			}
			x.empty("enclosure", "url", f.URL, "length", length, "type", f.Type)
		}
		x.close("item")
	}
	x.close("channel")
	x.WriteString("</rss>\n")
	return x.Bytes()
}
