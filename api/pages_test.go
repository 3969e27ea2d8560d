package api_test

import (
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
)

// TestPagesAreNoInterface checks that the pages for browsers are not part of the API: openapi.yaml
// does not describe them, they only answer GET, and they need no credential.
func TestPagesAreNoInterface(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(1))
	known, pages := apitest.LoadContract(t), api.Pages()
	for _, page := range pages {
		method, path, _ := strings.Cut(page, " ")
		if method != "GET" || strings.HasPrefix(path, "/api/") {
			t.Errorf("%s is no page", page)
		}
		segments := strings.Split(path, "/")
		for i, segment := range segments {
			if strings.HasPrefix(segment, ":") {
				segments[i] = "x"
			}
		}
		path = strings.Join(segments, "/")
		if o := known.Find("GET", path); o != nil {
			t.Errorf("%s is also %s of openapi.yaml", page, o.OperationID)
		}
		for range 3 {
			if status, answer, header := s.Visit(t, "GET", path, nil); status != 200 && status != 404 || header.Get("X-RateLimit-Limit") != "" {
				t.Errorf("%s: got %d %s, %v", page, status, answer, header)
			}
		}
	}
	if len(pages) == 0 {
		t.Error("there are no pages")
	}
}
