package pages_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
)

// TestReference checks that every operation in openapi.yaml has a complete page to which the start
// page links.
func TestReference(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	start := visit(t, s, "/doc")
	holds(t, start, `rel="canonical"`, `name="q"`, "API reference</h1>",
		"Publish a version from CI</h2>", "/api/v1/admin/projects/my-app/versions/by-version/1.4.0", "-H &#34;X-API-Key: $SVC_KEY&#34;", `href="/doc/publishVersion"`,
		"Ask from an app", "/api/v1/public/my-app/versions/check-update", `href="/doc/checkForUpdate"`,
		"Authentication", "Authorization: Bearer", "X-API-Key", "Contents", "Rules of all requests", "<strong>Errors</strong>", `href="/reference/openapi.json"`)
	for _, o := range apitest.LoadContract(t).Operations {
		holds(t, start, `href="/doc/`+o.OperationID+`"`)
		page := visit(t, s, "/doc/"+o.OperationID)
		lacks(t, page, "ZgotmplZ", "noindex")
		holds(t, page, `aria-current="page"`, "<h1>", ">"+o.Method+"</span><code>"+o.Path+"</code>", `data-method="`+o.Method+`"`, "Answers")
		for _, p := range o.Parameters {
			holds(t, page, "<code>"+p.Value.Name+"</code>", p.Value.In)
			holds(t, page, `<input name="`+p.Value.Name+`" data-in="`+p.Value.In+`"`)
		}
		for status := range o.Responses.Map() {
			holds(t, page, "<summary><code>"+status+"</code>")
		}
		if open := o.Security != nil && len(*o.Security) == 0; open != strings.Contains(page, "Needs no credential.") || open == strings.Contains(page, `name="credential"`) {
			t.Errorf("%s: needs no credential is %v", o.OperationID, open)
		}
		if scope, _ := o.Extensions["x-scope"].(string); scope != "" {
			holds(t, page, "scope of an API key: <code>"+scope)
		}
	}
	page := visit(t, s, "/doc/createVersion", "Accept-Language", "zh")
	holds(t, page, `<html lang="zh-CN">`, "<code>comparable_version</code>", "必填", "curl -X POST", "X-API-Key: $SVC_KEY", "--json &#39;{", "<textarea", "&#34;version&#34;")
	holds(t, visit(t, s, "/doc/getAdminProfile"), "Authorization: Bearer $TOKEN") // this operation accepts no API keys
	holds(t, visit(t, s, "/doc/putUploadChunk"), "--data-binary @file", `type="file"`)
	holds(t, visit(t, s, "/doc/api-keys"), "<h1>API keys</h1>", `href="/doc/createApiKey"`)
	if status, page, _ := s.Visit(t, "GET", "/doc/none", nil); status != 404 || !strings.Contains(page, "noindex") {
		t.Errorf("an unknown operation: got %d %s", status, page)
	}
}

// TestReferenceSearch checks that a search finds operations by words, and that the page shows the
// search text as plain text.
func TestReferenceSearch(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	results := regexp.MustCompile(`<li><a href="/doc/([A-Za-z]+)(?:\?[^"]*)?"><span>`)
	for query, want := range map[string]string{"check-update": "checkForUpdate", "WEBHOOK+secret+random": "regenerateWebhookSecret", "grace_period_minutes": "rotateApiKey"} {
		var ids []string
		page := visit(t, s, "/doc?q="+query)
		for _, m := range results.FindAllStringSubmatch(page, -1) {
			ids = append(ids, m[1])
		}
		if !slices.Contains(ids, want) {
			t.Errorf("%s: got %v, want %s among them", query, ids, want)
		}
		holds(t, page, "noindex", `role="status"`)
	}
	page := visit(t, s, "/doc?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&locale=%22%3E%3Cb%3E")
	lacks(t, page, "<script>", "<b>")
	holds(t, page, "0 operations")
	holds(t, visit(t, s, "/doc?q=project&locale=zh-CN"), `<html lang="zh-CN">`, `href="/doc/createProject?locale=zh-CN"`)
}

// TestOpenAPI checks that programs can read the description of the API as JSON.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	status, body, header := s.Visit(t, "GET", "/reference/openapi.json", nil)
	var d struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal([]byte(body), &d); err != nil || status != 200 || header.Get("Content-Type") != "application/json" || header.Get("Cache-Control") != "public, max-age=300" {
		t.Fatalf("got %d %v, %v", status, header, err)
	}
	if want := apitest.LoadContract(t).Doc.Paths.Len(); len(d.Paths) != want {
		t.Errorf("%d paths, want %d", len(d.Paths), want)
	}
	if status, _, _ := s.Visit(t, "GET", "/reference/openapi.json", map[string]string{"If-None-Match": header.Get("ETag")}); status != 304 {
		t.Errorf("what is known: got %d, want 304", status)
	}
}
