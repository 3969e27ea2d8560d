package resource_test

import (
	"strings"
	"testing"

	"svc/api/apitest"
)

const distribution = "/admin/projects/app/distribution"

const defaultHealth = `{"false_alarm":0.01,"rules":[
	{"name":"error_logs","metric":"error_logs","event":null,"tolerance":1.5,"min_failures":5,"action":"hold"},
	{"name":"update_failed","metric":"event","event":"update_failed","tolerance":1.5,"min_failures":5,"action":"hold"}]}`

func TestDistributionSettings(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	put := func(name, body, want string) apitest.Exchange {
		return apitest.Exchange{Name: name, Method: "PUT", Path: distribution, Body: body, Status: 200, Want: want}
	}
	initial := `{"channels":[],"health":` + defaultHealth + `,"signature_policy":"off"}`
	s.Exchanges(t, []apitest.Exchange{
		{Name: "before the first save", Method: "GET", Path: distribution, Status: 200, Want: strings.TrimSuffix(initial, "}") + `,"updated_at":null}`},
		put("channels", `{"channels":[{"name":"nightly","includes":["beta"]},{"name":"beta","includes":["stable"]},{"name":"lab"}]}`,
			`{"channels":[{"name":"nightly","includes":["beta"]},{"name":"beta","includes":["stable"]},{"name":"lab","includes":[]}],"signature_policy":"off"}`),
		put("a policy", `{"signature_policy":"enforce"}`, `{"signature_policy":"enforce","channels":[{"name":"nightly"},{"name":"beta"},{"name":"lab"}]}`),
		put("a part of health", `{"health":{"false_alarm":0.05}}`, `{"health":{"false_alarm":0.05,"rules":[{"name":"error_logs"},{"name":"update_failed"}]}}`),
		put("rules", `{"health":{"rules":[{"name":" crashes ","metric":"event","event":"crash","tolerance":2,"min_failures":1,"action":"notify"}]}}`,
			`{"health":{"false_alarm":0.05,"rules":[{"name":"crashes","metric":"event","event":"crash","tolerance":2,"min_failures":1,"action":"notify"}]}}`),
		put("defaults of a rule", `{"health":{"rules":[{"name":"logs","metric":"error_logs","event":null,"tolerance":null,"min_failures":null,"action":null}]}}`,
			`{"health":{"rules":[{"name":"logs","metric":"error_logs","event":null,"tolerance":1.5,"min_failures":5,"action":"hold"}]}}`),
		put("no rule", `{"health":{"rules":[]}}`, `{"health":{"rules":[]}}`),
		put("nothing", `{}`, `{"health":{"false_alarm":0.05,"rules":[]},"signature_policy":"enforce"}`),
		put("a part of health is the default again", `{"health":{"rules":null}}`, `{"health":{"false_alarm":0.05,"rules":[{"name":"error_logs"},{"name":"update_failed"}]}}`),
		put("all defaults again", `{"channels":null,"health":null,"signature_policy":null}`, initial),
		{Name: "is stored", Method: "GET", Path: distribution, Status: 200, Want: initial},
	})
	s.Refusals(t, distribution, []apitest.Refusal{
		{"no project", "GET", "/admin/projects/none/distribution", "", 404, `project "none" not found`},
		{"changes of no project", "PUT", "/admin/projects/none/distribution", `{"channels":[]}`, 404, `project "none" not found`},
		{"no list", "PUT", distribution, `{"channels":{}}`, 400, "channels must be a list"},
		{"no object", "PUT", distribution, `{"channels":["beta"]}`, 400, "channels[0] must be an object"},
		{"no name", "PUT", distribution, `{"channels":[{}]}`, 400, "channels[0].name must be a lower-case letter followed by at most 15 lower-case letters and digits"},
		{"a name that is no text", "PUT", distribution, `{"channels":[{"name":1}]}`, 400, "channels[0].name must be a string"},
		{"includes nothing known", "PUT", distribution, `{"channels":[{"name":"beta","includes":["x"]}]}`, 400, "channels[0].includes[0] must be the name of another channel"},
		{"a cycle", "PUT", distribution, `{"channels":[{"name":"a","includes":["b"]},{"name":"b","includes":["a"]}]}`, 400,
			`channels: "a" includes itself through other channels`},
		{"a policy", "PUT", distribution, `{"signature_policy":"on"}`, 400, "signature_policy must be one of: off, enforce"},
		{"health", "PUT", distribution, `{"health":1}`, 400, "health must be an object"},
		{"a false alarm", "PUT", distribution, `{"health":{"false_alarm":0.3}}`, 400, "health.false_alarm must be a number from 0.0001 to 0.2"},
		{"a false alarm that is text", "PUT", distribution, `{"health":{"false_alarm":"0.1"}}`, 400, "health.false_alarm must be a number"},
		{"a metric", "PUT", distribution, `{"health":{"rules":[{"name":"a","metric":"x"}]}}`, 400, "health.rules[0].metric must be one of: error_logs, event"},
		{"a huge number", "PUT", distribution, `{"health":{"rules":[{"name":"a","metric":"error_logs","min_failures":10001}]}}`, 400,
			"health.rules[0].min_failures must be an integer from 1 to 10000"},
	})
}

