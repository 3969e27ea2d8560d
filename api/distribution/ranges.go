package distribution

import (
	"cmp"
	"slices"
	"strings"
)

// maxRanges limits the number of ranges in a request. With more, the whole file is sent.
// Differential updaters send hundreds.
const maxRanges = 1024

// span is a section of a file: length bytes from start.
type span struct{ start, length int64 }

// parseRange parses the Range headers of a request for a file of size bytes. It returns the spans
// to send, or none for the whole file. satisfiable is false if the request must be answered with
// 416.
//
// A single range outside of the file cannot be satisfied. Several ranges must all be valid, must
// not overlap, and must be smaller than the file together; otherwise the whole file is sent, as it
// is for anything that is not a byte range. RFC 9110 section 14.2 allows that.
func parseRange(headers []string, size int64) (spans []span, satisfiable bool) {
	if len(headers) != 1 {
		return nil, true
	}
	unit, list, found := strings.Cut(headers[0], "=")
	if !found || !strings.EqualFold(strings.TrimSpace(unit), "bytes") {
		return nil, true
	}

	bad := false // one of them is empty or outside of the file
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

// parseSpan parses one range: a-b, a- or -n. A range outside of the file has length 0.
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

// parseOffset parses digits. It returns the maximum for a number that is too large.
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

// total returns the total length of spans that do not overlap.
func total(spans []span) (n int64) {
	for _, s := range spans {
		n += s.length
	}
	return n
}
