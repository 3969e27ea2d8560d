package resource_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
)

// expectOrders checks the order of a list for each query.
func expectOrders(t *testing.T, s *apitest.Server, path, name string, rows [][2]string) {
	t.Helper()
	for _, row := range rows {
		answer := s.Must(t, 200, "GET", path+"?"+row[0], "")
		if got := strings.Join(listed(t, answer, name), " "); got != row[1] {
			t.Errorf("%s?%s: got %s, want %s", path, row[0], got, row[1])
		}
	}
}

func TestSortVersions(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.10 at=5", "1.9 at=20", "one comparable=1.5 at=10", "two comparable=1.5.0 at=10", "2.0 preview at=1")
	expectOrders(t, s, apitest.VersionsOf("app"), "version", [][2]string{
		{"", "2.0 1.10 1.9 two one"},
		{"sort=version", "2.0 1.10 1.9 two one"},
		{"sort=version&order=asc", "two one 1.9 1.10 2.0"},
		{"sort=published_at&order=desc", "1.9 two one 1.10 2.0"},
		{"sort=published_at&order=asc", "2.0 1.10 two one 1.9"},
		{"sort=created_at", "2.0 two one 1.9 1.10"},
		{"sort=created_at&order=asc&limit=2&offset=1", "1.9 one"},
		{"sort=created_at&order=asc&is_preview=false&search=1.", "1.10 1.9 one two"},
		{"sort=", "2.0 1.10 1.9 two one"},
	})
}

func TestSortAnnouncements(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for _, body := range []string{
		`{"title":"beta","content":"x","published_at":30}`, `{"title":"Alpha","content":"x","published_at":10,"is_pinned":true}`,
		`{"title":"alpha","content":"","published_at":20}`, `{"title":"Ärger","content":"x","published_at":20}`,
	} {
		s.Announce(t, "app", body)
	}
	expectOrders(t, s, "/admin/projects/app/announcements", "title", [][2]string{
		{"", "Alpha beta Ärger alpha"},
		{"sort=published_at", "beta Ärger alpha Alpha"},
		{"sort=published_at&order=asc", "Alpha Ärger alpha beta"},
		{"sort=created_at", "Ärger alpha Alpha beta"},
		{"sort=created_at&order=asc", "beta Alpha alpha Ärger"},
		{"sort=title&order=asc", "alpha Alpha beta Ärger"},
		{"sort=title", "Ärger beta alpha Alpha"},
		{"sort=title&order=asc&is_pinned=false&limit=2", "alpha beta"},
		{"sort=title&order=asc&search=x", "Alpha beta Ärger"},
	})
}

func TestSortProjects(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, name := range []string{"b", "C", "a", "B"} {
		s.Must(t, 201, "POST", "/admin/projects", fmt.Sprintf(`{"project_key":"k%x","name":%q}`, name, name))
	}
	expectOrders(t, s, "/admin/projects", "name", [][2]string{
		{"", "B a C b"},
		{"sort=created_at&order=asc", "b C a B"},
		{"sort=created_at", "B a C b"},
		{"sort=name&order=asc", "a B b C"},
		{"sort=name", "C B b a"},
		{"sort=name&order=asc&search=b&limit=1", "B"},
	})
}

func TestSortFiles(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	for name, content := range map[string]string{"app.zip": "four", "App.zip.sig": "1", "zip.txt": "22"} {
		s.Upload(t, "app", name, content)
	}
	expectOrders(t, s, "/admin/projects/app/files", "filename", [][2]string{
		{"sort=name&order=asc", "app.zip App.zip.sig zip.txt"},
		{"sort=name", "zip.txt App.zip.sig app.zip"},
		{"sort=size", "app.zip zip.txt App.zip.sig"},
		{"sort=size&order=asc&status=ready", "App.zip.sig zip.txt app.zip"},
		{"sort=size&search=app&limit=1&offset=1", "App.zip.sig"},
		{"sort=size&offset=9007199254740992", ""},
	})
	newest := listed(t, s.Must(t, 200, "GET", "/admin/projects/app/files?sort=created_at", ""), "id")
	oldest := listed(t, s.Must(t, 200, "GET", "/admin/projects/app/files?sort=created_at&order=asc", ""), "id")
	slices.Reverse(oldest)
	if byDefault := listed(t, s.Must(t, 200, "GET", "/admin/projects/app/files", ""), "id"); !slices.Equal(newest, oldest) || !slices.Equal(newest, byDefault) {
		t.Errorf("got %v, reversed %v, by default %v", newest, oldest, byDefault)
	}
}

func TestSortRefuses(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const one = "/admin/projects/app"
	var rows []apitest.Refusal
	for path, fields := range map[string]string{
		"/admin/projects": "created_at, name", one + "/versions": "published_at, version, created_at",
		one + "/announcements": "published_at, created_at, title", one + "/feedbacks": "created_at, rating",
		one + "/logs": "created_at, level", one + "/files": "created_at, name, size",
	} {
		for query, message := range map[string]string{
			"sort=colour": "sort must be one of " + fields, "sort=CREATED_AT": "sort must be one of " + fields,
			"sort=created_at&order=up": "order must be asc or desc", "order=asc": "order needs sort, which must be one of " + fields,
			"sort=created_at,id&limit=101": "limit must be an integer of at most 100",
		} {
			rows = append(rows, apitest.Refusal{path + "?" + query, "GET", path + "?" + query, "", 400, message})
		}
	}
	s.Refusals(t, "/admin/projects", rows)
}
