package transfer_test

import (
	"testing"

	"svc/api/apitest"
	"svc/store"
)

// TestHealthMoves checks that a copy of a project has the health counts of its versions, also when
// its records get new ids.
func TestHealthMoves(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"app","name":"App"}`)
	health := func(project string) string {
		id := s.VersionID(t, project, "1.1")
		return s.Must(t, 200, "GET", "/admin/projects/"+project+"/versions/"+id+"/health", "")
	}
	s.Must(t, 201, "PUT", "/admin/projects/app/versions/by-version/1.0", `{}`)
	s.Must(t, 201, "PUT", "/admin/projects/app/versions/by-version/1.1", `{"rollout":{"percent":20}}`)
	project, err := s.DB.FindProject("app")
	if err != nil {
		t.Fatal(err)
	}
	at := s.Clock.Now().Unix()/600*600 + 600
	for version, count := range map[string]store.HealthCount{
		"1.0": {Addresses: 100, Users: 90, Failures: map[string]int64{"": 2}},
		"1.1": {Addresses: 30, Users: 20, Failures: map[string]int64{"": 7, "update_failed": 4}},
	} {
		v, err := store.Read(s.DB, func(tx *store.Tx) (*store.Version, error) { return tx.VersionNamed(project.ID, version) })
		if err != nil {
			t.Fatal(err)
		}
		if err := s.DB.Update(func(tx *store.Tx) error { return tx.PutHealth(project.ID, v.ID, at, count) }); err != nil {
			t.Fatal(err)
		}
	}
	want := health("app")
	s.Clock.Ahead.Add(int64(20 * 60 * 1e9))
	archive, _ := export(t, s, "app")
	mustBringIn(t, s, archive, "key=copy&new_ids=true")
	if got := health("copy"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
