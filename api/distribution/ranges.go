package distribution

import (
	"cmp"
	"slices"
	"strings"
)

// maxRanges is how many ranges a request may ask for; with more it gets the whole
// file. Differential updaters send hundreds.
const maxRanges = 1024

// span is a part of a file: length bytes from start.
type span struct{ start, length int64 }

// parseRange reads the Range headers of a request for a file of size bytes. It
// answers with the parts to send, none for the whole file, or that there are none
// to send.
//
// One range that asks for nothing there is cannot be satisfied. Of several, all must
// be good, none may overlap, and together they must be smaller than the file;
// otherwise the whole file is the answer, as it is for what is no range of bytes at
// all. RFC 9110 section 14.2 lets a server choose so.
func parseRange(headers []string, size int64) (spans []span, satisfiable bool) {
	if len(headers) != 1 {
		return nil, true
	}
	unit, list, found := strings.Cut(headers[0], "=")
	if !found || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		return nil, true
	}

	bad := false // one of them asks for nothing
	for item := range strings.SplitSeq(list, ",") {
		if item = strings.Trim(item, " \t"); item == "" {
			continue // RFC 9110 section 5.6.1.2
		}
		s, known := parseSpan(item, size)
		if !known || len(spans) == maxRanges {
			return nil, true
		}
		bad = bad || s.length == 0
		spans = append(spans, s)
	}
	switch {
	case len(spans) == 0:
		return nil, true
	case len(spans) == 1:
		return spans, !bad
	case bad || !apart(spans) || total(spans) >= size:
		return nil, true
	}
	return spans, true
}

// parseSpan reads one range: a-b, a- or -n. One that asks for nothing there is has
// no length.
func parseSpan(text string, size int64) (s span, known bool) {
	from, to, found := strings.Cut(text, "-")
	from, to = strings.TrimRight(from, " \t"), strings.TrimLeft(to, " \t")
	start, hasStart, numeric := parseOffset(from)
	end, hasEnd, numericEnd := parseOffset(to)
	if !found || !numeric || !numericEnd || !hasStart && !hasEnd {
		return span{}, false
	}
	if !hasStart { // the last bytes
		n := min(end, size)
		return span{size - n, n}, true
	}
	if !hasEnd {
		end = size - 1
	}
	end = min(end, size-1)
	if start >= size || end < start {
		return span{}, true
	}
	return span{start, end - start + 1}, true
}

// parseOffset reads digits. A number too large for a file is the largest there is.
func parseOffset(text string) (n int64, sent, ok bool) {
	const largest = 1<<63 - 1
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, true, false
		}
		if n > (largest-9)/10 {
			n = largest
			continue
		}
		n = n*10 + int64(c-'0')
	}
	return n, text != "", true
}

// apart reports whether no two spans overlap.
func apart(spans []span) bool {
	sorted := slices.Clone(spans)
	slices.SortFunc(sorted, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	for i := range sorted[1:] {
		if sorted[i].start+sorted[i].length > sorted[i+1].start {
			return false
		}
	}
	return true
}

// total is how many bytes spans that do not overlap have.
func total(spans []span) (n int64) {
	for _, s := range spans {
		n += s.length
	}
	return n
}
