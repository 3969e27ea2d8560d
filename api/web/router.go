package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"svc/internal/fault"
)

// Pattern is the method and the path of a route. A path segment that begins with a colon is a
// parameter, which matches one non-empty segment.
type Pattern struct{ Method, Path string }

// Router finds the route of a request. If several patterns match, they are compared at the first
// segment in which they differ, and the one with a static segment there takes precedence.
//
// httprouter does not allow a static segment where another route of the same method has a
// parameter, so there are several trees, and no two patterns in a tree can match the same path. A
// lookup first searches a map of the patterns without parameters, and then the trees. Each pattern
// is in an earlier tree than the patterns over which it takes precedence.
//
// Router never redirects. A route only matches its own method, except that GET routes also serve
// HEAD. A Router is immutable and safe for concurrent use.
type Router struct {
	static  map[Pattern]int
	longest int                  // length in bytes of the longest path in static
	trees   []*httprouter.Router // the most specific patterns first
}

// Params are the parameters of a matched path in order, each percent-decoded exactly once. A value
// may contain any character, including slashes and dots, so it must not be used as part of a path.
type Params []httprouter.Param

// get returns the parameter with the given name, without the colon, or "" if the pattern does not
// have it. The value of a matched parameter is never empty.
func (p Params) get(name string) string {
	return httprouter.Params(p).ByName(name)
}

// NewRouter returns a router for the given patterns. Lookup returns indexes into patterns.
// NewRouter returns an error if a pattern is malformed, if two patterns match the same paths, or if
// a parameter has different names in two patterns at the same position.
func NewRouter(patterns []Pattern) (*Router, error) {
	if err := checkPatterns(patterns); err != nil {
		return nil, err
	}
	r := &Router{static: map[Pattern]int{}}
	var general []*httprouter.Router
	levels := map[Pattern]int{}
	for i, p := range patterns {
		if !strings.Contains(p.Path, ":") {
			r.static[p], r.longest = i, max(r.longest, len(p.Path))
			continue
		}
		level := levelOf(patterns, p, levels)
		for len(general) <= level {
			general = append(general, httprouter.New())
		}
		general[level].Handle(p.Method, p.Path, reportHit(i))
	}
	slices.Reverse(general)
	r.trees = general
	return r, nil
}

// levelOf returns 0 for a pattern that takes precedence over no other, and otherwise one more than
// the highest level of those over which it takes precedence. Two patterns of one level never take
// precedence over each other. known holds the levels found so far.
func levelOf(patterns []Pattern, p Pattern, known map[Pattern]int) int {
	if level, ok := known[p]; ok {
		return level
	}
	level := 0
	for _, general := range patterns {
		if yields(general, p) {
			level = max(level, 1+levelOf(patterns, general, known))
		}
	}
	known[p] = level
	return level
}

// yields reports whether general yields to special. That is the case if general has a parameter and
// special is static at the first segment in which they differ. Two such patterns cannot be in the
// same tree. If both match a path, special takes precedence.
func yields(general, special Pattern) bool {
	if general.Method != special.Method {
		return false
	}
	g, s := general.Path, special.Path
	for g != "" && s != "" {
		var one, other string
		one, g = cutSegment(g)
		other, s = cutSegment(s)
		if one != other {
			return isParam(one) && !isParam(other)
		}
	}
	return false
}

