package release_test

import (
	"testing"

	"svc/clients/vectors"
	"svc/internal/release"
)

// TestVectors checks the rules for versions with the test cases that clients also use.
func TestVectors(t *testing.T) {
	t.Parallel()
	v := vectors.Section[struct {
		Valid, Invalid, Ascending []string
		Equal                     [][]string
		Derive                    []struct {
			In  string
			Out *string
		}
		InRange []struct {
			Version  string
			Min, Max *string
			Out      bool
		} `json:"in_range"`
	}](t, "version")
	parse := func(text string) release.Comparable {
		c, ok := release.Parse(text)
		if !ok {
			t.Errorf("%q is not a version", text)
		}
		return c
	}
	for _, text := range v.Valid {
		parse(text)
	}
	for _, text := range v.Invalid {
		if _, ok := release.Parse(text); ok {
			t.Errorf("%q is a version", text)
		}
	}
	for i, text := range v.Ascending {
		for _, greater := range v.Ascending[i+1:] {
			if parse(text).Compare(parse(greater)) >= 0 || parse(greater).Compare(parse(text)) <= 0 {
				t.Errorf("%q is not less than %q", text, greater)
			}
		}
	}
	for _, group := range v.Equal {
		for _, text := range group {
			for _, other := range group {
				if parse(text).Compare(parse(other)) != 0 {
					t.Errorf("%q is not %q", text, other)
				}
			}
		}
	}
	for _, c := range v.Derive {
		got, ok := release.Derive(c.In)
		if ok != (c.Out != nil) || ok && got.String() != *c.Out {
			t.Errorf("%q becomes %q, %t", c.In, got, ok)
		}
	}
	for _, c := range v.InRange {
		var r release.Range
		if c.Min != nil {
			r.Min = parse(*c.Min)
		}
		if c.Max != nil {
			r.Max = parse(*c.Max)
		}
		if got := r.Contains(parse(c.Version)); got != c.Out {
			t.Errorf("%+v: got %t", c, got)
		}
	}
}
