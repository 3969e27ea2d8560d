package web

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"svc/internal/platform"
	"svc/internal/searchtext"
)

// Page is the part of a list that a client asked for.
type Page struct{ Limit, Offset int }

// Page reads limit (1 to 100, default 20) and offset (default 0) from the query.
func (p *Problems) Page(r *Request) Page {
	return Page{
		Limit:  p.Count(r, "limit", 20, 1, 100),
		Offset: p.Count(r, "offset", 0, 0, 1<<53),
	}
}

// Sort is the order of a list that a client asked for.
type Sort struct {
	By        string // a field, or "" for the default order of the list
	Ascending bool
}

// Sort reads the parameters sort and order from the query. The value of sort must be one of the
// given fields.
func (p *Problems) Sort(r *Request, fields ...string) (s Sort) {
	if s.By = r.Query("sort"); s.By != "" && !slices.Contains(fields, s.By) {
		p.Add("sort must be one of %s", strings.Join(fields, ", "))
	}
	switch order := r.Query("order"); {
	case order != "" && order != "asc" && order != "desc":
		p.Add("order must be asc or desc")
	case order != "" && s.By == "":
		p.Add("order needs sort, which must be one of %s", strings.Join(fields, ", "))
	default:
		s.Ascending = order == "asc"
	}
	return s
}

// Count reads the parameter with the given name, an integer in the range [least, most], from the
// query. If it was not sent, Count returns the default, which is the parameter otherwise.
func (p *Problems) Count(r *Request, name string, otherwise, least, most int) int {
	if !r.Sent(name) {
		return otherwise
	}
	n, err := strconv.Atoi(r.Query(name))
	switch {
	case err != nil || n < least:
		p.Add("%s must be an integer of at least %d", name, least)
	case n > most:
		p.Add("%s must be an integer of at most %d", name, most)
	}
	return n
}

// PageOf returns the elements of list that are on page p.
func PageOf[T any](list []T, p Page) []T {
	from := min(p.Offset, len(list))
	return list[from:min(from+p.Limit, len(list))]
}

// Search reads the search text from the query and returns it as normalized by searchtext.Text. The
// result is "" if the text is blank.
func (p *Problems) Search(r *Request) string {
	text := strings.TrimSpace(r.Query("search"))
	if utf8.RuneCountInString(text) > 128 {
		p.Add("search must have at most 128 characters")
	}
	return strings.TrimSpace(searchtext.Text(text))
}

// Bool reads a boolean filter from the query. It returns nil if the filter is not set.
func (p *Problems) Bool(r *Request, name string) *bool {
	yes, no := true, false
	switch r.Query(name) {
	case "":
		return nil
	case "true", "1":
		return &yes
	case "false", "0":
		return &no
	}
	p.Add("%s must be true, 1, false or 0", name)
	return nil
}

// PlatformFilter reads the platform filter from the query. It returns nil if the filter is not set.
func (p *Problems) PlatformFilter(r *Request) *platform.Platform {
	text := r.Query("platform")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	value, ok := platform.Parse(text)
	if !ok {
		p.Add("platform must be one of %s", platformNames)
		return nil
	}
	return &value
}

// Fits reports whether a flag matches a filter. A nil filter matches every flag.
func Fits(flag bool, wanted *bool) bool { return wanted == nil || flag == *wanted }
