package analytics_test

import (
	"encoding/json"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/store"
)

// TestDownloadStatistics checks the downloads of files by day.
func TestDownloadStatistics(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "a")
	p, err := s.DB.FindProject("a")
	if err != nil {
		t.Fatal(err)
	}
	today := s.Clock.Now().Unix() / apitest.Day * apitest.Day
	count := func(day int64, file store.FileID, n uint64) {
		hour := store.Hour((today+day*apitest.Day)/3600 + 5)
		err := s.DB.Update(func(tx *store.Tx) error {
			return tx.AddRequests(map[store.RequestCounter]uint64{store.CountDownload(p.ID, hour, file): n})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	count(0, "aaaaaaaaaaaa", 2)
	count(-1, "aaaaaaaaaaaa", 3)
	count(-1, "bbbbbbbbbbbb", 1)
	count(-30, "aaaaaaaaaaaa", 7)
	var got struct {
		Total int64
		Data  []struct {
			FileID string `json:"file_id"`
			Count  int64
			Series []struct{ Time, Count int64 }
		}
	}
	if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", "/admin/projects/a/stats/downloads", "")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Total != 6 || len(got.Data) != 2 || got.Data[0].FileID != "aaaaaaaaaaaa" || got.Data[0].Count != 5 || got.Data[1].Count != 1 {
		t.Fatalf("got %+v", got)
	}
	series := got.Data[0].Series
	last := series[len(series)-1]
	if last.Time != today || last.Count != 2 || series[len(series)-2].Count != 3 {
		t.Errorf("got %+v, want 3 downloads yesterday and 2 today", series)
	}
}

// TestDownloadStatisticsRefuse checks access to the downloads, and the limits of their range.
func TestDownloadStatisticsRefuse(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "a")
	s.Project(t, "b")
	right := statsKey(t, s)
	scopeless := s.Key(t, `{"name":"x","scopes":["files:read"]}`)
	elsewhere := s.Key(t, `{"name":"x","scopes":["stats:read"],"project_ids":["b"]}`)
	for _, tc := range []struct {
		name, credential, path string
		status                 int
		message                string
	}{
		{"no credential", "", "a/stats/downloads", 401, "credential"},
		{"another scope", scopeless, "a/stats/downloads", 401, "stats:read"},
		{"another project", elsewhere, "a/stats/downloads", 401, "does not reach"},
		{"no such project", right, "nothing/stats/downloads", 404, "not found"},
		{"an empty project", right, "a/stats/downloads", 200, `"total":0,"data":[]`},
		{"the wrong order", right, "a/stats/downloads?start_time=2&end_time=1", 400, "start_time must not be after end_time"},
		{"too many days", right, "a/stats/downloads?start_time=0&end_time=1728000000", 400, "20001 buckets of one day"},
		{"report: no credential", "", "a/versions/x/report", 401, "credential"},
		{"report: another scope", scopeless, "a/versions/x/report", 401, "stats:read"},
		{"report: another project", elsewhere, "a/versions/x/report", 401, "does not reach"},
		{"report: no id", right, "a/versions/x/report", 404, "version not found"},
		{"report: no such version", right, "a/versions/01a222cc-7ce1-7aba-b933-77e0c1752cd4/report", 404, "version not found"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			status, body, _ := s.Do(t, "GET", "/admin/projects/"+tc.path, tc.credential, "")
			if status != tc.status || !strings.Contains(body, tc.message) {
				t.Errorf("got %d %s, want %d with %q", status, body, tc.status, tc.message)
			}
		})
	}
}
