package resource_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/rollout"
)

// keysOf returns a key that a rollout at 25 % includes, and one that it includes only at 50 %.
func keysOf(t *testing.T, s *apitest.Server, path string) (in, out string) {
	t.Helper()
	seed := apitest.Field[string](t, s.Must(t, 200, "GET", path, ""), "seed")
	for n := 0; in == "" || out == ""; n++ {
		switch bucket, key := rollout.Bucket(seed, strconv.Itoa(n)), strconv.Itoa(n); {
		case bucket < 25_00:
			in = key
		case bucket < 50_00:
			out = key
		}
	}
	return in, out
}

// TestUpdateCheckDuringRollout follows a version from 25 % to completion.
func TestUpdateCheckDuringRollout(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "demo")
	s.Publish(t, "demo", "2.2.1", "2.4.0-beta.1 preview")
	path := apitest.VersionsOf("demo") + "/" + apitest.Field[string](t,
		s.Must(t, 201, "PUT", apitest.VersionsOf("demo")+"/by-version/2.3.0", `{"rollout":{"percent":25}}`), "id") + "/rollout"
	in, out := keysOf(t, s, path)
	const check, simulation = "/public/demo/versions/check-update", "/admin/projects/demo/versions/update-check-simulation"
	with := func(fields string) string { return `{"current_version":"2.2.1"` + fields + `}` }
	key := func(key string) string { return `,"rollout_key":"` + key + `"` }
	const waits = `{"should_update":false,"required":false,"reason_codes":["rollout_not_reached"],"target_version":null,"latest_version":{"version":"2.2.1"},
		"rollout":{"version":"2.3.0","percent":%v,"included":false}}`
	const offered = `{"should_update":true,"reason_codes":["newer_version_available"],"target_version":{"version":"2.3.0","is_latest":false},
		"rollout":{"version":"2.3.0","percent":%v,"included":true}}`
	s.Exchanges(t, []apitest.Exchange{
		{"without a key", "POST", check, with(""), 200, fmt.Sprintf(waits, 25)},
		{"a blank key is none", "POST", check, with(key(" ")), 200, fmt.Sprintf(waits, 25)},
		{"a key that is out", "POST", check, with(key(out)), 200, fmt.Sprintf(waits, 25)},
		{"a key that is in", "POST", check, with(key(in)), 200, fmt.Sprintf(offered, 25)},
		{"a tester", "POST", check, with(key(out) + `,"channel":"preview"`), 200, `{"target_version":{"version":"2.4.0-beta.1"},"reason_codes":["newer_version_available"]}`},
		{"the simulation names the version", "POST", simulation, with(key(out)), 200, `{"reasons":[{"code":"previews_not_included"},{"code":"current_version_registered"},
			{"code":"latest_version_installed"},{"code":"rollout_not_reached","version":"2.3.0","comparable_version":"2.3.0"}]}`},
		{"the latest", "GET", "/public/demo/versions/latest", "", 200, `{"version":"2.2.1","is_latest":true}`},

		{"the next step", "PUT", path, `{"percent":50}`, 200, ``},
		{"reaches the other key", "POST", check, with(key(out)), 200, fmt.Sprintf(offered, 50)},
		{"but none without a key", "POST", check, with(""), 200, fmt.Sprintf(waits, 50)},
		{"limited to Windows", "PUT", path, `{"percent":100,"cohort":{"platforms":["windows"]}}`, 200, `{"state":"running"}`},
		{"an app on Windows", "POST", check, with(`,"platform":"Windows 11"`), 200, fmt.Sprintf(offered, 100)},
		{"an app on Linux", "POST", check, with(`,"platform":"linux"` + key(in)), 200, fmt.Sprintf(waits, 100)},
		{"the simulation names the cohort", "POST", simulation, with(`,"platform":"linux"`), 200, `{"reasons":[{"code":"previews_not_included"},
			{"code":"cohort_not_matched","version":"2.3.0"},{"code":"current_version_registered"},{"code":"latest_version_installed"},{"code":"rollout_not_reached"}]}`},
		{"versions up to 2.2", "PUT", path, `{"cohort":{"current_max":"2.2"}}`, 200, ``},
		{"do not include 2.2.1", "POST", check, with(""), 200, fmt.Sprintf(waits, 100)},
		{"but 2.1", "POST", check, `{"current_comparable_version":"2.1"}`, 200, fmt.Sprintf(offered, 100)},
		{"a country", "PUT", path, `{"cohort":{"countries":["NZ"]}}`, 200, ``},
		{"that the address is not in", "POST", check, with(""), 200, fmt.Sprintf(waits, 100)},
		{"paused", "POST", path + "/pause", ``, 200, ``},
		{"cannot be the latest", "PATCH", strings.TrimSuffix(path, "/rollout"), `{"is_latest":true}`, 400, ``},
		{"completed", "POST", path + "/complete", ``, 200, ``},
	})
	status, answer := s.Ask(t, "POST", check, with(""))
	if status != 200 || strings.Contains(answer, `"rollout"`) || strings.Contains(answer, `"downgrade"`) || !strings.HasSuffix(answer, `"target_is_milestone":false}}`) {
		t.Errorf("after completion: got %d %s, want an answer without the rollout", status, answer)
	}
	s.Exchanges(t, []apitest.Exchange{
		{"everybody has it", "POST", check, with(""), 200, `{"should_update":true,"reason_codes":["newer_version_available"],"target_version":{"version":"2.3.0"}}`},
		{"and it is the latest", "GET", "/public/demo/versions/latest", "", 200, `{"version":"2.3.0","is_latest":true}`},
	})
}

