package resource_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc/api/apitest"
)

const threeSteps = `[{"percent":10},{"percent":50,"hold_seconds":3600,"min_exposure":20},{"percent":100}]`

// rollingOut publishes 1.0 as complete and 2.0 with the given rollout. It returns the path of the
// rollout of 2.0.
func rollingOut(t *testing.T, s *apitest.Server, key, rollout string) string {
	t.Helper()
	s.Project(t, key)
	s.Publish(t, key, "1.0")
	answer := s.Must(t, http.StatusCreated, "PUT", apitest.VersionsOf(key)+"/by-version/2.0", `{"rollout":`+rollout+`}`)
	return apitest.VersionsOf(key) + "/" + apitest.Field[string](t, answer, "id") + "/rollout"
}

func TestRolloutShape(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	one := rollingOut(t, s, "app", `{"steps":`+threeSteps+`}`)
	now := fmt.Sprint(s.Clock.Now().Unix())
	s.Exchanges(t, []apitest.Exchange{
		{"published with steps", "GET", one, "", 200, `{"version":"2.0","channel":"stable","state":"running","percent":10,"step":0,"auto_advance":true,
			"steps":[{"percent":10,"hold_seconds":0,"min_exposure":0},{"percent":50,"hold_seconds":3600,"min_exposure":20},
				{"percent":100,"hold_seconds":0,"min_exposure":0}],
			"cohort":null,"health":true,"started_at":` + now + `,"step_started_at":` + now + `,"completed_at":null,
			"history":[{"at":` + now + `,"action":"created","percent":10,"by":"admin","reason":null}]}`},
		{"a percentage turns advancing off", "PUT", one, `{"percent":12.5}`, 200, `{"percent":12.5,"step":0,"auto_advance":false}`},
		{"unless that is sent too", "PUT", one, `{"percent":55,"auto_advance":true}`, 200, `{"percent":55,"step":1,"auto_advance":true}`},
		{"below the first step", "PUT", one, `{"percent":0.01}`, 200, `{"percent":0.01,"step":-1,"step_started_at":null}`},
		{"a cohort", "PUT", one, `{"cohort":{"platforms":["Linux","linux"],"countries":["DE","FR","DE"],"current_min":"1.0"}}`, 200,
			`{"cohort":{"platforms":["linux"],"countries":["DE","FR"],"current_min":"1.0","current_max":null}}`},
		{"what is not sent is kept", "PUT", one, `{"health":false}`, 200, `{"percent":0.01,"health":false,"cohort":{"countries":["DE","FR"]}}`},
		{"100 % of a cohort", "PUT", one, `{"percent":100}`, 200, `{"state":"running","percent":100,"step":2}`},
		{"only a version", "PUT", one, `{"cohort":{"current_max":"1.5"}}`, 200, `{"cohort":{"platforms":[],"countries":[],"current_max":"1.5"}}`},
		{"an empty cohort is none, which completes", "PUT", one, `{"cohort":{}}`, 200, `{"state":"completed","cohort":null,"completed_at":` + now + `}`},
		{"listed", "GET", "/admin/projects/app/rollouts", "", 200, `{"total":1,"data":[{"version":"2.0","state":"completed"}]}`},
		{"filtered", "GET", "/admin/projects/app/rollouts?state=running", "", 200, `{"total":0,"data":[]}`},
		{"no rollout", "GET", apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.0") + "/rollout", "", 200, `null`},
	})
}

// TestRolloutStates tries every action in every state over HTTP.
func TestRolloutStates(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	actions := []string{"pause", "resume", "advance", "complete", "abort"}
	for from, tc := range map[string]struct {
		ways []string          // actions that lead to the state
		to   map[string]string // possible actions and their results
	}{
		"running":   {nil, map[string]string{"pause": "paused", "advance": "running", "complete": "completed", "abort": "aborted"}},
		"paused":    {[]string{"pause"}, map[string]string{"resume": "running", "complete": "completed", "abort": "aborted"}},
		"completed": {[]string{"complete"}, nil},
		"aborted":   {[]string{"abort"}, nil},
	} {
		for _, action := range actions {
			t.Run(from+"/"+action, func(t *testing.T) {
				one := rollingOut(t, s, from+"-"+action, `{"steps":`+threeSteps+`}`)
				for _, way := range tc.ways {
					s.Must(t, 200, "POST", one+"/"+way, "")
				}
				want, possible := tc.to[action]
				if !possible {
					s.Refusals(t, one, []apitest.Refusal{{"refused", "POST", one + "/" + action, `{"reason":"x"}`, 409, "the rollout is " + from + " and cannot be"}})
					return
				}
				event := map[string]string{"pause": "paused", "resume": "resumed", "advance": "advanced", "complete": "completed", "abort": "aborted"}[action]
				answer := s.Must(t, 200, "POST", one+"/"+action, `{"reason":" because "}`)
				history := apitest.Field[[]any](t, answer, "history")
				if why := apitest.CompareJSON(t, answer, `{"state":"`+want+`"}`); why != "" || len(history) != len(tc.ways)+2 {
					t.Fatalf("%s in %s", why, answer)
				}
				if newest := history[0].(map[string]any); newest["action"] != event || newest["reason"] != "because" || newest["by"] != "admin" {
					t.Errorf("got %v, want %s by admin because of the reason", newest, event)
				}
			})
		}
	}
	for _, state := range []string{"completed", "aborted"} {
		one := rollingOut(t, s, "final-"+state, `{"percent":10}`)
		s.Must(t, 200, "POST", one+"/"+strings.TrimSuffix(strings.Replace(state, "completed", "complete", 1), "ed"), "")
		s.Refusals(t, one, []apitest.Refusal{{"a change of one that is " + state, "PUT", one, `{"percent":20}`, 409, "the rollout is " + state}})
	}
}

func TestRolloutBadInput(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	one := rollingOut(t, s, "app", `{"steps":`+threeSteps+`}`)
	none := apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.0") + "/rollout"
	long := strings.Repeat("x", 513)
	rows := []apitest.Refusal{
		{"too much", "PUT", one, `{"percent":100.01}`, 400, "percent must be a number from 0 to 100 with at most 2 decimals"},
		{"too little", "PUT", one, `{"percent":-1}`, 400, "percent must be a number from 0 to 100"},
		{"too fine", "PUT", one, `{"percent":1.001}`, 400, "with at most 2 decimals"},
		{"text", "PUT", one, `{"percent":"5"}`, 400, "percent must be a number"},
		{"null of a stored one", "PUT", one, `{"percent":null,"steps":null,"auto_advance":null,"health":null}`, 400,
			"percent must not be null; steps must not be null; auto_advance must not be null; health must not be null"},
		{"no steps", "PUT", one, `{"steps":[]}`, 400, "steps must have 1 to 20 entries"},
		{"no list", "PUT", one, `{"steps":{}}`, 400, "steps must be a list"},
		{"too many steps", "PUT", one, `{"steps":[` + strings.Repeat(`{"percent":1},`, 20) + `{"percent":100}]}`, 400, "steps must have at most 20 entries"},
		{"a step without percent", "PUT", one, `{"steps":[{}]}`, 400, "steps[0].percent must be a number"},
		{"steps that do not end", "PUT", one, `{"steps":[{"percent":5}]}`, 400, "steps must end with a step of 100 percent, not 5"},
		{"steps that fall", "PUT", one, `{"steps":[{"percent":5},{"percent":4},{"percent":100}]}`, 400, "steps[1].percent must be greater than 5"},
		{"a long hold", "PUT", one, `{"steps":[{"percent":100,"hold_seconds":7776001}]}`, 400, "steps[0].hold_seconds must be an integer from 0 to 7776000"},
		{"a great exposure", "PUT", one, `{"steps":[{"percent":100,"min_exposure":1000001}]}`, 400, "steps[0].min_exposure must be an integer from 0 to 1000000"},
		{"a cohort that is no object", "PUT", one, `{"cohort":[]}`, 400, "cohort must be an object or null"},
		{"a platform nobody has", "PUT", one, `{"cohort":{"platforms":["amiga"]}}`, 400, "cohort.platforms[0] must be one of"},
		{"a country in lower case", "PUT", one, `{"cohort":{"countries":["DE","fr"]}}`, 400, "cohort.countries[1] must be a country code of two upper-case letters"},
		{"too many countries", "PUT", one, `{"cohort":{"countries":["DE"` + strings.Repeat(`,"DE"`, 250) + `]}}`, 400, "cohort.countries must have at most 250 entries"},
		{"a version that cannot be compared", "PUT", one, `{"cohort":{"current_min":"x"}}`, 400, "cohort.current_min must be a comparable version"},
		{"an empty range", "PUT", one, `{"cohort":{"current_min":"2","current_max":"1"}}`, 400, "cohort.current_min must not be greater than cohort.current_max"},
		{"a flag that is none", "PUT", one, `{"health":"no","auto_advance":1}`, 400, "auto_advance must be true or false; health must be true or false"},
		{"a reason that is no text", "POST", one + "/abort", `{"reason":5}`, 400, "reason must be a string"},
		{"no version to roll out", "PUT", apitest.VersionsOf("app") + "/x/rollout", `{"percent":5}`, 404, "version not found"},
		{"no such version", "GET", apitest.VersionsOf("app") + "/0199aaaa-0000-7000-8000-000000000000/rollout", "", 404, "version not found"},
		{"no such project", "GET", "/admin/projects/none/rollouts", "", 404, `project "none" not found`},
		{"no such state", "GET", "/admin/projects/app/rollouts?state=done", "", 400, "state must be one of running, paused, held, completed, aborted"},
		{"a version with a bad rollout", "PUT", apitest.VersionsOf("app") + "/by-version/3.0", `{"title":5,"rollout":{"percent":101,"steps":[]}}`, 400,
			"title must be a string; rollout.percent must be a number from 0 to 100 with at most 2 decimals; rollout.steps must have 1 to 20 entries"},
		{"a version with a text as rollout", "POST", apitest.VersionsOf("app"), `{"version":"3","comparable_version":"3","rollout":"x"}`, 400,
			"rollout must be an object or null"},
		{"the latest before it is complete", "PUT", apitest.VersionsOf("app") + "/by-version/3.0", `{"is_latest":true,"rollout":{"percent":5}}`, 400, "is_latest"},
		{"the latest later on", "PUT", apitest.VersionsOf("app") + "/by-version/2.0", `{"is_latest":true}`, 400, "is_latest"},
	}
	for _, action := range []string{"pause", "resume", "advance", "complete", "abort"} {
		rows = append(rows,
			apitest.Refusal{"a long reason to " + action, "POST", one + "/" + action, `{"reason":"` + long + `"}`, 400, "reason must have at most 512 characters"},
			apitest.Refusal{"no rollout to " + action, "POST", none + "/" + action, "", 404, `version "1.0" has no rollout`},
		)
	}
	s.Refusals(t, one, rows)
	s.Refusals(t, apitest.VersionsOf("app"), rows)
}

// TestRolloutVisibility checks what the public sees of a version in each state of its rollout.
func TestRolloutVisibility(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	one := rollingOut(t, s, "app", `{"percent":0}`)
	const public = "/public/app/versions"
	const hidden, shown, both = `{"total":1,"data":[{"version":"1.0","is_latest":true}]}`, `{"version":"2.0"}`,
		`{"total":2,"data":[{"version":"2.0","is_latest":false},{"version":"1.0","is_latest":true}]}`
	s.Exchanges(t, []apitest.Exchange{
		{"at 0 %: absent from the list", "GET", public, "", 200, hidden},
		{"absent from the search", "GET", public + "?search=2.0", "", 200, `{"total":0}`},
		{"absent by name", "GET", public + "/by-version/2.0", "", 404, `{"message":"version \"2.0\" not found"}`},
		{"absent by value", "GET", public + "/by-version/2.0.0", "", 404, ``},
		{"another one with its value", "PUT", apitest.VersionsOf("app") + "/by-version/1", `{"published_at":9999999999,"rollout":{"percent":0}}`, 201, ``},
		{"the published one is found by value", "GET", public + "/by-version/1.0.0", "", 200, `{"version":"1.0"}`},
		{"and by the name of the other", "GET", public + "/by-version/1", "", 200, `{"version":"1.0"}`},
		{"not the latest", "GET", public + "/latest", "", 200, `{"version":"1.0"}`},
		{"administrators see it", "GET", apitest.VersionsOf("app") + "?search=2.0", "", 200, `{"total":1,"data":[{"version":"2.0"}]}`},
		{"at 1 %", "PUT", one, `{"percent":1}`, 200, ``},
		{"listed", "GET", public, "", 200, both},
		{"found", "GET", public + "/by-version/2", "", 200, shown},
		{"latest comes with completion", "GET", public + "/latest", "", 200, `{"version":"1.0"}`},
		{"back at 0 %", "PUT", one, `{"percent":0}`, 200, ``},
		{"stays published", "GET", public, "", 200, both},
		{"aborted", "POST", one + "/abort", "", 200, ``},
		{"absent from the list again", "GET", public, "", 200, hidden},
		{"but found", "GET", public + "/by-version/2.0", "", 200, shown},
		{"a preview at 0 %", "PUT", apitest.VersionsOf("app") + "/by-version/3.0-rc", `{"is_preview":true,"rollout":{"percent":0}}`, 201, `{"is_latest":false}`},
		{"is no latest preview", "GET", public + "/latest-preview", "", 200, `null`},
	})
	for _, path := range []string{"/projects/app", "/projects/app?since=1.0"} {
		if _, page, _ := s.Visit(t, "GET", path, nil); strings.Contains(page, "2.0") || strings.Contains(page, "3.0-rc") {
			t.Errorf("%s shows a version that is aborted or not published", path)
		}
	}
	for version, want := range map[string]int{"2.0": 200, "3.0-rc": 404} {
		if status, _, _ := s.Visit(t, "GET", "/projects/app?version="+version, nil); status != want {
			t.Errorf("page of %s: got status %d, want %d", version, status, want)
		}
	}
}

// TestLatestWithRollouts checks which version is the latest while rollouts begin and end.
func TestLatestWithRollouts(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	one := rollingOut(t, s, "app", `{"percent":10}`)
	first := apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.0") + "/rollout"
	put := apitest.VersionsOf("app") + "/by-version/"
	latest := func(name, version string) apitest.Exchange {
		return apitest.Exchange{name, "GET", "/public/app/versions/latest", "", 200, `{"version":"` + version + `"}`}
	}
	s.Exchanges(t, []apitest.Exchange{
		{"CI repeats its call", "PUT", put + "2.0", `{"rollout":{"percent":90}}`, 200, `{"is_latest":false}`},
		{"which changes nothing", "GET", one, "", 200, `{"percent":10}`},
		latest("before completion", "1.0"),
		{"completed", "POST", one + "/complete", "", 200, `{"state":"completed","percent":100}`},
		latest("after completion", "2.0"),
		{"a patch of an older line", "PUT", put + "1.1", `{"rollout":{"percent":10}}`, 201, `{"is_latest":false}`},
	})
	s.Exchanges(t, []apitest.Exchange{
		{"is completed", "PUT", apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.1") + "/rollout", `{"percent":100}`, 200, `{"state":"completed"}`},
		latest("the older line does not take it", "2.0"),
		{"complete at once", "PUT", put + "2.1", `{"rollout":null}`, 201, `{"is_latest":true}`},
		{"everybody at once is complete", "PUT", put + "2.2", `{"rollout":{}}`, 201, `{"is_latest":true}`},
		{"a rollout of a complete version", "PUT", first, `{"percent":0}`, 201, `{"state":"running","percent":0,"started_at":` + fmt.Sprint(s.Clock.Now().Unix()) + `}`},
		{"it stays published", "GET", "/public/app/versions/by-version/1.0", "", 200, `{"version":"1.0"}`},
	})
	s.Exchanges(t, []apitest.Exchange{
		{"a rollout of another one", "PUT", apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "2.1") + "/rollout", `{"percent":5}`, 201, `{"percent":5}`},
		latest("2.1 was not the latest", "2.2"),
	})
	third := s.Must(t, 201, "PUT", put+"3.0", "")
	s.Exchanges(t, []apitest.Exchange{
		latest("3.0", "3.0"),
		{"the latest loses the flag", "PUT", apitest.VersionsOf("app") + "/" + apitest.Field[string](t, third, "id") + "/rollout", `{"percent":5}`, 201, `{"percent":5}`},
		latest("its successor is complete", "2.2"),
	})
}

// TestRolloutConditions checks entity tags, conditional writes and repeated requests.
func TestRolloutConditions(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	one := rollingOut(t, s, "app", `{"steps":`+threeSteps+`}`)
	_, before, header := s.Do(t, "GET", one, s.Admin, "")
	ask := func(method, path, body, repeat string) (int, string, http.Header) {
		t.Helper()
		headers := map[string]string{"Authorization": "Bearer " + s.Admin, "If-Match": header.Get("ETag")}
		if repeat != "" {
			headers["Idempotency-Key"] = repeat
		}
		return s.Send(t, method, "/api/v1"+path, headers, body)
	}
	for range 2 {
		if status, answer, h := ask("POST", one+"/advance", "", "a"); status != 200 || h.Get("ETag") == header.Get("ETag") {
			t.Errorf("got %d %s, want an advance or the same answer again", status, answer)
		}
	}
	for _, refused := range [][3]string{{"POST", one + "/advance", ""}, {"PUT", one, `{"percent":3}`}} {
		if status, answer, _ := ask(refused[0], refused[1], refused[2], ""); status != 412 {
			t.Errorf("%v with the tag of %s: got %d %s, want 412", refused, before, status, answer)
		}
	}
	if answer := s.Must(t, 200, "GET", one, ""); apitest.CompareJSON(t, answer, `{"step":1,"percent":50}`) != "" {
		t.Errorf("got %s, want exactly one advance", answer)
	}
}

// TestRolloutByKey checks that the history names the API key.
func TestRolloutByKey(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	one := rollingOut(t, s, "app", `{"percent":5}`)
	key := s.Key(t, `{"name":"release robot","scopes":["versions:write"],"all_projects":true}`)
	if status, answer, _ := s.Do(t, "POST", one+"/pause", key, ""); status != 200 || apitest.Field[[]any](t, answer, "history")[0].(map[string]any)["by"] != "release robot" {
		t.Errorf("got %d %s", status, answer)
	}
}

// TestRolloutDefault checks which new versions begin with the default rollout of their project.
func TestRolloutDefault(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0")
	const settings = "/admin/projects/app/distribution"
	put := apitest.VersionsOf("app") + "/by-version/"
	s.Exchanges(t, []apitest.Exchange{
		{"none at first", "GET", settings, "", 200, `{"rollout_default":null}`},
		{"stored", "PUT", settings, `{"rollout_default":{"steps":[{"percent":10,"hold_seconds":60},{"percent":100}],"cohort":{"countries":["DE"]}}}`, 200,
			`{"rollout_default":{"percent":null,"steps":[{"percent":10,"hold_seconds":60,"min_exposure":0},{"percent":100}],"auto_advance":true,
				"cohort":{"countries":["DE"]},"health":true}}`},
		{"kept", "PUT", settings, `{"signature_policy":"off"}`, 200, `{"rollout_default":{"auto_advance":true}}`},
		{"a version of before stays complete", "PUT", put + "1.0", "", 200, `{"is_latest":true}`},
		{"without a rollout of its own", "PUT", put + "2.0", "", 201, `{"is_latest":false}`},
		{"its rollout", "GET", "/admin/projects/app/rollouts", "", 200, `{"total":1,"data":[{"version":"2.0","percent":10,"cohort":{"countries":["DE"]}}]}`},
		{"with one of its own", "PUT", put + "2.1", `{"rollout":{"percent":0}}`, 201, `{"is_latest":false}`},
		{"its own rollout", "GET", "/admin/projects/app/rollouts", "", 200, `{"total":2,"data":[{"version":"2.1","percent":0,"cohort":null},{"version":"2.0"}]}`},
		{"null is complete at once", "PUT", put + "2.2", `{"rollout":null}`, 201, `{"is_latest":true}`},
		{"null turns it off", "PUT", settings, `{"rollout_default":null}`, 200, `{"rollout_default":null}`},
		{"complete again", "PUT", put + "2.3", "", 201, `{"is_latest":true}`},
	})
	s.Refusals(t, settings, []apitest.Refusal{
		{"too much", "PUT", settings, `{"rollout_default":{"percent":101}}`, 400, "rollout_default.percent must be a number from 0 to 100"},
		{"text", "PUT", settings, `{"rollout_default":"x"}`, 400, "rollout_default must be an object or null"},
	})
}
