package pages_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"svc/api"
	"svc/api/apitest"
	"svc/internal/datadir"
	"svc/internal/terms"
	"svc/store"
)

// site starts a server with a configured address and a project that has all kinds of data that a
// page can show.
func site(t *testing.T) *apitest.Server {
	t.Helper()
	s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) { c.SiteURL = "https://svc.example" }))
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"former","name":"Lumen","description":"A *quiet* notebook.","author":"Ada","author_homepage_url":"https://ada.example",
		"icon_url":"https://lumen.example/icon.png","website_url":"https://lumen.example","docs_url":"https://docs.lumen.example","repo_url":"https://git.example/lumen","published_at":1650000000}`)
	s.Must(t, 200, "PATCH", "/admin/projects/former", `{"project_key":"lumen"}`)
	for _, slug := range []string{terms.PrivacyPolicy, terms.SDKCompliance} {
		s.Must(t, 200, "PUT", "/admin/terms/documents/"+slug, `{"custom":true,"content":"## Who we are\n\nAda."}`)
	}
	return s
}

// visit returns the body of a page. The test fails if the page does not exist.
func visit(t *testing.T, s *apitest.Server, path string, headers ...string) string {
	t.Helper()
	all := map[string]string{"Accept-Encoding": "identity"}
	for i := 0; i < len(headers); i += 2 {
		all[headers[i]] = headers[i+1]
	}
	status, page, header := s.Visit(t, "GET", path, all)
	if status != 200 || header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Fatalf("%s: got %d %v %.500s", path, status, header, page)
	}
	return page
}

// holds checks that a page contains all of the texts in the given order.
func holds(t *testing.T, page string, texts ...string) {
	t.Helper()
	rest := page
	for _, text := range texts {
		_, after, found := strings.Cut(rest, text)
		if !found {
			t.Errorf("there is no %q, or not at its place, in\n%s", text, page)
			return
		}
		rest = after
	}
}

func lacks(t *testing.T, page string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Errorf("there is %q in\n%s", text, page)
		}
	}
}

// public holds the address of one page of each kind.
var public = []string{"/", "/projects/lumen", "/terms/privacy-policy", "/terms/sdk-compliance", "/doc", "/doc/api-keys", "/doc/checkForUpdate"}

// TestPublicPages checks the properties that all public pages must have.
func TestPublicPages(t *testing.T) {
	t.Parallel()
	s := site(t)
	for _, path := range public {
		_, page, header := s.Visit(t, "GET", path, map[string]string{"Accept-Encoding": "identity", "Origin": "https://elsewhere.example"})
		for name, want := range map[string]string{
			"Cache-Control": "public, max-age=60", "Vary": "Accept-Encoding, Accept-Language", "X-Robots-Tag": "", "Access-Control-Allow-Origin": "",
			"Content-Type": "text/html; charset=utf-8",
		} {
			if got := header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		scripts := "'none'"
		if strings.HasPrefix(path, "/doc") {
			scripts = "'self'"
		}
		if got := policy(t, header.Get("Content-Security-Policy"), "script-src"); got != scripts {
			t.Errorf("%s: scripts of %s are allowed, want %s", path, got, scripts)
		}
		holds(t, page, `<html lang="en">`, `<link rel="canonical" href="https://svc.example`+path+`">`, `property="og:title"`, `property="og:url" content="https://svc.example`+path, "<h1", "</h1>",
			`href="/terms/privacy-policy"`, `href="/terms/sdk-compliance"`)
		lacks(t, page, "<style", " style=", "<script>", " onclick", "noindex", "ZgotmplZ")
		if n := strings.Count(page, "<script"); n > 0 && scripts == "'none'" || n > 1 {
			t.Errorf("%s has %d scripts", path, n)
		}
		if n := strings.Count(page, "<h1"); n != 1 {
			t.Errorf("%s has %d titles", path, n)
		}
		tag := header.Get("ETag")
		if status, body, _ := s.Visit(t, "GET", path, map[string]string{"Accept-Encoding": "identity", "If-None-Match": tag}); status != 304 || body != "" {
			t.Errorf("%s: what is known: got %d with %d bytes, want 304", path, status, len(body))
		}
		_, squeezed, header := s.Visit(t, "GET", path, map[string]string{"Accept-Encoding": "gzip"})
		if header.Get("Content-Encoding") != "gzip" || header.Get("ETag") == tag || unzipped(t, squeezed) != page {
			t.Errorf("%s: compressed it is another page, %v", path, header)
		}
		if status, _, _ := s.Visit(t, "GET", strings.TrimSuffix(path, "/")+"/", nil); status != 200 {
			t.Errorf("%s/: got %d, want 200", path, status)
		}
		if status, body, head := s.Visit(t, "HEAD", path, map[string]string{"Accept-Encoding": "identity"}); status != 200 || body != "" || head.Get("Content-Length") != fmt.Sprint(len(page)) {
			t.Errorf("HEAD %s: got %d %v, want the length %d", path, status, head, len(page))
		}
	}
}

