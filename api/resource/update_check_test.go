package resource_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
)

// checked creates a project with versions and sends update checks to it.
type checked struct {
	name     string
	versions []string // texts that publish accepts
	project  string   // JSON of the project's fields
	rows     []asked
}

// asked is an update check and its expected response.
type asked struct{ name, body, want string }

func TestUpdateCheck(t *testing.T) {
	t.Parallel()
	const newer, deprecated, outside, guard = `"newer_version_available"`, `"current_version_deprecated"`, `"outside_optional_update_range"`, `"milestone_guard"`
	for _, tc := range []checked{
		{"nothing special", []string{"1.0", "2.0", "3.0-rc preview"}, `{}`, []asked{
			{"newer, not required", `{"current_version":"1.0"}`, `{"should_update":true,"required":false,"reason_codes":[` + newer + `],"current_version":"1.0","current_comparable_version":"1.0",
				"latest_version":{"version":"2.0"},"latest_preview_version":{"version":"3.0-rc"},"target_version":{"version":"2.0"},"milestone":{"current":false,"latest":false,"target_is_milestone":false}}`},
			{
				"on the latest",
				`{"current_version":"2.0"}`,
				`{"should_update":false,"required":false,"reason_codes":[],"target_version":null,"latest_version":{"version":"2.0"}}`,
			},
			{"an equal value is not newer", `{"current_comparable_version":"2"}`, `{"should_update":false,"reason_codes":[],"target_version":null}`},
			{
				"greater than everything published",
				`{"current_comparable_version":"99"}`,
				`{"should_update":false,"required":false,"reason_codes":[],"target_version":null,"current_version":null,"current_comparable_version":"99"}`,
			},
			{"on a preview above the official one", `{"current_version":"3.0-rc"}`, `{"should_update":false,"target_version":null,"latest_version":{"version":"2.0"}}`},
			{
				"previews welcome",
				`{"current_version":"1.0","include_preview":true}`,
				`{"should_update":true,"latest_version":{"version":"3.0-rc"},"target_version":{"version":"3.0-rc"}}`,
			},
			{
				"previews welcome, on it",
				`{"current_version":"3.0-rc","include_preview":true}`,
				`{"should_update":false,"target_version":null,"latest_version":{"version":"3.0-rc"}}`,
			},
			{
				"nulls are not sent",
				`{"current_version":"1.0","current_comparable_version":null,"include_preview":null,"locale":null}`,
				`{"should_update":true,"latest_version":{"version":"2.0"}}`,
			},
			{
				"a channel",
				`{"current_version":"1.0","channel":" preview "}`,
				`{"should_update":true,"latest_version":{"version":"3.0-rc"}}`,
			},
			{
				"a channel wins over the flag",
				`{"current_version":"1.0","channel":"stable","include_preview":true}`,
				`{"latest_version":{"version":"2.0"},"latest_preview_version":{"version":"3.0-rc"}}`,
			},
			{
				"a blank channel is not sent, and a key changes nothing without a rollout",
				`{"current_version":"1.0","channel":" ","include_preview":true,"rollout_key":"4711","accept_downgrade":true}`,
				`{"latest_version":{"version":"3.0-rc"}}`,
			},
			{"the declared platform plays no role", `{"current_version":"1.0","platform":"beos","platform_version":"x"}`, `{"target_version":{"version":"2.0"}}`},
			{"the text is trimmed", `{"current_version":" 1.0\n"}`, `{"current_version":"1.0","should_update":true}`},
			{
				"registered in neither form, value sent",
				`{"current_version":" mine ","current_comparable_version":"1.5"}`,
				`{"current_version":"mine","current_comparable_version":"1.5","should_update":true}`,
			},
			{"the value as it was sent", `{"current_comparable_version":"1.0.0"}`, `{"current_version":"1.0","current_comparable_version":"1.0.0"}`},
			{"a blank text and a value", `{"current_version":" ","current_comparable_version":"0.1"}`, `{"current_version":null,"current_comparable_version":"0.1"}`},
			{
				"the value decides, not the text",
				`{"current_version":"2.0","current_comparable_version":"1.0"}`,
				`{"current_version":"1.0","current_comparable_version":"1.0","should_update":true}`,
			},
		}},
		{"platforms and the flag play no role", []string{"1.0", "3.0", "2.0 latest"}, `{}`, []asked{
			{
				"the greatest, not the flagged one",
				`{"current_version":"1.0"}`,
				`{"latest_version":{"version":"3.0","is_latest":false},"target_version":{"version":"3.0"}}`,
			},
		}},
		{"candidates", []string{"1.0", "2.0", "a comparable=2.0.0 at=5", "b comparable=3.0 preview at=5", "c comparable=3.0.0 preview at=6", "d comparable=3 preview at=6"}, `{}`, []asked{
			{"of equal official ones that published last", `{"current_version":"1.0"}`, `{"latest_version":{"version":"2.0"}}`},
			{
				"of equal previews that created last",
				`{"current_version":"1.0","include_preview":true}`,
				`{"latest_version":{"version":"d"},"latest_preview_version":{"version":"d"}}`,
			},
		}},
		{"an official version and a preview of the same value", []string{"1.0", "p comparable=2.0 preview at=1", "2.0 at=9"}, `{}`, []asked{
			{
				"the preview wins where previews are welcome",
				`{"current_version":"1.0","include_preview":true}`,
				`{"latest_version":{"version":"p"},"target_version":{"version":"p"}}`,
			},
			{"the official one is current where both have the value", `{"current_comparable_version":"2"}`, `{"current_version":"2.0","should_update":false}`},
			{"unless the text names the preview", `{"current_comparable_version":"2","current_version":" p "}`, `{"current_version":"p"}`},
			{"a text of another value names nothing", `{"current_comparable_version":"2","current_version":"1.0"}`, `{"current_version":"2.0"}`},
		}},
		{"current of several equal ones", []string{"a comparable=1.0 at=5", "b comparable=1.0.0 at=7", "c comparable=1 preview at=9", "2.0"}, `{}`, []asked{
			{"official, published last", `{"current_comparable_version":"1.0.0.0"}`, `{"current_version":"b"}`},
			{"by the text, exactly", `{"current_comparable_version":"1.0.0.0","current_version":"a"}`, `{"current_version":"a"}`},
			{"by the text, case counts", `{"current_comparable_version":"1.0.0.0","current_version":"A"}`, `{"current_version":"b"}`},
		}},
		{"candidates that are deprecated", []string{"1.0", "3.0 latest", "2.0 deprecated", "2.5-rc preview deprecated", "2.4-rc preview"}, `{}`, []asked{
			{
				"a good preview is preferred to a greater deprecated one",
				`{"current_version":"1.0","include_preview":true}`,
				`{"latest_version":{"version":"3.0"},"latest_preview_version":{"version":"2.5-rc"}}`,
			},
			{
				"a deprecated current version must go",
				`{"current_version":"2.0"}`,
				`{"should_update":true,"required":true,"reason_codes":[` + newer + `,` + deprecated + `],"target_version":{"version":"3.0"}}`,
			},
			{
				"also if it is a preview",
				`{"current_comparable_version":"2.5-rc.0"}`,
				`{"required":true,"reason_codes":[` + newer + `,` + deprecated + `],"current_version":"2.5-rc"}`,
			},
			{"its value alone is enough", `{"current_comparable_version":"2.0.0"}`, `{"required":true}`},
		}},
		{"milestones", []string{"1.0", "2.0 milestone", "3.0 milestone", "4.0", "2.5 milestone preview", "1.5 milestone deprecated"}, `{}`, []asked{
			{"the lowest one on the way, no preview, no deprecated one", `{"current_version":"1.0"}`, `{"should_update":true,"reason_codes":[` + newer + `,` + guard + `],"target_version":{"version":"2.0"},
				"latest_version":{"version":"4.0"},"milestone":{"current":false,"latest":false,"target_is_milestone":true}}`},
			{
				"then the next",
				`{"current_version":"2.0"}`,
				`{"reason_codes":[` + newer + `,` + guard + `],"target_version":{"version":"3.0"},"milestone":{"current":true,"target_is_milestone":true}}`,
			},
			{
				"an equal value is passed already",
				`{"current_comparable_version":"3.0.0"}`,
				`{"reason_codes":[` + newer + `],"target_version":{"version":"4.0"},"milestone":{"current":true,"target_is_milestone":false}}`,
			},
			{"between two", `{"current_comparable_version":"2.9"}`, `{"target_version":{"version":"3.0"},"milestone":{"current":false,"target_is_milestone":true}}`},
			{
				"nothing newer, no guard",
				`{"current_version":"4.0"}`,
				`{"reason_codes":[],"target_version":null,"milestone":{"current":false,"latest":false,"target_is_milestone":false}}`,
			},
			{
				"a deprecated one is current",
				`{"current_version":"1.5"}`,
				`{"required":true,"reason_codes":[` + newer + `,` + deprecated + `,` + guard + `],"milestone":{"current":true}}`,
			},
		}},
		{"the candidate itself is a milestone", []string{"1.0", "2.0 milestone", "3.0-rc preview milestone"}, `{}`, []asked{
			{
				"the guard is said, though it changes nothing",
				`{"current_version":"1.0"}`,
				`{"reason_codes":[` + newer + `,` + guard + `],"target_version":{"version":"2.0"},"milestone":{"latest":true,"target_is_milestone":true}}`,
			},
			{
				"on the way to a preview, too",
				`{"current_version":"1.0","include_preview":true}`,
				`{"reason_codes":[` + newer + `,` + guard + `],"target_version":{"version":"2.0"},"latest_version":{"version":"3.0-rc"},"milestone":{"latest":true,"target_is_milestone":true}}`,
			},
			{
				"a preview never guards",
				`{"current_version":"2.0","include_preview":true}`,
				`{"reason_codes":[` + newer + `],"target_version":{"version":"3.0-rc"},"milestone":{"current":true,"latest":true,"target_is_milestone":false}}`,
			},
			{
				"greater than all of them",
				`{"current_comparable_version":"9"}`,
				`{"reason_codes":[],"target_version":null,"milestone":{"current":false,"latest":true,"target_is_milestone":false}}`,
			},
		}},
		{"an optional range", []string{"1.0", "2.0", "3.0", "4.0", "1.5 deprecated"}, `{"optional_update_min_comparable_version":"1.5","optional_update_max_comparable_version":"3.0"}`, []asked{
			{"below", `{"current_version":"1.0"}`, `{"required":true,"reason_codes":[` + newer + `,` + outside + `]}`},
			{"inside", `{"current_version":"2.0"}`, `{"required":false,"reason_codes":[` + newer + `]}`},
			{"the upper end is inside", `{"current_version":"3.0"}`, `{"required":false,"reason_codes":[` + newer + `]}`},
			{"the lower end, too, but here it is deprecated", `{"current_version":"1.5"}`, `{"required":true,"reason_codes":[` + newer + `,` + deprecated + `]}`},
			{
				"the lower end written in another way",
				`{"current_comparable_version":"1.5.0-rc"}`,
				`{"required":true,"reason_codes":[` + newer + `,` + outside + `],"current_version":null}`,
			},
			{"above", `{"current_comparable_version":"3.0.1"}`, `{"required":true,"reason_codes":[` + newer + `,` + outside + `]}`},
			{"above, but nothing newer", `{"current_version":"4.0"}`, `{"should_update":false,"required":false,"reason_codes":[],"target_version":null}`},
		}},
		{"all reasons at once", []string{"2.0 milestone", "3.0", "1.0 deprecated"}, `{"optional_update_min_comparable_version":"1.5"}`, []asked{
			{
				"in their order",
				`{"current_version":"1.0"}`,
				`{"should_update":true,"required":true,"reason_codes":[` + newer + `,` + deprecated + `,` + outside + `,` + guard + `],"target_version":{"version":"2.0"}}`,
			},
			{"no upper end", `{"current_version":"2.0"}`, `{"required":false,"reason_codes":[` + newer + `],"milestone":{"current":true}}`},
		}},
		{"no lower end", []string{"1.0", "2.0", "3.0"}, `{"optional_update_max_comparable_version":"1.0"}`, []asked{
			{"inside", `{"current_comparable_version":"0.0.1-alpha"}`, `{"required":false,"reason_codes":[` + newer + `]}`},
			{"above", `{"current_version":"2.0"}`, `{"required":true,"reason_codes":[` + newer + `,` + outside + `]}`},
		}},
		{"previews only", []string{"1.0-rc preview", "2.0-rc preview"}, `{}`, []asked{
			{
				"where they are welcome",
				`{"current_version":"1.0-rc","include_preview":true}`,
				`{"latest_version":{"version":"2.0-rc"},"target_version":{"version":"2.0-rc"}}`,
			},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t)
			s.Project(t, "app")
			s.Publish(t, "app", tc.versions...)
			s.Must(t, 200, "PATCH", "/admin/projects/app", tc.project)
			for _, row := range tc.rows {
				s.Exchanges(t, []apitest.Exchange{{row.name, "POST", "/public/app/versions/check-update", row.body, 200, row.want}})
			}
		})
	}
}

