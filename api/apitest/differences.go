package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"svc/api/web"
)

// difference is an intended difference between the responses of a primary and of its standby.
type difference struct {
	path   string // a regular expression for the path with the query
	part   part
	name   string // of the header or of the field
	reason string
}

// part selects the part of a response that differs.
type part uint8

const (
	everything part = iota // the responses are not compared
	aHeader
	aField   // of a JSON object, at any depth; also the Content-Length
	aContent // of a local file, which the standby lacks
	aNonce   // the random boundary between the parts of a body, and the nonce of a Content-Security-Policy
)

// intendedDifferences lists all differences between a primary and a standby with the same data.
var intendedDifferences = []difference{
	{`.`, aHeader, "Date", "is the time"},
	{`.`, aHeader, "X-Request-Id", "has a random prefix for each start, and a number"},
	{`.`, aHeader, web.StandbyHeader, "is sent by a standby only"},
	{`.`, aHeader, "X-Ratelimit-Limit", "limits are per server"},
	{`.`, aHeader, "X-Ratelimit-Remaining", "limits are per server, and a standby has had fewer requests"},
	{`.`, aHeader, "X-Ratelimit-Reset", "limits are per server"},
	{`.`, aNonce, "", "is random"},
	{`^/readyz`, everything, "", "a standby is ready for reads only"},
	{`^/api/v1/auth/login$`, everything, "", "each server limits its logins, also by the time that passwords take"},
	{`^/api/v1/admin/(about|status)`, aField, "started_at", "each server has a start"},
	{`^/api/v1/admin/status`, aField, "replication", "describes the server itself"},
	{`^/api/v1/admin/status`, aField, "checks", "describes the server itself"},
	{`^/api/v1/admin/status`, aField, "status", "follows from the checks"},
	{`^/api/v1/admin/status`, aField, "checked_at", "each server checks itself"},
	{`^/api/v1/admin/projects/[^/]+/files/uploads`, everything, "", "an upload in progress is on one server"},
	{`^/(f|feeds)/`, aContent, "", "a content that is missing may not have arrived yet"},
	{`^/metrics$`, everything, "", "describes the server itself"},
	{`^/control/version$`, aField, "started_at", "each server has a start"},
	{`^/control/(backup|check|compact|debug|doctor|jobs|reindex|replication|status)`, everything, "", "concerns the server itself"},
}

// compiled holds the paths of intendedDifferences.
var compiled = func() (list []*regexp.Regexp) {
	for _, d := range intendedDifferences {
		list = append(list, regexp.MustCompile(d.path))
	}
	return list
}()

// intended reports whether the responses to a request are not compared.
func intended(path string) bool {
	for i, d := range intendedDifferences {
		if d.part == everything && compiled[i].MatchString(path) {
			return true
		}
	}
	return false
}

// differs describes the first difference between the responses of a primary and of a standby to a request for a
// path that is not intended, or returns "" if there is none.
func differs(path string, primary, standby response) string {
	if primary.status == http.StatusTooManyRequests || standby.status == http.StatusTooManyRequests {
		return "" // limits are per server
	}
	if primary.status == http.StatusBadGateway && standby.lacksContent(path) {
		return ""
	}
	if primary.status != standby.status {
		return "status"
	}
	primary, standby = primary.comparable(path), standby.comparable(path)
	for _, name := range slices.Sorted(maps.Keys(primary.header)) {
		if !slices.Equal(primary.header[name], standby.header[name]) {
			return fmt.Sprintf("header %s is %q, not %q", name, standby.header[name], primary.header[name])
		}
	}
	for name := range standby.header {
		if primary.header[name] == nil {
			return fmt.Sprintf("header %s: %q", name, standby.header[name])
		}
	}
	if primary.body != standby.body {
		return "body"
	}
	return ""
}

// lacksContent reports whether a standby has responded that it does not have the content of a file yet.
func (r response) lacksContent(path string) bool {
	for i, d := range intendedDifferences {
		if d.part == aContent && compiled[i].MatchString(path) {
			return r.status == http.StatusServiceUnavailable && r.header.Get("Retry-After") == "30" &&
				r.header.Get("Cache-Control") == "no-store" && strings.Contains(r.body, "has not arrived yet")
		}
	}
	return false
}

// comparable returns a response without the intended differences.
func (r response) comparable(path string) response {
	r.header = r.header.Clone()
	for i, d := range intendedDifferences {
		if !compiled[i].MatchString(path) {
			continue
		}
		switch d.part {
		case aHeader:
			r.header.Del(d.name)
		case aField:
			r.header.Del("Content-Length")
			r.body = withoutField(r.body, d.name)
		case aNonce:
			for _, name := range []string{"Content-Type", "Content-Security-Policy"} {
				if found := nonce.FindStringSubmatch(r.header.Get(name)); found != nil {
					r.header.Set(name, strings.ReplaceAll(r.header.Get(name), found[1], "random"))
					r.body = strings.ReplaceAll(r.body, found[1], "random")
				}
			}
		}
	}
	return r
}

var nonce = regexp.MustCompile(`(?:; boundary=|'nonce-)(\w+)`)

// withoutField returns a body without a field of its JSON objects. A body of another kind remains as it is.
func withoutField(body, name string) string {
	var value any
	if json.Unmarshal([]byte(body), &value) != nil {
		return body
	}
	b, err := json.Marshal(removeField(value, name))
	if err != nil {
		return body
	}
	return string(b)
}

func removeField(value any, name string) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, name)
		for key := range value {
			value[key] = removeField(value[key], name)
		}
	case []any:
		for i := range value {
			value[i] = removeField(value[i], name)
		}
	}
	return value
}