func TestVersionChannel(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 200, "PUT", distribution, `{"channels":[{"name":"beta","includes":["stable"]},{"name":"lab"}]}`)
	all := apitest.VersionsOf("app")
	publish := func(name, version, fields, want string) apitest.Exchange {
		return apitest.Exchange{
			Name: name, Method: "POST", Path: all, Status: 201, Want: want,
			Body: `{"version":"` + version + `","comparable_version":"` + version + `"` + fields + `}`,
		}
	}
	s.Exchanges(t, []apitest.Exchange{
		publish("official", "1.0", ``, `{"channel":"stable","is_preview":false,"is_latest":true}`),
		publish("null is automatic", "1.1", `,"channel":null`, `{"channel":"stable"}`),
		publish("a preview", "2.0-alpha", `,"is_preview":true`, `{"channel":"preview","is_preview":true}`),
		publish("a preview with a tag", "2.0-beta.1", `,"is_preview":true`, `{"channel":"beta","is_preview":true}`),
		publish("a channel", "2.0-beta.2", `,"channel":"lab"`, `{"channel":"lab","is_preview":true,"is_latest":false}`),
		publish("both agree", "1.2", `,"channel":"stable","is_preview":false`, `{"channel":"stable","is_preview":false}`),
	})
	one := func(text string) string { return all + "/" + s.VersionID(t, "app", text) }
	patch := func(name, version, body, want string) apitest.Exchange {
		return apitest.Exchange{Name: name, Method: "PATCH", Path: one(version), Body: body, Status: 200, Want: want}
	}
	s.Exchanges(t, []apitest.Exchange{
		patch("a preview stays on its channel", "2.0-beta.2", `{"is_preview":true,"title":"t"}`, `{"channel":"lab"}`),
		patch("automatic again", "2.0-beta.2", `{"channel":null}`, `{"channel":"beta","is_preview":true}`),
		patch("promotion", "2.0-beta.2", `{"channel":"stable"}`, `{"channel":"stable","is_preview":false}`),
		patch("back to preview", "2.0-beta.2", `{"is_preview":true}`, `{"channel":"beta","is_preview":true}`),
		patch("official", "2.0-beta.2", `{"is_preview":false}`, `{"channel":"stable","is_preview":false}`),
		patch("the latest becomes a preview", "1.2", `{"channel":"preview"}`, `{"channel":"preview","is_preview":true,"is_latest":false}`),
		{Name: "the public sees it", Method: "GET", Path: "/public/app/versions/by-version/2.0-beta.1", Status: 200, Want: `{"channel":"beta"}`},
		{Name: "by PUT", Method: "PUT", Path: all + "/by-version/2.0-beta.1", Body: `{"title":"x"}`, Status: 200, Want: `{"channel":"beta"}`},
		{Name: "a filter", Method: "GET", Path: all + "?channel=beta", Status: 200, Want: `{"total":1,"data":[{"version":"2.0-beta.1"}]}`},
		{Name: "a filter of the public", Method: "GET", Path: "/public/app/versions?channel=beta", Status: 200, Want: `{"total":1}`},
		{Name: "a filter that fits nothing", Method: "GET", Path: all + "?channel=none", Status: 200, Want: `{"total":0}`},
	})
	s.Refusals(t, all, []apitest.Refusal{
		{"an unknown channel", "PATCH", one("1.0"), `{"channel":"x"}`, 400, "channel must be one of the project's channels: stable, preview, beta, lab"},
		{"a long channel", "PATCH", one("1.0"), `{"channel":"aaaaaaaaaaaaaaaaa"}`, 400, "channel must have at most 16 characters"},
		{"no text", "PATCH", one("1.0"), `{"channel":1}`, 400, "channel must be a string"},
		{"stable is no preview", "PATCH", one("1.0"), `{"channel":"stable","is_preview":true}`, 400,
			`channel and is_preview must agree: a version is a preview on all channels except "stable"`},
		{"others are", "PATCH", one("1.0"), `{"channel":"lab","is_preview":false}`, 400,
			`channel and is_preview must agree: a version is a preview on all channels except "stable"`},
		{"a channel in use", "PUT", distribution, `{"channels":[{"name":"lab"}]}`, 409,
			`channels: version "2.0-beta.1" is on the channel "beta"; move it to another channel first`},
	})
	s.Must(t, 200, "PUT", distribution, `{"channels":[{"name":"beta"}]}`)
}