func unzipped(t *testing.T, body string) string {
	t.Helper()
	r, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if _, err := io.Copy(&text, r); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// TestPageFiles checks that the files loaded by pages exist and may be cached forever.
func TestPageFiles(t *testing.T) {
	t.Parallel()
	s := site(t)
	page := visit(t, s, "/doc")
	found := regexp.MustCompile(`(?:href|src)="(/(?:pages|reference)/[^"]+\.(?:css|js|svg))"`).FindAllStringSubmatch(page, -1)
	if len(found) < 4 {
		t.Fatalf("the page loads %v, want two style sheets, an icon and a script", found)
	}
	for _, m := range found {
		status, body, header := s.Visit(t, "GET", m[1], map[string]string{"Accept-Encoding": "identity"})
		if status != 200 || body == "" || header.Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%s: got %d %v", m[1], status, header)
		}
		lacks(t, body, "url(", "@import", "https:")
	}
	for _, path := range []string{"/pages/style.css", "/pages/layout.html", "/pages/none", "/reference/reference.js", strings.Replace(found[0][1], "/pages/", "/reference/", 1)} {
		if status, _, _ := s.Visit(t, "GET", path, nil); status != 404 {
			t.Errorf("%s: got %d, want 404", path, status)
		}
	}
}

// TestProjectPage checks the requirements on the project page in section 13.3 of the contract.
func TestProjectPage(t *testing.T) {
	t.Parallel()
	s := site(t)
	page := visit(t, s, "/projects/lumen")
	holds(t, page, `<title>Lumen</title>`, `<meta name="description" content="A quiet notebook.">`, `og:image" content="https://lumen.example/icon.png"`,
		`L<img src="https://lumen.example/icon.png"`, `loading="lazy" referrerpolicy="no-referrer"`, "Lumen</bdi></h1>", "<code>lumen</code>", `<a href="https://ada.example"`, "Ada",
		`<time datetime="2022-04-15T05:20:00Z">15 April 2022</time>`, `href="https://lumen.example"`, "Website", `href="https://docs.lumen.example"`, "Documentation",
		`href="https://git.example/lumen"`, "Repository", "A <em>quiet</em> notebook.", "No version has been published yet.")
	lacks(t, page, "Announcements", "Latest version")

	s.Publish(t, "lumen", "1.0 at=1700000000", "2.0-rc preview at=1710000000")
	path := s.Upload(t, "lumen", "lumen-2.0.msi", "hello")
	s.Must(t, 201, "POST", apitest.VersionsOf("lumen"), fmt.Sprintf(`{"version":"2.0","comparable_version":"2.0","title":"Sketches","content":"Draw **now**.","is_latest":true,"is_milestone":true,
		"platforms":["windows","macos"],"published_at":1720000000,"download_links":[{"url":"https://dl.example%s","platform":"windows"},{"url":"https://flathub.example/apps/","name":"Flatpak"},
		{"url":"https://elsewhere.example/a%%20b.deb"}]}`, apitest.Field[string](t, path, "path")))
	s.Must(t, 200, "PUT", apitest.VersionsOf("lumen")+"/by-version/1.0", `{"is_deprecated":true}`)
	s.Announce(t, "lumen", `{"title":"Older","content":"Short.","published_at":1700000000}`)
	long := s.Announce(t, "lumen", `{"title":"Pinned","content":"`+strings.Repeat("Long words. ", 40)+`","is_pinned":true,"published_at":1600000000,"author":"Bob","platforms":["ios"]}`)
	s.Announce(t, "lumen", `{"title":"Hidden","content":"x","is_hidden":true}`)
	s.Announce(t, "lumen", `{"title":"Expired","content":"x","published_at":1600000000,"expires_at":1600000001}`)
	s.Announce(t, "lumen", `{"title":"For version 1","content":"x","max_comparable_version":"1.9"}`)
	page = visit(t, s, "/projects/lumen")
	holds(t, page, "Latest version", "2.0", "Latest</span>", "Milestone</span>", "Windows", "macOS", "Sketches", "3 July 2024",
		apitest.Field[string](t, path, "path"), "lumen-2.0.msi", "Windows · 5 B", "Flatpak", "a b.deb", "Draw <strong>now</strong>.",
		"Announcements", "Pinned:", "Pinned</span>", "13 September 2020", "Bob", "iOS", "…", "Read more", `<div popover`, "Long words.", "Older", "Short.",
		"Versions", "2.0-rc", "Preview", "1.0", "Deprecated")
	lacks(t, page, "Hidden", "Expired", "For version 1", "ZgotmplZ", "No version")

	page = visit(t, s, "/projects/lumen?announcement="+long)
	holds(t, page, "<title>Pinned · Lumen</title>", "noindex", "Long words. Long words.", `href="/projects/lumen"`)
	page = visit(t, s, "/projects/lumen?version=2.0-rc")
	holds(t, page, "<title>Lumen 2.0-rc</title>", "noindex", "2.0-rc", "All versions")
	lacks(t, page, "Sketches")
}

