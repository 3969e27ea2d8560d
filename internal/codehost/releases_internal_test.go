package codehost

import "testing"

func TestNextPage(t *testing.T) {
	t.Parallel()
	for header, want := range map[string]string{
		`<https://api.example/repositories/1/releases?per_page=100&page=2>; rel="next", <https://api.example/r?page=9>; rel="last"`:          "page=2&per_page=100",
		`<https://api.example/r?page=1>; rel="prev", <https://api.example/r?page=3>; rel="next", <https://api.example/r?page=9>; rel="last"`: "page=3",
		`<https://api.example/r?page=4>; rel="next",<https://api.example/r?page=9>; rel="last",<https://api.example/r?page=1>; rel="first"`:  "page=4",
		`<https://api.example/r?page=2>; rel=next`:                                               "page=2",
		`<https://api.example/r?page=2>;rel="next"`:                                              "page=2",
		`<https://api.example/r?after=Y3Vyc29y%3D&per_page=1>; rel="next"`:                       "after=Y3Vyc29y%3D&per_page=1",
		`<https://api.example/r?page=1>; rel="prev", <https://api.example/r?page=9>; rel="last"`: "",
		`<https://api.example/r?page=2>; rel="nextish"`:                                          "",
		`<%zz>; rel="next"`: "",
		`next`:              "",
		``:                  "",
	} {
		if got := nextPage([]string{header}); got.Encode() != want || (got == nil) != (want == "") {
			t.Errorf("%s: got %q, want %q", header, got.Encode(), want)
		}
	}
	if got := nextPage([]string{`<https://a.example/?page=1>; rel="first"`, `<https://a.example/?page=5>; rel="next"`}); got.Encode() != "page=5" {
		t.Errorf("of two headers: got %v", got)
	}
}

// FuzzNextPage checks that nextPage handles arbitrary headers safely.
func FuzzNextPage(f *testing.F) {
	f.Add(`<https://api.example/r?page=2>; rel="next", <https://api.example/r?page=9>; rel="last"`)
	f.Add(`<>;rel=next`)
	f.Fuzz(func(t *testing.T, header string) {
		if q := nextPage([]string{header}); q != nil && len(q.Encode()) > 4*len(header) {
			t.Errorf("%q gives %q", header, q.Encode())
		}
	})
}