func TestNativeVersionsOfVersions(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.2.3.4")
	one := apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.2.3.4")
	patch := func(name, native, want string) apitest.Exchange {
		return apitest.Exchange{
			Name: name, Method: "PATCH", Path: one, Body: `{"native_versions":` + native + `}`, Status: 200, Want: `{"native_versions":` + want + `}`,
		}
	}
	s.Exchanges(t, []apitest.Exchange{
		{Name: "derived", Method: "GET", Path: one, Status: 200, Want: `{"native_versions":null}`},
		patch("both", `{"semver":"1.2.3-4","sparkle":"1204"}`, `{"semver":"1.2.3-4","sparkle":"1204"}`),
		{Name: "not sent", Method: "PATCH", Path: one, Body: `{"title":"t"}`, Status: 200, Want: `{"native_versions":{"sparkle":"1204"}}`},
		patch("one", `{"semver":null,"sparkle":"7"}`, `{"sparkle":"7"}`),
		patch("none", `{}`, `null`),
		patch("one again", `{"semver":"1.2.3+4"}`, `{"semver":"1.2.3+4"}`),
		patch("null", `null`, `null`),
	})
	if public := s.Must(t, 200, "GET", "/public/app/versions/by-version/1.2.3.4", ""); strings.Contains(public, "native_versions") {
		t.Errorf("the public sees native versions: %s", public)
	}
	s.Refusals(t, one, []apitest.Refusal{
		{"no object", "PATCH", one, `{"native_versions":"1"}`, 400, "native_versions must be an object"},
		{"no text", "PATCH", one, `{"native_versions":{"sparkle":1}}`, 400, "native_versions.sparkle must be a string"},
		{"empty", "PATCH", one, `{"native_versions":{"sparkle":""}}`, 400, "native_versions.sparkle must not be empty"},
		{"no SemVer", "PATCH", one, `{"native_versions":{"semver":"1.2"}}`, 400, "native_versions.semver must be a version of SemVer 2.0.0, such as 1.2.3 or 1.2.3-rc.1"},
	})
}