// TestTimeLine checks that the timeline shows up to 50 versions on pages of 12 versions each, and
// that the pages need no script.
func TestTimeLine(t *testing.T) {
	t.Parallel()
	s := site(t)
	var versions []string
	for i := range 53 {
		versions = append(versions, fmt.Sprintf("1.%d at=%d", i, 1_700_000_000+i*1000))
	}
	s.Publish(t, "lumen", versions...)
	next, seen := "/projects/lumen", []string{}
	for next != "" {
		page := visit(t, s, next)
		batch := regexp.MustCompile(`<h3><a href="/projects/lumen\?version=([^"]+)"`).FindAllStringSubmatch(page, -1)
		if len(batch) > 12 {
			t.Errorf("%s: %d versions, want 12", next, len(batch))
		}
		for _, m := range batch {
			seen = append(seen, m[1])
		}
		if (len(seen) > 12) != strings.Contains(page, "Newer versions") || (len(seen) > 12) != strings.Contains(page, "noindex") {
			t.Errorf("%s: there must be newer versions on all pages but the first, which alone is for search engines", next)
		}
		m := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(page)
		next = ""
		if m != nil {
			next = html.UnescapeString(m[1])
		}
	}
	if len(seen) != 50 || seen[0] != "1.52" || seen[49] != "1.3" {
		t.Errorf("the time line has %v, want 1.52 to 1.3", seen)
	}
	for _, number := range []string{"0", "-1", "x", "", "99999999999999999999"} {
		visit(t, s, "/projects/lumen?page="+number)
	}
	holds(t, visit(t, s, "/projects/lumen?page=999"), "1.4", "1.3", "Newer versions")
}

// TestAliasAndUnknown checks that a former key of a project leads to the project's current page. A
// missing address must be answered with a page for all clients, and search engines must not index
// that page.
func TestAliasAndUnknown(t *testing.T) {
	t.Parallel()
	s := site(t)
	for _, path := range []string{"/projects/former", "/projects/LUMEN", "/projects/%20lumen%20", "/projects/former/"} {
		holds(t, visit(t, s, path), `rel="canonical" href="https://svc.example/projects/lumen"`, "<h1>")
	}
	for _, path := range []string{"/projects/none", "/projects/none%00%0a%3cscript%3e", "/projects/lumen?version=9", "/projects/lumen?announcement=9", "/terms/imprint", "/terms/Privacy-Policy"} {
		status, page, header := s.Visit(t, "GET", path, nil)
		if status != 404 || header.Get("Cache-Control") != "" {
			t.Errorf("%s: got %d %v, want a 404 that nobody keeps", path, status, header)
		}
		holds(t, page, "noindex", "Page not found")
		lacks(t, page, "canonical", "Try again")
	}
	_, page, _ := s.Visit(t, "GET", "/projects/none", map[string]string{"Accept-Language": "zh-CN"})
	holds(t, page, `<html lang="zh-CN">`, "页面不存在")
}

// TestTermsPage checks that the page of each terms document shows the date of the last change, and
// that its navigation marks the document as current.
func TestTermsPage(t *testing.T) {
	t.Parallel()
	s := site(t)
	d := terms.Find(terms.PrivacyPolicy)
	english, chinese := d.In(terms.English), d.In(terms.Chinese)
	holds(t, visit(t, s, "/terms/privacy-policy"), "<title>"+english.Title+"</title>", `href="/terms/privacy-policy" aria-current="page"`, `href="/terms/sdk-compliance"`,
		"<h1>"+english.Title+"</h1>", "<h2>", "Last updated", `datetime="20`, "(UTC)")
	holds(t, visit(t, s, "/terms/privacy-policy", "Accept-Language", "zh-Hans-CN"), `<html lang="zh-CN">`, "<h1>"+chinese.Title+"</h1>", "最后更新于")
	s.Must(t, 200, "PUT", "/admin/terms/documents/privacy-policy", `{"custom":true,"content":"# Ours\n\n<script>alert(1)</script>"}`)
	page := visit(t, s, "/terms/privacy-policy")
	holds(t, page, "<h2>Ours</h2>", "&lt;script&gt;")
	lacks(t, page, "<script")
}

