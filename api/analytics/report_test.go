package analytics_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"svc/api/apitest"
)

// TestReport checks the statistics of a version and of its predecessor in a report.
func TestReport(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "a")
	now := s.Clock.Now().Unix()
	publish := func(version string, ago int64, more string) string {
		body := fmt.Sprintf(`{"version":%q,"comparable_version":%q,"published_at":%d%s}`, version, version, now-ago, more)
		return apitest.Field[string](t, s.Must(t, 201, "POST", apitest.VersionsOf("a"), body), "id")
	}
	publish("1.0", 20*apitest.Day, "")
	publish("2.0", 10*apitest.Day, `,"is_milestone":true`)
	id := publish("3.0", 2*3600, `,"title":"Three"`)
	publish("4.0-rc.1", 3600, `,"is_preview":true`)
	check := func(ago int64, version string) apitest.SeenRequest {
		return apitest.SeenRequest{At: now - ago, Endpoint: "VERSION_CHECK_UPDATE", Platform: "linux", Client: version}
	}
	s.Count(t, "a", check(0, "3.0"), check(0, "v3.0"), check(0, "2.0"), check(0, "1.0"), check(9*3600, "2.0"), check(3*apitest.Day, "2.0"))
	s.Must(t, 201, "POST", "/admin/projects/a/logs", `{"level":3,"content":"E42"}`)
	s.Must(t, 201, "POST", "/admin/projects/a/feedbacks", `{"content":"good","rating":4}`)

	type release struct {
		Version   string
		Title     *string
		Share     float64
		Adoption  []struct{ Time, Checks int64 }
		Errors    struct{ Before, After, Window int64 }
		Rating    struct{ Before, After struct{ Average *float64 } }
		Downloads []any
		Behind    json.RawMessage
	}
	var got struct {
		Version  release
		Previous *release
	}
	s.Clock.Advance(1e9) // so that the records stored so far are in the window
	if err := json.Unmarshal([]byte(s.Must(t, 200, "GET", apitest.VersionsOf("a")+"/"+id+"/report", "")), &got); err != nil {
		t.Fatal(err)
	}
	v := got.Version
	if v.Version != "3.0" || v.Title == nil || *v.Title != "Three" || len(v.Downloads) != 0 || v.Downloads == nil {
		t.Errorf("got %+v", v)
	}
	// The check nine hours ago lies in the last day, and the one three days ago does not.
	if v.Share != 0.4 || got.Previous == nil || got.Previous.Share != 0.4 {
		t.Errorf("share: got %v and %+v, want 0.4 for both", v.Share, got.Previous)
	}
	if n := len(v.Adoption); n != 3 || v.Adoption[0].Time != (now-2*3600)/3600*3600 || v.Adoption[2].Checks != 2 {
		t.Errorf("adoption: got %+v, want 2 checks in the last of 3 hours", v.Adoption)
	}
	if v.Errors.Before != 0 || v.Errors.After != 1 || v.Errors.Window != 2*3600+1 {
		t.Errorf("errors: got %+v", v.Errors)
	}
	if v.Rating.Before.Average != nil || v.Rating.After.Average == nil || *v.Rating.After.Average != 4 {
		t.Errorf("rating: got %+v", v.Rating)
	}
	// These are the other checks of the last day: 2 of 5 run the version, and 3 of 5 are behind.
	if want := `{"checks":3,"reasons":[{"reason":"optional","checks":2},{"reason":"milestone","checks":1}]}`; string(v.Behind) != want {
		t.Errorf("behind: got %s, want %s", v.Behind, want)
	}
	if got.Previous == nil || got.Previous.Version != "2.0" || len(got.Previous.Adoption) != 11 {
		t.Errorf("previous: got %+v, want 2.0 with 11 days", got.Previous)
	}
}