// TestUpdateCheckNeverSkipsMilestones has a milestone at 10 % between complete versions.
func TestUpdateCheckNeverSkipsMilestones(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "demo")
	s.Publish(t, "demo", "2.0.0", "2.1.0 milestone", "2.2.1", "3.1.0")
	path := apitest.VersionsOf("demo") + "/" + apitest.Field[string](t,
		s.Must(t, 201, "PUT", apitest.VersionsOf("demo")+"/by-version/3.0.0", `{"is_milestone":true,"rollout":{"percent":25}}`), "id") + "/rollout"
	in, out := keysOf(t, s, path)
	const check, newer, guard = "/public/demo/versions/check-update", `"newer_version_available"`, `"milestone_guard"`
	s.Exchanges(t, []apitest.Exchange{
		{"out, from 2.0.0", "POST", check, `{"current_version":"2.0.0","rollout_key":"` + out + `"}`, 200,
			`{"target_version":{"version":"2.1.0"},"reason_codes":[` + newer + `,` + guard + `,"rollout_not_reached"]}`},
		{"out, from 2.2.1", "POST", check, `{"current_version":"2.2.1","rollout_key":"` + out + `"}`, 200, `{"target_version":null,"reason_codes":["rollout_not_reached"]}`},
		{"in, from 2.0.0", "POST", check, `{"current_version":"2.0.0","rollout_key":"` + in + `"}`, 200,
			`{"target_version":{"version":"2.1.0"},"reason_codes":[` + newer + `,` + guard + `]}`},
		{"in, from 2.2.1", "POST", check, `{"current_version":"2.2.1","rollout_key":"` + in + `"}`, 200,
			`{"target_version":{"version":"3.0.0"},"reason_codes":[` + newer + `,` + guard + `]}`},
		{"aborted", "POST", path + "/abort", ``, 200, ``},
		{"it stops nobody", "POST", check, `{"current_version":"2.2.1"}`, 200, `{"target_version":{"version":"3.1.0"},"reason_codes":[` + newer + `]}`},
		{"the simulation says why it is not the target", "POST", "/admin/projects/demo/versions/update-check-simulation", `{"current_version":"3.1.0"}`, 200,
			`{"reasons":[{"code":"current_version_registered"},{"code":"latest_version_installed"}]}`},
	})
}

// TestUpdateCheckOnlyRollout checks the answers of a project whose only version is being rolled out.
func TestUpdateCheckOnlyRollout(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "demo")
	path := apitest.VersionsOf("demo") + "/" + apitest.Field[string](t,
		s.Must(t, 201, "PUT", apitest.VersionsOf("demo")+"/by-version/1.0", `{"rollout":{"percent":0}}`), "id") + "/rollout"
	s.Exchanges(t, []apitest.Exchange{
		{"nothing is published at 0 %", "POST", "/public/demo/versions/check-update", `{"current_comparable_version":"0.9"}`, 404, `{"message":"no official version has been published yet"}`},
		{"there is no latest version", "GET", "/public/demo/versions/latest", "", 404, ``},
		{"nor findings about it", "GET", "/admin/projects/demo/today", "", 200, ``},
		{"at 1 %", "PUT", path, `{"percent":1}`, 200, ``},
		{"nothing is offered without a key", "POST", "/public/demo/versions/check-update", `{"current_comparable_version":"0.9"}`, 404, `{"message":"no version is offered to this client yet"}`},
		{"the simulation names the version", "POST", "/admin/projects/demo/versions/update-check-simulation", `{"current_comparable_version":"0.9"}`, 200,
			`{"status":404,"reasons":[{"code":"nothing_published"},{"code":"rollout_not_reached","version":"1.0"}]}`},
	})
}