// TestUnpublishedTerms checks that a terms document with placeholders is neither shown nor linked.
func TestUnpublishedTerms(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "lumen")
	unpublished := func(slug, language, title string) {
		t.Helper()
		status, page, header := s.Visit(t, "GET", "/terms/"+slug, map[string]string{"Accept-Language": language})
		if status != 404 || header.Get("Cache-Control") != "" {
			t.Errorf("%s: got %d %v, want a 404 that nobody keeps", slug, status, header)
		}
		holds(t, page, "<title>"+title+"</title>", "noindex")
		lacks(t, page, "{{", "href=\"/terms/"+slug)
		for _, path := range []string{"/", "/projects/lumen", "/doc"} {
			lacks(t, visit(t, s, path), "/terms/"+slug)
		}
	}
	for _, slug := range []string{"privacy-policy", "sdk-compliance"} {
		unpublished(slug, "en", "Not published yet")
		unpublished(slug, "zh-CN", "尚未发布")
	}
	s.Must(t, 200, "PUT", "/admin/terms/documents/privacy-policy", `{"custom":true,"content":"Ours, {{ operator_name }}"}`)
	unpublished("privacy-policy", "en", "Not published yet")
	s.Must(t, 200, "PUT", "/admin/terms/documents/privacy-policy", `{"content":"Ours, Ada"}`)
	holds(t, visit(t, s, "/terms/privacy-policy"), "Ours, Ada")
	holds(t, visit(t, s, "/projects/lumen"), `href="/terms/privacy-policy"`)
	unpublished("sdk-compliance", "en", "Not published yet")
	s.Must(t, 200, "PUT", "/admin/terms/documents/privacy-policy", `{"custom":false}`)
	unpublished("privacy-policy", "en", "Not published yet")
}

// TestPageLanguage checks that the words of a page are in the most preferred language for which
// there are words, and that the texts of a project are in the most preferred language of the
// project.
func TestPageLanguage(t *testing.T) {
	t.Parallel()
	s := site(t)
	for _, l := range []string{`{"locale":"de-DE","aliases":["de"],"label":"Deutsch"}`, `{"locale":"zh-CN"}`, `{"locale":"fr"}`} {
		s.Must(t, 201, "POST", "/admin/projects/lumen/locales", l)
	}
	s.Must(t, 200, "PATCH", "/admin/projects/lumen", `{"translations":[{"locale":"de","name":"Leuchte"},{"locale":"zh-CN","name":"流明"},{"locale":"fr","description":"Un carnet."}]}`)
	s.Must(t, 201, "POST", apitest.VersionsOf("lumen"), `{"version":"1.0","comparable_version":"1.0","title":"Start","translations":[{"locale":"de","title":"Anfang"}]}`)
	s.Announce(t, "lumen", `{"title":"News","content":"x","translations":[{"locale":"de","title":"Neues"},{"locale":"fr","is_hidden":true}]}`)
	for _, tc := range []struct{ name, query, accept, page, title, version, announcement string }{
		{"nothing asked for", "", "", "en", "Lumen", "Start", "News"},
		{"a synonym", "", "de", "en", "Leuchte", "Anfang", "Neues"},
		{"a region that is not registered", "", "de-AT", "en", "Leuchte", "Anfang", "Neues"},
		{"by weight", "", "fr;q=0.5, zh-CN;q=0.9", "zh-CN", "流明", "Start", "News"},
		{"one that is missing first", "", "it, fr;q=0.9", "en", "Lumen", "Start", ""},
		{"hidden for the language", "", "fr-CA,fr;q=0.8", "en", "Lumen", "Start", ""},
		{"English before another one", "", "en-US,en;q=0.9,de;q=0.8", "en", "Lumen", "Start", "News"},
		{"refused", "", "de;q=0", "en", "Lumen", "Start", "News"},
		{"nothing that is a header", "", ";;q=,,=;q=x, *", "en", "Lumen", "Start", "News"},
		{"the query wins", "?locale=de", "zh-CN", "zh-CN", "Leuchte", "Anfang", "Neues"},
		{"a query for a language of pages", "?locale=zh-CN", "de", "zh-CN", "流明", "Start", "News"},
		{"a query for the original", "?locale=", "de", "en", "Lumen", "Start", "News"},
		{"a query for nothing known", "?locale=xx", "de", "en", "Lumen", "Start", "News"},
	} {
		page := visit(t, s, "/projects/lumen"+tc.query, "Accept-Language", tc.accept)
		holds(t, page, `<html lang="`+tc.page+`">`, "<h1><bdi>"+tc.title+"</bdi></h1>", tc.version)
		if want := tc.announcement; want != "" {
			holds(t, page, want)
		} else {
			lacks(t, page, "News")
		}
		if t.Failed() {
			t.Fatalf("%s: %s, %s", tc.name, tc.query, tc.accept)
		}
	}
	page := visit(t, s, "/projects/lumen?locale=de")
	holds(t, page, `href="?locale="`, "Original", `href="?locale=de-DE"`, `aria-current="true"`, "Deutsch", "zh-CN", "fr")
	holds(t, page, `href="/projects/lumen?version=1.0&amp;locale=de"`)
}