// TestUpdateCheckDeprecatedAndNothingNewer checks the response to a caller with a deprecated
// version if there is no newer version. The response must state that the version is deprecated, and
// must not offer an update.
func TestUpdateCheckDeprecatedAndNothingNewer(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "2.0", "1.0 deprecated")
	s.Must(t, 200, "DELETE", apitest.VersionsOf("app")+"/"+s.VersionID(t, "app", "2.0"), "")
	const alone = `{"should_update":false,"required":false,"reason_codes":["current_version_deprecated"],"target_version":null,"latest_version":{"version":"1.0"}}`
	s.Exchanges(t, []apitest.Exchange{
		{"the only version there is", "POST", "/public/app/versions/check-update", `{"current_version":"1.0"}`, 200, alone},
		{"a range that it is outside of", "PATCH", "/admin/projects/app", `{"optional_update_min_comparable_version":"1.5"}`, 200, ``},
		{"says nothing without an update", "POST", "/public/app/versions/check-update", `{"current_version":"1.0"}`, 200, alone},
		{"who comes from below is still sent there", "POST", "/public/app/versions/check-update", `{"current_comparable_version":"0.9"}`, 200,
			`{"should_update":true,"required":true,"reason_codes":["newer_version_available","outside_optional_update_range"],"target_version":{"version":"1.0","is_deprecated":true}}`},
		{"a lesser official one", "PUT", apitest.VersionsOf("app") + "/by-version/0.5", ``, 201, ``},
		{"is the candidate now, as it is not deprecated", "POST", "/public/app/versions/check-update", `{"current_version":"1.0"}`, 200,
			`{"should_update":false,"required":false,"reason_codes":["current_version_deprecated"],"target_version":null,"latest_version":{"version":"0.5"}}`},
		{"a good preview beside a greater deprecated one", "PUT", apitest.VersionsOf("app") + "/by-version/0.7-rc", `{"is_preview":true}`, 201, ``},
		{"the official one is marked as a preview, too", "PUT", apitest.VersionsOf("app") + "/by-version/1.0", `{"is_preview":true}`, 200, ``},
		{"the good one is the candidate", "POST", "/public/app/versions/check-update", `{"current_version":"0.5","include_preview":true}`, 200,
			`{"latest_version":{"version":"0.7-rc"},"latest_preview_version":{"version":"1.0"},"target_version":{"version":"0.7-rc"}}`},
	})
}

