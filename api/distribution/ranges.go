package distribution

import (
	"cmp"
	"slices"
	"strings"
)

// maxRanges limits the number of ranges in a request. If there are more, the response contains the
// whole file. Differential updaters request hundreds of ranges.
const maxRanges = 1024

// span is a section of a file: length bytes from start.
type span struct{ start, length int64 }

// parseRange parses the Range headers of a request for a file of size bytes. It returns the spans
// to send. If there are none, the whole file must be sent. satisfiable is false if the request must
// be answered with status 416.
//
// A single range cannot be satisfied if it lies outside of the file. Several ranges must all be
// valid and must not overlap, and their total length must be less than the size of the file.
// Otherwise the whole file is sent. The whole file is also sent if the header does not contain byte
// ranges. RFC 9110 section 14.2 allows that.
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

// parseSpan parses a single range of the form a-b, a- or -n. If the range lies outside of the file,
// the span has length 0. known is false if the text has another form.
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

// parseOffset parses a decimal number. A number that is too large for an int64 becomes the largest
// int64, which lies behind the end of every file. sent is false if text is empty.
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

// apart reports whether none of the spans overlap.
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

// total returns the sum of the lengths of spans.
func total(spans []span) (n int64) {
	for _, s := range spans {
		n += s.length
	}
	return n
}