// TestFreeAddresses checks that an address entered as free text is shown as a link if a browser can
// open it, and as text otherwise.
func TestFreeAddresses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, address string
		link          bool
	}{
		{"https", "https://git.example/lumen", true},
		{"http", "http://git.example/lumen", true},
		{"ftp", "ftp://git.example/lumen", true},
		{"capitals", "HTTPS://git.example/lumen", true},
		{"blanks around it", " https://git.example/lumen ", true},
		{"no scheme", "git.example/lumen", false},
		{"a name", "northlight/lumen", false},
		{"a path", "/files/lumen", false},
		{"another host by two slashes", "//git.example/lumen", false},
		{"no host", "https:///lumen", false},
		{"ssh", "git@git.example:northlight/lumen.git", false},
		{"script", "javascript:alert(1)", false},
		{"data", "data:text/html,x", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := site(t)
			text := apitest.Quoted(tc.address)
			s.Must(t, 200, "PATCH", "/admin/projects/lumen", `{"repo_url":`+text+`}`)
			s.Must(t, 201, "POST", apitest.VersionsOf("lumen"), `{"version":"1.0","comparable_version":"1.0","download_url":`+text+`}`)
			page := visit(t, s, "/projects/lumen")
			lacks(t, page, "ZgotmplZ")
			address := strings.TrimSpace(tc.address)
			if tc.link {
				holds(t, page, `<a class="button" href="`+address+`"`, "Repository", `<a class="button first" href="`+address+`"`)
				return
			}
			lacks(t, page, `href="`+address)
			holds(t, page, "Repository", `<code class="address" dir="auto">`+address+"</code>", "Download", `<code class="address" dir="auto">`+address+"</code>")
		})
	}
}

// attacks lists texts that would have an effect if a page did not treat them as plain text.
var attacks = []string{
	`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `'><svg/onload=alert(1)>`, `</title><script>alert(1)</script>`, `javascript:alert(1)`,
	`<iframe srcdoc="<script>alert(1)</script>">`, `{{.}}{{template "main"}}`, `<a href="javascript:alert(1)">x</a>`, `[x](javascript:alert(1))`, `![x](javascript:alert(1))`,
	`<style>*{display:none}</style>`, `<base href="https://evil.example">`, `<meta http-equiv=refresh content="0;url=//evil.example">`, `<form action=//evil.example><button>x`,
	`<!--`, `--><script>alert(1)</script>`, "`<script>alert(1)</script>`", `<details open ontoggle=alert(1)>`, `&lt;script&gt;`, `<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>`,
}

// TestAttacks checks that texts written by users never become elements, attributes or scripts of a
// page.
func TestAttacks(t *testing.T) {
	t.Parallel()
	s := site(t)
	s.Publish(t, "lumen", "0.1", "0.2")
	before := elements(t, visit(t, s, "/projects/lumen?locale=")) // the page with the form for changes
	s.Must(t, 201, "POST", "/admin/projects/lumen/locales", `{"locale":"de","label":`+apitest.Quoted(attacks[1])+`}`)
	for i, attack := range attacks {
		text := apitest.Quoted(attack)
		s.Must(t, 200, "PATCH", "/admin/projects/lumen", fmt.Sprintf(`{"name":%[1]s,"description":%[1]s,"author":%[1]s,"translations":[{"locale":"de","name":%[1]s,"description":%[1]s}]}`, text))
		version := fmt.Sprintf("%d %s", i, attack)
		if len([]rune(version)) > 60 {
			version = strings.TrimSpace(cutTo(version, 60))
		}
		s.Must(t, 201, "POST", apitest.VersionsOf("lumen"), fmt.Sprintf(`{"version":%s,"comparable_version":"1.%d","title":%s,"content":%[3]s,"is_latest":true,
			"download_links":[{"url":%s,"name":%[3]s}]}`, apitest.Quoted(version), i, text, apitest.Quoted("https://x.example/"+url.PathEscape(attack))))
		s.Announce(t, "lumen", fmt.Sprintf(`{"title":%s,"content":%s}`, apitest.Quoted(cutTo(attack, 120)), apitest.Quoted(strings.Repeat(attack+"\n\n", 20))))
		for _, path := range []string{
			"/", "/projects/lumen", "/projects/lumen?locale=de", "/projects/lumen?version=" + url.QueryEscape(version), "/projects/lumen?locale=" + url.QueryEscape(attack),
			"/projects/lumen?since=" + url.QueryEscape(version), "/projects/lumen?since=0.1&locale=" + url.QueryEscape(attack),
		} {
			page := visit(t, s, path)
			if n := strings.Count(page, "<form"); n > 1 {
				t.Errorf("%q makes a form of %s", attack, path)
			}
			for name := range elements(t, page) {
				if !before[name] && !slices.Contains(allowed, name) {
					t.Errorf("%q makes the element or attribute %q of %s", attack, name, path)
				}
			}
			if strings.Contains(page, "ZgotmplZ") {
				t.Errorf("%q gets into an address of %s", attack, path)
			}
		}
	}
}