func TestUpdateCheckRefused(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, key := range []string{"app", "empty", "previews"} {
		s.Project(t, key)
	}
	s.Publish(t, "app", "1.0", "Name comparable=2.0")
	s.Publish(t, "previews", "1.0-rc preview")
	const path = "/public/app/versions/check-update"
	for _, row := range []apitest.Refusal{
		{"neither version is sent", "POST", path, `{"include_preview":true}`, 400, "current_version or current_comparable_version is required"},
		{"no body", "POST", path, ``, 400, "current_version or current_comparable_version is required"},
		{"both null", "POST", path, `{"current_version":null,"current_comparable_version":null}`, 400, "current_version or current_comparable_version is required"},
		{"a blank text", "POST", path, `{"current_version":" \t"}`, 400, "current_version or current_comparable_version is required"},
		{
			"an empty value, though a text is sent",
			"POST",
			path,
			`{"current_version":"1.0","current_comparable_version":""}`,
			400,
			"current_comparable_version must be a comparable version",
		},
		{"a blank value", "POST", path, `{"current_version":"1.0","current_comparable_version":" "}`, 400, "current_comparable_version must be a comparable version"},
		{"a value with a letter before it", "POST", path, `{"current_comparable_version":"v1.0"}`, 400, "current_comparable_version must be a comparable version"},
		{"a value with a blank before it", "POST", path, `{"current_comparable_version":" 1.0"}`, 400, "current_comparable_version must be a comparable version"},
		{"a value of 65 characters", "POST", path, `{"current_comparable_version":"` + strings.Repeat("1", 65) + `"}`, 400, "at most 64 characters"},
		{"a text of 65 characters", "POST", path, `{"current_version":"` + apitest.Long(65) + `"}`, 400, "current_version must have at most 64 characters"},
		{"a text that is a number", "POST", path, `{"current_version":1.0}`, 400, "current_version must be a string"},
		{"a value that is a number", "POST", path, `{"current_comparable_version":1}`, 400, "current_comparable_version must be a string"},
		{"a flag that is a text", "POST", path, `{"current_version":"1.0","include_preview":"true"}`, 400, "include_preview must be true or false"},
		{"a flag that is a number", "POST", path, `{"current_version":"1.0","include_preview":1}`, 400, "include_preview must be true or false"},
		{
			"everything that is wrong is told",
			"POST",
			path,
			`{"current_version":5,"include_preview":5,"channel":5,"rollout_key":5,"accept_downgrade":5,"locale":5}`,
			400,
			"current_version must be a string; include_preview must be true or false; channel must be a string; rollout_key must be a string; " +
				"accept_downgrade must be true or false; locale must be a string",
		},
		{"a channel that the project does not have", "POST", path, `{"current_version":"1.0","channel":"nightly"}`, 400, `the project has no channel "nightly"`},
		{"a channel in upper case", "POST", path, `{"current_version":"1.0","channel":"Preview"}`, 400, `the project has no channel "Preview"`},
		{"a channel of 17 characters", "POST", path, `{"current_version":"1.0","channel":"` + apitest.Long(17) + `"}`, 400, "channel must have at most 16 characters"},
		{"a key of 65 characters", "POST", path, `{"current_version":"1.0","rollout_key":"` + apitest.Long(65) + `"}`, 400, "rollout_key must have at most 64 characters"},
		{"a version that is not registered, and no value: none is derived", "POST", path, `{"current_version":"0.9"}`, 400, `current_version "0.9"`},
		{"an equal value is no registered text", "POST", path, `{"current_version":"1.0.0"}`, 400, `current_version "1.0.0"`},
		{"case counts", "POST", path, `{"current_version":"name"}`, 400, `current_version "name"`},
		{"a project nobody has", "POST", "/public/none/versions/check-update", `{"current_version":"1.0"}`, 404, `project "none" not found`},
		{"what is sent is checked before the project is looked for", "POST", "/public/none/versions/check-update", `{}`, 400, "is required"},
		{
			"no version at all",
			"POST",
			"/public/empty/versions/check-update",
			`{"current_comparable_version":"1.0"}`,
			404,
			"no official version has been published yet",
		},
		{
			"no version at all, previews welcome",
			"POST",
			"/public/empty/versions/check-update",
			`{"current_comparable_version":"1.0","include_preview":true}`,
			404,
			"no version has been published yet",
		},
		{
			"previews only, not welcome",
			"POST",
			"/public/previews/versions/check-update",
			`{"current_version":"1.0-rc"}`,
			404,
			"no official version has been published yet",
		},
	} {
		t.Run(row.Name, func(t *testing.T) {
			status, answer := s.Ask(t, row.Method, row.Path, row.Body)
			if status != row.Status || !strings.Contains(apitest.Message(t, answer), row.Message) {
				t.Errorf("%s: got %d %s, want %d with %q", row.Body, status, answer, row.Status, row.Message)
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{
		{
			"64 characters of a text",
			"POST",
			path,
			`{"current_version":"` + apitest.Long(64) + `","current_comparable_version":"1"}`,
			200,
			`{"current_version":"1.0"}`,
		},
		{"64 digits of a value", "POST", path, `{"current_comparable_version":"` + strings.Repeat("9", 64) + `"}`, 200, `{"should_update":false}`},
	})
}

// TestUpdateCheckSimulation checks that the simulation returns exactly the response of the update
// check, and the reasons for it.
func TestUpdateCheckSimulation(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	for _, key := range []string{"app", "empty"} {
		s.Project(t, key)
	}
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"de"}`)
	s.Publish(t, "app", "1.0", "2.0 milestone", "5.0-rc preview")
	s.Must(t, 201, "PUT", apitest.VersionsOf("app")+"/by-version/1.5", `{"is_deprecated":true}`)
	s.Must(t, 201, "PUT", apitest.VersionsOf("app")+"/by-version/3.0", `{"platforms":["windows"],"published_at":99999999999,"translations":[{"locale":"de","title":"Drei"}]}`)
	s.Must(t, 201, "PUT", apitest.VersionsOf("app")+"/by-version/4.0-rc", `{"is_preview":true,"platform":"ios"}`)
	s.Must(t, 200, "PATCH", "/admin/projects/app", `{"optional_update_min_comparable_version":"1.2","optional_update_max_comparable_version":"2.5"}`)
	const simulation, check = "/admin/projects/app/versions/update-check-simulation", "/public/app/versions/check-update"
	// about returns the JSON of a reason that concerns a version.
	about := func(code, version string) string {
		return fmt.Sprintf(`{"code":%q,"version":%q,"version_id":%q,"comparable_version":%[2]q}`, code, version, s.VersionID(t, "app", version))
	}
	const limits = `"min_comparable_version":"1.2","max_comparable_version":"2.5","version":null,"version_id":null,"comparable_version":null,"platforms":null,"published_at":null}`
	for _, row := range []struct{ name, body, status, reasons string }{
		{"below the range", `{"current_version":"1.0"}`, "200", about("previews_not_included", "5.0-rc") + "," + about("current_version_registered", "1.0") + "," +
			about("newer_version_available", "3.0") + `,{"code":"outside_optional_update_range",` + limits + "," + about("milestone_guard", "2.0")},
		{"deprecated, in German", `{"current_version":"1.5","locale":"de"}`, "200", about("previews_not_included", "5.0-rc") + "," + about("current_version_registered", "1.5") + "," +
			about("newer_version_available", "3.0") + "," + about("current_version_deprecated", "1.5") + "," + about("milestone_guard", "2.0") + `,{"code":"inside_optional_update_range",` + limits},
		{"a target for others, in the future", `{"current_version":"2.0","platform":"Linux"}`, "200", about("previews_not_included", "5.0-rc") + "," + about("current_version_registered", "2.0") + "," +
			about("newer_version_available", "3.0") + `,{"code":"inside_optional_update_range",` + limits +
			`,{"code":"target_not_for_platform","version":"3.0","platforms":["windows"]},{"code":"target_published_in_the_future","version":"3.0","published_at":99999999999}`},
		{"not registered, above", `{"current_comparable_version":"9","include_preview":true,"platform":"linux"}`, "200",
			`{"code":"current_version_not_registered","version":null},` + about("above_latest_version", "5.0-rc")},
		{"a language that the project does not have", `{"current_version":"3.0","locale":"fr"}`, "200", about("previews_not_included", "5.0-rc") + "," +
			about("current_version_registered", "3.0") + "," + about("latest_version_installed", "3.0")},
		{"a channel that the project does not have", `{"current_version":"1.0","channel":"nightly"}`, "400", ""},
		{
			"nothing to compare it by",
			`{"current_version":"mine"}`,
			"400",
			about("previews_not_included", "5.0-rc") + `,{"code":"current_version_unknown","version":null}`,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, want := s.Ask(t, "POST", check, row.body)
			answer := s.Must(t, 200, "POST", simulation, row.body)
			if why := apitest.CompareJSON(t, answer, `{"status":`+row.status+`,"reasons":[`+row.reasons+`]}`); why != "" {
				t.Errorf("%s: %s\n%s", row.body, why, answer)
			}
			if fmt.Sprint(status) != row.status {
				t.Fatalf("%s: the update check answers %d %s, want %s", row.body, status, want, row.status)
			}
			if status == 200 && (!strings.Contains(answer, `"message":null,"answer":`+want+`,"reasons":`)) {
				t.Errorf("%s: got %s, want the answer %s", row.body, answer, want)
			}
			if status != 200 && (apitest.Field[any](t, answer, "answer") != nil || apitest.Field[string](t, answer, "message") != apitest.Message(t, want)) {
				t.Errorf("%s: got %s, want no answer and the message of %s", row.body, answer, want)
			}
		})
	}
	s.Exchanges(t, []apitest.Exchange{
		{"a preview for another platform", "POST", simulation, `{"current_version":"3.0","include_preview":true,"platform":"web"}`, 200,
			`{"status":200,"answer":{"target_version":{"version":"5.0-rc"}}}`},
		{"nothing to offer", "POST", "/admin/projects/empty/versions/update-check-simulation", `{"current_version":"1"}`, 200,
			`{"status":404,"answer":null,"message":"no official version has been published yet","reasons":[{"code":"nothing_published","version":null}]}`},
		{"a preview only for iOS", "DELETE", apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "5.0-rc"), ``, 200, ``},
		{"is named by its single platform", "POST", simulation, `{"current_version":"3.0","include_preview":true,"platform":"web"}`, 200,
			`{"reasons":[{"code":"current_version_registered"},{"code":"newer_version_available"},{"code":"outside_optional_update_range"},{"code":"target_not_for_platform","version":"4.0-rc","platforms":["ios"]}]}`},
	})
	s.Refusals(t, "/admin/projects/app", []apitest.Refusal{
		{"neither version", "POST", simulation, `{}`, 400, "current_version or current_comparable_version is required"},
		{
			"all that is wrong",
			"POST",
			simulation,
			`{"current_comparable_version":"x","platform":"beos"}`,
			400,
			"current_comparable_version must be a comparable version of at most 64 characters, such as 1.2.3 or 1.2.3-rc.1; platform must be one of",
		},
		{"no such project", "POST", "/admin/projects/nobody/versions/update-check-simulation", `{"current_version":"1"}`, 404, "not found"},
		{"too large", "POST", simulation, strings.Repeat(" ", 32<<20+1), 413, "at most"},
	})
}