// cutSegment splits a path after its first segment. It returns the segment without the leading
// slash.
func cutSegment(path string) (segment, rest string) {
	path = path[1:]
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

func isParam(segment string) bool { return strings.HasPrefix(segment, ":") }

// checkPatterns checks the patterns, so that httprouter cannot panic when they are registered in a
// tree.
func checkPatterns(patterns []Pattern) error {
	shapes := map[Pattern]string{} // maps method and path without parameter names to the path
	names := map[string]string{}   // maps the path up to a parameter, without names, to the name of the parameter
	for _, p := range patterns {
		if p.Method == "" || strings.ToUpper(p.Method) != p.Method {
			return fmt.Errorf("route %q %s: the method must be in capitals", p.Method, p.Path)
		}
		shape, err := checkPath(p.Path, names)
		if err != nil {
			return fmt.Errorf("route %s %s: %w", p.Method, p.Path, err)
		}
		key := Pattern{p.Method, shape}
		if same, ok := shapes[key]; ok {
			return fmt.Errorf("route %s %s: matches the same paths as %s", p.Method, p.Path, same)
		}
		shapes[key] = p.Path
	}
	return nil
}

// checkPath returns the path without the names of its parameters. It adds each name to the given
// map, with the path up to the parameter as the key.
func checkPath(path string, names map[string]string) (shape string, err error) {
	if path == "/" {
		return path, nil
	}
	if path == "" || path[0] != '/' {
		return "", fmt.Errorf("must begin with a slash")
	}
	own := map[string]bool{}
	for path != "" {
		var segment string
		segment, path = cutSegment(path)
		name := strings.TrimPrefix(segment, ":")
		if name == "" || strings.ContainsFunc(name, func(c rune) bool { return c > 0x7f || !unreserved(byte(c)) }) {
			return "", fmt.Errorf("segment %q must be of letters, digits and - . _ ~", segment)
		}
		if !isParam(segment) {
			shape += "/" + segment
			continue
		}
		shape += "/:"
		if known, ok := names[shape]; ok && known != name {
			return "", fmt.Errorf("parameter %q is called %q in other routes", name, known)
		}
		if own[name] {
			return "", fmt.Errorf("parameter %q occurs twice", name)
		}
		names[shape], own[name] = name, true
	}
	return shape, nil
}

// Lookup returns the index of the pattern that matches a request. escapedPath is the path in
// escaped form, as received. A single trailing slash is ignored. An escaped slash does not separate
// segments. For all other characters, it makes no difference whether they are escaped.
func (r *Router) Lookup(method, escapedPath string) (index int, p Params, ok bool) {
	path := "/" // the path of an address that consists only of a host
	if escapedPath != "" {
		path = decodeUnreserved(escapedPath)
	}
	if len(path) > 1 {
		path = strings.TrimSuffix(path, "/")
	}
	// A tree would take an empty segment for a parameter.
	if strings.Contains(path, "//") {
		return 0, nil, false
	}
	index, p, ok = r.find(method, path)
	if !ok && method == http.MethodHead {
		return r.find(http.MethodGet, path)
	}
	return index, p, ok
}

func (r *Router) find(method, path string) (int, Params, bool) {
	if len(path) <= r.longest {
		if i, ok := r.static[Pattern{method, path}]; ok {
			return i, nil, true
		}
	}
	var handle httprouter.Handle
	var list httprouter.Params
	for i := 0; handle == nil && i < len(r.trees); i++ {
		handle, list, _ = r.trees[i].Lookup(method, path)
	}
	if handle == nil {
		return 0, nil, false
	}
	for i := range list {
		value, err := url.PathUnescape(list[i].Value)
		if err != nil {
			return 0, nil, false
		}
		list[i].Value = value
	}
	var hit routeHit
	handle(&hit, nil, nil)
	return hit.index, Params(list), true
}

// routeHit receives the index of the route that httprouter has found. httprouter only returns the
// handler that was registered for a route. The router calls this handler, which then stores the
// index in the routeHit.
type routeHit struct {
	http.ResponseWriter
	index int
}

func reportHit(index int) httprouter.Handle {
	return func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		w.(*routeHit).index = index
	}
}

// decodeUnreserved decodes the escapes of unreserved characters (RFC 3986 section 2.3), which are
// equivalent to the characters themselves. Static segments consist only of unreserved characters.
// All other escapes remain, including the escape of %, so that each value can still be decoded
// exactly once. decodeUnreserved stops at a malformed escape, because decoding later escapes could
// turn it into a valid one.
func decodeUnreserved(path string) string {
	at := strings.IndexByte(path, '%')
	if at < 0 {
		return path
	}
	out := append(make([]byte, 0, len(path)), path[:at]...)
	for at < len(path) {
		if path[at] != '%' {
			out = append(out, path[at])
			at++
			continue
		}
		c, ok := unhex(path[at+1:])
		if !ok {
			return string(append(out, path[at:]...))
		}
		if unreserved(c) {
			out = append(out, c)
		} else {
			out = append(out, path[at:at+3]...)
		}
		at += 3
	}
	return string(out)
}

// unhex returns the value of the two hex digits at the beginning of text. It accepts upper and
// lower case.
func unhex(text string) (value byte, ok bool) {
	if len(text) < 2 {
		return 0, false
	}
	for _, c := range []byte(text[:2]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		value = value<<4 | c
	}
	return value, true
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// ErrNoPath rejects a request that has no route, or has one that must be hidden from the caller.
var ErrNoPath = error(fault.New(fault.NotFound, "no such path or method"))