// TestUnknownChanges checks that a request for the changes since an unknown version is answered
// with the page for missing addresses, which must not show the text of that version.
func TestUnknownChanges(t *testing.T) {
	t.Parallel()
	s := site(t)
	s.Publish(t, "lumen", "1.0")
	for _, attack := range append([]string{"", " ", "latest", "4.x"}, attacks...) {
		status, page, _ := s.Visit(t, "GET", "/projects/lumen?since="+url.QueryEscape(attack), nil)
		if status != 404 {
			t.Errorf("%q: got %d, want 404", attack, status)
		}
		holds(t, page, "noindex", "Page not found")
		if strings.ContainsAny(attack, "<:{") {
			lacks(t, page, attack)
		}
	}
}

// TestChanges checks which versions the page lists as changes since a given version, and the form
// in which a visitor selects that version.
func TestChanges(t *testing.T) {
	t.Parallel()
	s := site(t)
	s.Publish(t, "lumen", "1.0", "2.0-rc preview comparable=1.9", "2.0", "2.1", "3.0-rc preview comparable=2.9")
	s.Must(t, 200, "PUT", apitest.VersionsOf("lumen")+"/by-version/2.1", `{"content":"Draw **now**."}`)
	numbers := func(path string) string {
		t.Helper()
		page := visit(t, s, path)
		var all []string
		for _, m := range regexp.MustCompile(`<h3><a href="[^"]+"><bdi>([^<]+)`).FindAllStringSubmatch(page, -1) {
			all = append(all, m[1])
		}
		return strings.Join(all, " ")
	}
	for since, want := range map[string]string{
		"1.0": "2.1 2.0", "2.0": "2.1", "2.1": "", "2.0-rc": "3.0-rc 2.1 2.0", "3.0-rc": "",
		"1.5": "2.1 2.0", "0.1": "2.1 2.0 1.0", "9": "", // comparable versions of builds that were not published here
	} {
		if got := numbers("/projects/lumen?since=" + since); got != want {
			t.Errorf("since %s: got %q, want %q", since, got, want)
		}
	}
	page := visit(t, s, "/projects/lumen?since=2.0")
	holds(t, page, "<title>What changed since 2.0 · Lumen</title>", "noindex", "What changed since 2.0</h2>", "Draw <strong>now</strong>.", `href="/projects/lumen"`)
	holds(t, visit(t, s, "/projects/lumen?since=2.1"), "There is no newer version.")
	page = visit(t, s, "/projects/lumen")
	holds(t, page, `<form class="row since">`, `<label for="since"`, "<option>2.1</option>", "<option>1.0</option>", "</form>")
	lacks(t, page, "<option>3.0-rc</option>", `name="locale"`)
	holds(t, visit(t, s, "/projects/lumen?locale=zh-CN"), `<input type="hidden" name="locale" value="zh-CN">`)
	lacks(t, visit(t, site(t), "/projects/lumen"), "<form")
}

// TestChangesAreThoseOfTheNotes checks that the page and the API list the same versions between two
// versions. On the channel of a preview they list previews too. They leave out versions that are being
// rolled out, yanked or on other channels.
func TestChangesAreThoseOfTheNotes(t *testing.T) {
	t.Parallel()
	s := site(t)
	s.Must(t, 200, "PUT", "/admin/projects/lumen/distribution", `{"channels":[{"name":"beta","includes":["stable"]}]}`)
	for _, v := range []struct{ version, fields string }{
		{"1.0", ``}, {"1.2-beta", `,"channel":"beta"`}, {"1.3", ``}, {"1.4-rc", `,"is_preview":true`}, {"1.5", ``}, {"1.1", `,"is_deprecated":true`},
		{"1.6-beta", `,"channel":"beta"`}, {"1.7", `,"rollout":{"percent":50}`}, {"1.8", `,"rollout":{"percent":0}`},
	} {
		s.Must(t, 201, "PUT", apitest.VersionsOf("lumen")+"/by-version/"+v.version, `{"title":"T"`+v.fields+`}`)
	}
	s.Must(t, 200, "POST", apitest.VersionsOf("lumen")+"/"+s.VersionID(t, "lumen", "1.3")+"/yank", `{"reason":"broken"}`)
	title := regexp.MustCompile(`<h3><a href="[^"]+"><bdi>([^<]+)`)
	for since, channel := range map[string]string{"1.0": "stable", "1.3": "stable", "1.5": "stable", "1.2-beta": "beta", "1.4-rc": "preview", "0.5": "stable"} {
		var listed, noted []string
		for _, m := range title.FindAllStringSubmatch(visit(t, s, "/projects/lumen?since="+since), -1) {
			listed = append(listed, m[1])
		}
		notes := s.Must(t, 200, "GET", "/public/lumen/versions/notes?from="+since+"&channel="+channel, "")
		for _, e := range apitest.Field[[]map[string]any](t, notes, "entries") {
			noted = append(noted, e["version"].(string))
		}
		if !slices.Equal(listed, noted) || since == "0.5" && strings.Join(listed, " ") != "1.5 1.1 1.0" {
			t.Errorf("since %s: the page lists %q, the notes %q", since, listed, noted)
		}
	}
}

