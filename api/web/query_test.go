package web

import (
	"maps"
	"net/url"
	"slices"
	"testing"
)

func TestParseQuery(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]url.Values{
		"":                    {},
		"a=b&a=c+d%21":        {"a": {"b", "c d!"}},
		"limit=%zz":           {"limit": {"%zz"}},
		"limit=%":             {"limit": {"%"}},
		"limit=%2":            {"limit": {"%2"}},
		"limit=5;offset=1":    {"limit": {"5;offset=1"}},
		"%zz=1&b=%41%zz%42+c": {"%zz": {"1"}, "b": {"A%zzB c"}},
		"%%34=%%34&&=;":       {"%4": {"%4"}, "": {";"}},
	} {
		if got := parseQuery(raw); !maps.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}
