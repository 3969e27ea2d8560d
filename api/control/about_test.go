package control_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"svc/api"
	"svc/api/apitest"
	"svc/api/control"
	"svc/internal/outbound"
	"svc/internal/upstream"
)

const about = "/admin/about"

func TestAboutWithoutUpstream(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) {
		c.DocsURL = "https://docs.example/svc"
		c.Build = control.Build{Commit: "abc", Modified: true, Go: "go1", Platform: "linux/amd64"}
	}))
	s.Exchanges(t, []apitest.Exchange{
		{"what runs", "GET", about, "", 200, `{"version":"test","commit":"abc","modified":true,"go":"go1","platform":"linux/amd64","docs_url":"https://docs.example/svc","upstream_url":null,"release":null,"update":null}`},
		{"asked again", "GET", about + "?refresh=true", "", 200, `{"upstream_url":null,"update":null}`},
	})
}

// TestAbout checks the response while a second server publishes the program.
func TestAbout(t *testing.T) {
	t.Parallel()
	publisher := apitest.NewServer(t)
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) {
		c.Version = "1.2.0"
		c.Upstream = upstream.New(upstream.Config{
			HTTP: outbound.New(outbound.Config{Profile: outbound.Fixed, Version: c.Version}), Origin: publisher.URL,
			Version: c.Version, Now: c.Now, Log: slog.New(slog.DiscardHandler),
		})
	}))
	look := func(name, want string) {
		t.Helper()
		s.Clock.Advance(10 * time.Second)
		s.Exchanges(t, []apitest.Exchange{{name, "GET", about + "?refresh=1", "", 200, want}})
	}
	const nothing = `"should_update":false,"required":false,"reason_codes":[],"target":null,"latest":null}`
	look("no such project", `{"version":"1.2.0","commit":null,"release":null,"update":{"error":"it publishes no version of svc",`+nothing+`}`)
	publisher.Project(t, "svc")
	look("nothing published", `{"update":{"error":"it publishes no version of svc",`+nothing+`}`)
	publish := func(version, body string) {
		t.Helper()
		publisher.Must(t, 201, "POST", "/admin/projects/svc/versions", fmt.Sprintf(`{"version":%q,"comparable_version":%[1]q,%s}`, version, body))
	}
	publish("1.2.0", `"title":"Lanterns","published_at":1700000000`)
	page := func(version string) string { return fmt.Sprintf(`%q`, publisher.URL+"/projects/svc?version="+version) }
	running := `"release":{"version":"1.2.0","title":"Lanterns","content":null,"published_at":1700000000,"url":` + page("1.2.0") + `}`
	look("up to date", `{"upstream_url":"`+publisher.URL+`",`+running+`,"update":{"error":null,"should_update":false,"required":false,"reason_codes":[],"target":null,"latest":{"version":"1.2.0"}}}`)
	publish("1.3.0", `"title":"Beams","content":"**New**","published_at":1700000100`)
	newer := `{"version":"1.3.0","title":"Beams","content":"**New**","published_at":1700000100,"url":` + page("1.3.0") + `}`
	look("an update", `{`+running+`,"update":{"error":null,"should_update":true,"required":false,"reason_codes":["newer_version_available"],"target":`+newer+`,"latest":`+newer+`}}`)
	id := apitest.Field[string](t, publisher.Must(t, 200, "GET", "/public/svc/versions/by-version/1.2.0", ""), "id")
	publisher.Must(t, 200, "PATCH", "/admin/projects/svc/versions/"+id, `{"is_latest":false,"is_deprecated":true}`)
	s.Exchanges(t, []apitest.Exchange{{"kept", "GET", about, "", 200, `{"update":{"required":false}}`}})
	look("a required update", `{"update":{"required":true,"reason_codes":["newer_version_available","current_version_deprecated"]}}`)
	s.Exchanges(t, []apitest.Exchange{{"kept", "GET", about, "", 200, `{"update":{"required":true}}`}})
	if status, answer, _ := s.Do(t, "GET", about, s.Key(t, `{"name":"a","all_projects":true,"scopes":["projects:read"]}`), ""); status != http.StatusUnauthorized {
		t.Errorf("with an API key: got %d %s", status, answer)
	}
}