// TestOffer checks that visitors see the download for their system first, with its size and age.
func TestOffer(t *testing.T) {
	t.Parallel()
	s := site(t)
	path := apitest.Field[string](t, s.Upload(t, "lumen", "lumen.dmg", "hello"), "path")
	at := s.Clock.Now().Add(-100 * time.Hour).Unix()
	s.Must(t, 201, "POST", apitest.VersionsOf("lumen"), fmt.Sprintf(`{"version":"2.0","comparable_version":"2.0","published_at":%d,"download_links":[
		{"url":"https://dl.example/lumen.msi","platform":"windows"},{"url":"https://dl.example/lumen.deb","platform":"linux"},{"url":"https://dl.example%s","platform":"macos"},
		{"url":"https://dl.example/lumen.AppImage","platform":"linux"}]}`, at, path))
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15": "Download for macOS<small><bdi>lumen.dmg · 5 B · 4 days ago",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36":         "Download for Windows<small><bdi>lumen.msi · 4 days ago",
		"Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101":             "Download for Linux<small><bdi>lumen.deb · 4 days ago",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)":               "",
		"<script>alert(1)</script>":                                            "",
	} {
		status, page, header := s.Visit(t, "GET", "/projects/lumen", map[string]string{"Accept-Encoding": "identity", "User-Agent": agent})
		if status != 200 || header.Get("Vary") != "Accept-Encoding, Accept-Language, User-Agent" {
			t.Errorf("%s: got %d %v", agent, status, header)
		}
		lacks(t, page, "<script")
		links := strings.Count(page[:strings.Index(page, `id="versions"`)], `href="https://dl.example`)
		if links != 4 {
			t.Errorf("%s: %d downloads, want 4", agent, links)
		}
		if want == "" {
			lacks(t, page, "Download for", "Other downloads")
			continue
		}
		holds(t, page, "Latest version", want, "Other downloads", `<ul class="downloads">`)
	}
}

// TestHome checks the list of projects on the start page.
func TestHome(t *testing.T) {
	t.Parallel()
	s := site(t)
	page := visit(t, s, "/")
	holds(t, page, "<title>svc.example</title>", "No app has been published here yet.", "Served by svc", `href="/doc"`, `href="/admin"`)
	lacks(t, page, "Lumen")
	s.Publish(t, "lumen", "1.0 at=1720000000")
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"aurora","name":"Aurora"}`)
	s.Publish(t, "aurora", "0.1", "0.2-rc preview")
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"secret","name":"Secret"}`)
	s.Publish(t, "secret", "0.1-rc preview")
	page = visit(t, s, "/")
	holds(t, page, `<a href="/projects/aurora"><bdi>Aurora`, "0.1", `src="https://lumen.example/icon.png"`, `<a href="/projects/lumen"><bdi>Lumen`, "1.0", "3 July 2024", "A quiet notebook.")
	lacks(t, page, "Secret", "0.2-rc", "No app")
}

// TestHomeElsewhere checks that the start page can be the page of a project or of another site.
func TestHomeElsewhere(t *testing.T) {
	t.Parallel()
	for home, want := range map[string]string{"lumen": "/projects/lumen", "a b": "/projects/a%20b", "https://www.example/apps?x=1": "https://www.example/apps?x=1"} {
		s := apitest.NewServer(t, apitest.WithConfig(func(c *api.Config) { c.Home = home }))
		answer := httptest.NewRecorder()
		server, err := api.New(s.Config)
		if err != nil {
			t.Fatal(err)
		}
		server.ServeHTTP(answer, httptest.NewRequest("GET", "/", nil))
		if answer.Code != 302 || answer.Header().Get("Location") != want {
			t.Errorf("%s: got %d %v", home, answer.Code, answer.Header())
		}
	}
}

func cutTo(text string, n int) string { return string([]rune(text)[:min(n, len([]rune(text)))]) }

