package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/julienschmidt/httprouter"

	"svc/internal/fault"
)

// Pattern is a route as the router sees it. A segment of the path that begins
// with a colon is a parameter and matches one segment that is not empty.
type Pattern struct{ Method, Path string }

// Router finds the route of a request. If several patterns match, the one that is static at the
// first segment in which they differ takes precedence.
//
// httprouter does not allow a static segment where another route of the same method has a
// parameter, so there are three steps. Patterns without parameters are in a map. Patterns that
// would collide with a more general one are in a narrow tree, which is searched first. All others
// are in a wide tree.
//
// Router never redirects. A method without a route is no match, except that GET routes serve HEAD.
// It is immutable and safe for concurrent use.
type Router struct {
	static       map[Pattern]int
	longest      int // of the paths in static, in bytes
	narrow, wide *httprouter.Router
}

// Params are the parameters of a matched path in order, each percent-decoded
// exactly once. A value may hold any character, slashes and dots included: it
// is a value, never a part of a path.
type Params []httprouter.Param

// get returns a parameter by its name without the colon, or "" if the pattern has none. A matched
// value is never empty.
func (p Params) get(name string) string {
	return httprouter.Params(p).ByName(name)
}

// NewRouter returns the router of all patterns. Lookup returns their indexes. The error is for a
// pattern that is not well formed, for two that match the same paths, for a parameter that has
// another name in another pattern at the same place, and for patterns that three steps cannot
// separate.
func NewRouter(patterns []Pattern) (*Router, error) {
	if err := checkPatterns(patterns); err != nil {
		return nil, err
	}
	r := &Router{static: map[Pattern]int{}, narrow: httprouter.New(), wide: httprouter.New()}
	var narrow []Pattern
	for i, p := range patterns {
		switch {
		case !strings.Contains(p.Path, ":"):
			r.static[p], r.longest = i, max(r.longest, len(p.Path))
		case yieldsAny(patterns, p):
			for _, q := range narrow {
				if yields(p, q) || yields(q, p) {
					return nil, fmt.Errorf("route %s %s collides with %s: both are already exceptions to a more general one", p.Method, p.Path, q.Path)
				}
			}
			narrow = append(narrow, p)
			r.narrow.Handle(p.Method, p.Path, reportHit(i))
		default:
			r.wide.Handle(p.Method, p.Path, reportHit(i))
		}
	}
	return r, nil
}

// yieldsAny reports whether some pattern with parameters has to yield to p.
func yieldsAny(patterns []Pattern, p Pattern) bool {
	for _, general := range patterns {
		if yields(general, p) {
			return true
		}
	}
	return false
}

// yields reports whether general has a parameter where special, equal up to
// there, is static. Such two cannot be in one tree, and a path that both match
// belongs to special.
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

// cutSegment splits a path after its first segment, which comes without its
// slash.
func cutSegment(path string) (segment, rest string) {
	path = path[1:]
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

func isParam(segment string) bool { return strings.HasPrefix(segment, ":") }

// checkPatterns verifies that registration in a tree cannot panic.
func checkPatterns(patterns []Pattern) error {
	shapes := map[Pattern]string{} // method and path without names, to the path
	names := map[string]string{}   // path up to a parameter without names, to its name
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

// checkPath returns the path with its parameters unnamed, and adds their names
// to those already known by place.
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
// escaped form, as received. One slash at the end is ignored. An escaped slash does not separate
// segments. Any other character may be escaped or not.
func (r *Router) Lookup(method, escapedPath string) (index int, p Params, ok bool) {
	path := "/" // what an address without a path asks for
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
	handle, list, _ := r.narrow.Lookup(method, path)
	if handle == nil {
		handle, list, _ = r.wide.Lookup(method, path)
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

// routeHit carries the index of a route out of httprouter, which knows of
// handlers only and returns the one that was registered.
type routeHit struct {
	http.ResponseWriter
	index int
}

func reportHit(index int) httprouter.Handle {
	return func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		w.(*routeHit).index = index
	}
}

// decodeUnreserved decodes the escapes of unreserved characters (RFC 3986 2.3), which are
// equivalent to the characters. Static segments consist only of these. All other escapes are
// kept, including that of %, so that each value can still be decoded exactly once. It stops at a
// malformed escape, because decoding the rest could complete it.
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

// unhex reads the two hex digits that text begins with, in either case.
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

// ErrNoPath refuses a request without a route, or with one that must be hidden from the caller.
var ErrNoPath = error(fault.New(fault.NotFound, "no such path or method"))
