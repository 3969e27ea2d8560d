package api

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"svc/internal/fold"
	"svc/internal/platform"
)

// page is the part of a list that a client asked for.
type page struct{ limit, offset int }

// page reads limit (1..100, 20) and offset (0).
func (p *problems) page(r *request) page {
	return page{
		limit:  p.count(r, "limit", 20, 1, 100),
		offset: p.count(r, "offset", 0, 0, 1<<53),
	}
}

// count reads an integer from the query.
func (p *problems) count(r *request, name string, otherwise, least, most int) int {
	if !r.sent(name) {
		return otherwise
	}
	n, err := strconv.Atoi(r.query(name))
	switch {
	case err != nil || n < least:
		p.add("%s must be an integer of at least %d", name, least)
	case n > most:
		p.add("%s must be an integer of at most %d", name, most)
	}
	return n
}

// cut is the part of a list that is on a page.
func cut[T any](list []T, p page) []T {
	from := min(p.offset, len(list))
	return list[from:min(from+p.limit, len(list))]
}

// search reads the text to search for, folded; blank is none.
func (p *problems) search(r *request) string {
	text := strings.TrimSpace(r.query("search"))
	if utf8.RuneCountInString(text) > 128 {
		p.add("search must have at most 128 characters")
	}
	return strings.TrimSpace(fold.Text(text))
}

// choice reads a boolean filter; nil is no condition.
func (p *problems) choice(r *request, name string) *bool {
	yes, no := true, false
	switch r.query(name) {
	case "":
		return nil
	case "true", "1":
		return &yes
	case "false", "0":
		return &no
	}
	p.add("%s must be true, 1, false or 0", name)
	return nil
}

// platformFilter reads the platform filter; nil is no condition.
func (p *problems) platformFilter(r *request) *platform.Platform {
	text := r.query("platform")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	value, ok := platform.Parse(text)
	if !ok {
		p.add("platform must be one of %s", platformNames)
		return nil
	}
	return &value
}

// is reports whether a flag fits a filter.
func is(flag bool, wanted *bool) bool { return wanted == nil || flag == *wanted }