// allowed lists the elements and attributes that a page with content may have.
var allowed = strings.Fields("section h2 h3 h4 ul ol li p div span code pre em strong a time details summary button svg use small bdi nav blockquote u br hr " +
	"@id @class @dir @href @rel @datetime @start @popover @popovertarget @popovertargetaction @role @aria-labelledby @aria-label @aria-hidden @type @tabindex @autofocus @lang @aria-current")

// elements returns the set of names of all elements and attributes of a page, as parsed by a
// browser. The names of attributes begin with @. An address that would run a script is included as
// an additional name.
func elements(t *testing.T, page string) map[string]bool {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		found[n.Data] = true
		for _, a := range n.Attr {
			found["@"+a.Key] = true
			value := strings.ToLower(strings.TrimSpace(a.Val))
			if (a.Key == "href" || a.Key == "src") && (strings.HasPrefix(value, "javascript:") || strings.HasPrefix(value, "//")) {
				found[n.Data+" "+a.Key+"="+value] = true
			}
		}
	}
	return found
}

// TestOtherOrigins checks that nothing is loaded from other origins except pictures chosen by an
// administrator.
func TestOtherOrigins(t *testing.T) {
	t.Parallel()
	s := site(t)
	s.Must(t, 200, "PATCH", "/admin/projects/lumen", `{"icon_url":"http://plain.example/icon.png","description":"![a](https://pictures.example/a.png)"}`)
	root, err := html.Parse(strings.NewReader(visit(t, s, "/projects/lumen")))
	if err != nil {
		t.Fatal(err)
	}
	var loaded []string
	for n := range root.Descendants() {
		attribute := map[string]string{}
		for _, a := range n.Attr {
			attribute[a.Key] = a.Val
		}
		address := attribute["src"]
		if n.Data == "link" && attribute["rel"] != "canonical" {
			address = attribute["href"]
		}
		if n.Type != html.ElementNode || address == "" || strings.HasPrefix(address, "/pages/") {
			continue
		}
		loaded = append(loaded, address)
		if attribute["referrerpolicy"] != "no-referrer" || attribute["loading"] != "lazy" {
			t.Errorf("%s is loaded with %v", address, attribute)
		}
	}
	if strings.Join(loaded, " ") != "https://pictures.example/a.png" {
		t.Errorf("the page loads %v", loaded)
	}
}

// TestLongTexts checks that a page stays small regardless of the length of its texts, and that it
// links to the parts that it omits.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	s := site(t)
	long := apitest.Quoted(strings.Repeat("词语 *and* words.\n\n", 5000))
	for i := range 14 {
		s.Must(t, 201, "POST", apitest.VersionsOf("lumen"), fmt.Sprintf(`{"version":"1.%[1]d","comparable_version":"1.%[1]d","content":%[2]s}`, i, long))
	}
	for i := range 25 {
		s.Announce(t, "lumen", fmt.Sprintf(`{"title":"News %d","content":%[2]s}`, i, long))
	}
	page := ""
	for _, path := range []string{"/", "/projects/lumen?since=1.0", "/projects/lumen"} {
		_, page, _ = s.Visit(t, "GET", path, map[string]string{"Accept-Encoding": "gzip"})
		if len(page) > 60<<10 {
			t.Errorf("%s has %d bytes, want at most 60 KiB", path, len(page))
		}
		page = unzipped(t, page)
	}
	if n := strings.Count(page, `class="card announcement"`); n != 20 {
		t.Errorf("there are %d announcements, want 20", n)
	}
	holds(t, page, "Read all", "?announcement=")
	more := regexp.MustCompile(`href="(/projects/lumen\?announcement=[^"]+)"`).FindStringSubmatch(page)
	for _, path := range []string{"/projects/lumen?version=1.13", html.UnescapeString(more[1])} {
		if n := strings.Count(visit(t, s, path), "<em>and</em>"); n != 5000 {
			t.Errorf("%s has %d of the 5000 paragraphs", path, n)
		}
	}
}

// TestFailedPage checks that a browser gets an error page if a page cannot be built. The error page
// must differ from that of status 404.
func TestFailedPage(t *testing.T) {
	t.Parallel()
	s := site(t)
	closed, err := store.Open(filepath.Join(t.TempDir(), datadir.Database), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var log apitest.Journal
	config := s.Config
	config.DB, config.Log = closed, slog.New(slog.NewJSONHandler(&log, nil))
	server, err := api.New(config)
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, httptest.NewRequest("GET", "/terms/privacy-policy", nil))
	if answer.Code != 500 || answer.Header().Get("Cache-Control") != "" || !strings.Contains(log.String(), "request failed") {
		t.Errorf("got %d %v, want a 500 that nobody keeps and the log tells of\n%s", answer.Code, answer.Header(), log.String())
	}
	holds(t, answer.Body.String(), "noindex", "could not be loaded", "Try again")
}
