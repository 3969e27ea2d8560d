package api_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/demo"
	"svc/internal/testutil"
	"svc/search"
)

// TestStandbyReadsLikePrimary checks that a standby answers every read of the interface like its
// primary, before and after every route that changes something was called.
func TestStandbyReadsLikePrimary(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	s := apitest.NewServer(t, apitest.WithIndex(), apitest.WithJobs(), apitest.WithStandby(), apitest.WithRateLimit(0))
	s.Clock.Stop()
	var archive bytes.Buffer
	key := demo.Keys()[2]
	if err := demo.Write(&archive, demo.Config{Seed: 1, Now: s.Clock.Now(), BaseURL: s.URL, Program: "svc test"}, key); err != nil {
		t.Fatal(err)
	}
	if status, answer := s.Owner(t, "POST", "/control/import", archive.String()); status != http.StatusOK {
		t.Fatalf("import: got %d %s", status, answer)
	}
	small, large := makeTarget(t, s, "app"), targetOf(t, s, key)
	name := apitest.Field[string](t, s.Must(t, 200, "GET", "/admin/projects/"+key+"/events/definitions/"+large.definition, ""), "name")

	read := func() {
		for _, x := range []*search.Index{s.Index, s.Standby(t).Index} {
			testutil.Until(t, "the index has all changes", func() bool { seen, ok := x.Seen(); return ok && seen == s.DB.LastChange() })
		}
		for _, e := range append(api.Routes(), api.ControlRoutes()...) {
			if !e.Reads {
				continue
			}
			readOnBoth(t, s, e, small, readingBodies[e.Path])
			readOnBoth(t, s, e, large, strings.ReplaceAll(readingBodies[e.Path], `"open"`, apitest.Quoted(name)))
		}
	}
	read()
	for _, e := range api.Routes() {
		if !e.Reads && e.Method != http.MethodDelete {
			s.Send(t, e.Method, small.path(e.Path), session(s), "{}")
		}
	}
	for _, e := range api.Routes() {
		if e.Method == http.MethodDelete && e.Path != "/api/v1/admin/projects/:k" {
			s.Send(t, e.Method, small.path(e.Path), session(s), "")
		}
	}
	read()

	// The token of a standby is as good as that of its primary.
	status, token := s.Standby(t).LogIn(t, "admin", apitest.Password)
	if status != http.StatusCreated {
		t.Fatalf("login: got %d", status)
	}
	if status, answer, _ := s.Do(t, "GET", "/auth/me", token, ""); status != http.StatusOK {
		t.Errorf("token of a standby: got %d %s", status, answer)
	}
}

// readOnBoth sends the request to a route that reads, with and without a session.
func readOnBoth(t *testing.T, s *apitest.Server, e api.Endpoint, to target, body string) {
	t.Helper()
	path := to.path(e.Path)
	if e.Access == "owner" {
		s.Owner(t, e.Method, path, body)
		return
	}
	for _, query := range queries(e.Path) {
		s.Send(t, e.Method, path+query, session(s), body)
	}
	if e.Access == "public" {
		s.Send(t, e.Method, path, nil, body)
	}
}

// queries returns queries for a route.
func queries(route string) []string {
	switch {
	case strings.HasSuffix(route, "/admin/search"):
		return []string{"?q=e", "?q=error&limit=2"}
	case strings.HasSuffix(route, "/events/me"):
		return []string{"?distinct_id=somebody"}
	}
	return []string{"", "?limit=2&search=e"}
}

// targetOf returns a target for records of a project that exists. A kind of which it has none has
// the ID of no record.
func targetOf(t *testing.T, s *apitest.Server, project string) target {
	t.Helper()
	to := unknownRecords
	one := "/admin/projects/" + project
	first := func(list, field, otherwise string) string {
		page := apitest.Field[[]map[string]any](t, s.Must(t, 200, "GET", list, ""), "data")
		if len(page) == 0 {
			return otherwise
		}
		return fmt.Sprint(page[0][field])
	}
	to.project = project
	to.version, to.announcement = first(one+"/versions", "id", noRecord), first(one+"/announcements", "id", noRecord)
	to.feedback, to.log = first(one+"/feedbacks", "id", noRecord), first(one+"/logs", "id", noRecord)
	to.logGroup = first(one+"/log-groups", "group_id", to.logGroup)
	to.definition = first(one+"/events/definitions", "event_definition_id", noRecord)
	to.card = first(one+"/events/dashboards/cards", "card_id", noRecord)
	to.file, to.link = first(one+"/files", "id", to.file), first(one+"/files", "path", to.link)
	return to
}
