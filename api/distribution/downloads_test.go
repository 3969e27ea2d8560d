package distribution_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

// TestDownloadsAreCounted checks which requests for a direct link count as a download of the file.
func TestDownloadsAreCounted(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "a")
	s.Project(t, "b")
	f := place(t, s, "a", "app.dmg", alphabet(100))
	other := place(t, s, "a", "app.exe", alphabet(100))
	place(t, s, "b", "app.dmg", alphabet(100))
	for _, tc := range []struct {
		name, method string
		header       map[string]string
		counts       bool
	}{
		{"a plain request", "GET", nil, true},
		{"the first part", "GET", map[string]string{"Range": "bytes=0-9"}, true},
		{"several parts with the first one", "GET", map[string]string{"Range": "bytes=0-9,50-59"}, true},
		{"a later part", "GET", map[string]string{"Range": "bytes=10-"}, false},
		{"the end", "GET", map[string]string{"Range": "bytes=-1"}, false},
		{"beyond the end", "GET", map[string]string{"Range": "bytes=100-"}, false},
		{"HEAD", "HEAD", nil, false},
		{"a condition that holds", "GET", map[string]string{"If-None-Match": f.etag()}, false},
		{"a condition that does not hold", "GET", map[string]string{"If-None-Match": `"x"`}, false},
		{"a resumed download", "GET", map[string]string{"Range": "bytes=0-9", "If-Range": f.etag()}, false},
		{"a client that must not be tracked", "GET", map[string]string{"x-svc-do-not-track": "1"}, true},
	} {
		before := downloadsOf(t, s, "a")
		if status, body, _ := s.Send(t, tc.method, f.path, tc.header, ""); status >= 500 {
			t.Fatalf("%s: %d %s", tc.name, status, body)
		}
		want := before
		if tc.counts {
			want++
		}
		if got := downloadsOf(t, s, "a"); got != want {
			t.Errorf("%s: got %d downloads, want %d", tc.name, got, want)
		}
	}
	if got := downloadsOf(t, s, "b"); got != 0 {
		t.Errorf("another project: got %d downloads, want 0", got)
	}
	count := func(id string) int64 {
		return apitest.Field[int64](t, s.Must(t, 200, "GET", "/admin/projects/a/files/"+id, ""), "download_count")
	}
	if a, b := count(string(f.ID)), count(string(other.ID)); a != 4 || b != 0 {
		t.Errorf("got %d and %d downloads of the files, want 4 and 0", a, b)
	}
	s.Send(t, "GET", "/f/a/000000000000/app.dmg", nil, "")
	s.Must(t, 200, "DELETE", "/admin/projects/a/files/"+string(f.ID), "")
	body := s.Must(t, 200, "GET", "/admin/projects/a/stats/downloads", "")
	if want := fmt.Sprintf(`"data":[{"file_id":%q,"name":null,"count":4,`, f.ID); !strings.Contains(body, want) {
		t.Errorf("after the file has been deleted: got %s, want %s", body, want)
	}
}

// downloadsOf returns the number of downloads of all files of a project.
func downloadsOf(t *testing.T, s *apitest.Server, project string) int64 {
	t.Helper()
	return apitest.Field[int64](t, s.Must(t, 200, "GET", "/admin/projects/"+project+"/stats/downloads", ""), "total")
}
