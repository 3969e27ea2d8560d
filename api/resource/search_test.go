package resource_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/fault"
	"svc/internal/testutil"
	"svc/store"
)

// searchList is a list that can be searched.
type searchList struct {
	name, path string
	make       func(t *testing.T, s *apitest.Server, text string) string // creates a record with the text and returns its id
}

// searchLists returns the searchable lists of the project "app" and of all projects.
func searchLists() []searchList {
	number := 0
	next := func() int { number++; return number }
	return []searchList{
		{"projects", "/admin/projects", func(t *testing.T, s *apitest.Server, text string) string {
			return create(t, s, "/admin/projects", fmt.Sprintf(`{"project_key":"p%d","name":"n","description":%s}`, next(), apitest.Quoted(text)))
		}},
		{"versions", apitest.VersionsOf("app"), func(t *testing.T, s *apitest.Server, text string) string {
			return create(t, s, apitest.VersionsOf("app"), fmt.Sprintf(`{"version":"%d","comparable_version":"%[1]d","content":%s}`, next(), apitest.Quoted(text)))
		}},
		{"announcements", apitest.AnnouncementsOf("app"), func(t *testing.T, s *apitest.Server, text string) string {
			return create(t, s, apitest.AnnouncementsOf("app"), fmt.Sprintf(`{"title":"n","content":%s}`, apitest.Quoted(text)))
		}},
		{"feedback", feedbackOf("app"), func(t *testing.T, s *apitest.Server, text string) string {
			return create(t, s, feedbackOf("app"), fmt.Sprintf(`{"content":%s}`, apitest.Quoted(text)))
		}},
		{"logs", apitest.LogsOf("app"), func(t *testing.T, s *apitest.Server, text string) string {
			return create(t, s, apitest.LogsOf("app"), fmt.Sprintf(`{"level":0,"content":%s}`, apitest.Quoted(text)))
		}},
	}
}

// found returns the ids of all results of a query, which must fit on one page.
func found(t testing.TB, s *apitest.Server, path, parameter, query string) []string {
	t.Helper()
	status, answer := s.Ask(t, "GET", path+"?limit=100&"+parameter+"="+url.QueryEscape(query), "")
	if status != 200 {
		t.Fatalf("%s?%s=%s: got %d %s", path, parameter, query, status, answer)
	}
	ids := listed(t, answer, "id")
	if total := apitest.Field[int](t, answer, "total"); total != len(ids) {
		t.Errorf("%s?%s=%s: total is %d with %d on the page", path, parameter, query, total, len(ids))
	}
	return ids
}

// reindex rebuilds the search index from all records.
func reindex(t *testing.T, s *apitest.Server) {
	t.Helper()
	err := s.Index.Rebuild(context.Background(), nil)
	if err != nil && !fault.Is(err, fault.Conflict) { // the index is already being built
		t.Fatal(err)
	}
}

// sentences lists texts with queries that find them and queries that do not.
var sentences = []struct {
	name, text string
	finds, not []string
}{
	{
		"any part",
		"The quick brown fox",
		[]string{"q", "qu", "qui", "quick brown", "he quick brown fo", "ick b", "x", "k"},
		[]string{"quik", "foxes the", "quickbrown"},
	},
	{"any case", "Straße ÄÖ Έλληνες ЖУК", []string{"strasse"[:4], "STRAß", "äö", "έλλη", "ΈΛΛΗ", "жук", "Жук"}, []string{"strasse", "ao"}},
	{"Turkish letters", "İSTANBUL ılık", []string{"stanbul", "İstanbul", "ılık", "STANBUL ıLıK"}, []string{"istanbuls"}},
	{"Chinese", "无法连接到服务器，请稍后再试", []string{"无", "连接", "服务器", "到服务器，请", "请稍后再试"}, []string{"接连", "服务者", "无法连接服务器"}},
	{"Japanese and Korean", "ファイルを開けません 파일을 열 수 없습니다", []string{"ファ", "開け", "ません", "파일", "열 수 없"}, []string{"開き"}},
	{"signs that stand for others elsewhere", "100% of a_b*c?d [e] (f) ^g$ h|i \\j 'k' \"l\" ~m +n -o p:q r&s", []string{
		"100%", "%", "a_b", "_", "b*c", "*", "?", "[e]", "(f", "^g$", "h|i", "\\j", "'k'", "\"l\"", "~m", "+n", "-o", "p:q", "r&s", "% of"}, []string{"1%0", "a%b", "a*b", "axb", "b?c", "_a"}},
	{"a version", "released v1.2.0-beta.1 today", []string{"1.2", "v1.2.0-beta.1", "1.2.0", "-beta", "beta.1", ".0-b", "V1.2"}, []string{"1.20", "v1.2.0-rc"}},
	{
		"an e-mail address",
		"write to Ada.Lovelace+news@mail.example",
		[]string{"ada.lovelace+news@mail.example", "@mail", "lovelace+news", "a.l", "MAIL.EXAMPLE", "e@"[1:]},
		[]string{"ada@mail"},
	},
	{
		"an address",
		"peer 192.168.100.23:8080 [2001:db8::7f]",
		[]string{"192.168.100.23", "168.100", ".23:80", "2001:DB8::7f", "::", "0.2"},
		[]string{"192.168.10.23"},
	},
	{
		"an identifier",
		"failed: ERR_CONN_42 in net/http.(*Client).Do at 0x7fff",
		[]string{"ERR_CONN_42", "err_conn_42", "conn_4", "_42", "http.(*client)", "0x7F", "net/http"},
		[]string{"ERR_CONN_43", "ERR-CONN"},
	},
	{
		"words in any order, where the whole text is nowhere",
		"gamma stands behind alpha and before beta",
		[]string{"beta gamma", "alpha behind gamma", "BETA alpha stan", "ehind  eta", "  before   gamma "},
		[]string{"gamma delta", "alpha zeta"},
	},
	{"an emoji", "works 👩‍🚀🇩🇪 fine", []string{"👩‍🚀", "🇩🇪", "👩", "🚀 "[:4]}, []string{"🇫🇷"}},
	{"accents in another form", "cafe\u0301 cre\u0300me", []string{"café", "cafe\u0301", "crème", "CAFÉ CRÈME"}, []string{"crêpe"}},
	{"lines and tabs", "first line\n\tsecond line\r\nthird", []string{"line\n\tsecond", "second line", "third"}, []string{"line fourth", "lines"}},
	{"a quote", `say "no" \n \u0041 <b>&amp;</b>`, []string{`"no"`, `\n`, `\u0041`, "<b>", "&amp;", "</B>"}, []string{"&lt;"}},
	{"the end of a long text", strings.Repeat("lorem ipsum ", 40) + "needle", []string{"needle", "m needle", "m ipsum needl"}, []string{"needles"}},
	{"128 characters", "x" + apitest.Long(128) + "x", []string{apitest.Long(128), "x" + apitest.Long(127)}, []string{apitest.Long(127) + "y"}},
	{"a repeated letter", "mississippi aaaaaaa", []string{"ssissi", "aaaaaaa", "issi", "pi a"}, []string{"aaaaaaaa", "ississis"}},
}

// TestSearchFinds checks that realistic queries find the right records, in every list and in the
// search across all records. It covers records that are indexed, records that are not, and a server
// without an index.
func TestSearchFinds(t *testing.T) {
	t.Parallel()
	testutil.WithoutDetector(t)
	for name, options := range map[string][]apitest.Option{"without an index": {}, "with an index": {apitest.WithIndex()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apitest.NewServer(t, options...)
			s.Project(t, "app")
			lists := searchLists()
			ids := map[string][]string{} // one id for each sentence, by list
			for _, l := range lists {
				for _, sentence := range sentences {
					ids[l.name] = append(ids[l.name], l.make(t, s, sentence.text))
				}
			}
			look := func(when string) {
				for i, sentence := range sentences {
					holds := func(query string, want bool) {
						t.Helper()
						all := found(t, s, "/admin/search", "q", query)
						for _, l := range lists {
							id := ids[l.name][i]
							if got := slices.Contains(found(t, s, l.path, "search", query), id); got != want {
								t.Errorf("%s: %s: %q in %s: found is %v, want %v", when, sentence.name, query, l.name, got, want)
							}
							if got := slices.Contains(all, id); got != want {
								t.Errorf("%s: %s: %q across everything, in %s: found is %v, want %v", when, sentence.name, query, l.name, got, want)
							}
						}
					}
					for _, query := range sentence.finds {
						holds(query, true)
					}
					for _, query := range sentence.not {
						holds(query, false)
					}
				}
			}
			look("just written")
			if s.Index != nil {
				fill(t, s, "app", 256)
				reindex(t, s)
				look("in complete blocks")
			}
		})
	}
}

// fill adds n feedback records and n logs to a project. No search in the tests matches them.
func fill(t *testing.T, s *apitest.Server, key string, n int) {
	t.Helper()
	var feedback []*store.Feedback
	var logs []*store.Log
	for range n {
		feedback = append(feedback, &store.Feedback{Content: "§"})
		logs = append(logs, &store.Log{Content: "§"})
	}
	storeFeedback(t, s, key, feedback...)
	storeLogs(t, s, key, logs...)
}

// TestSearchedFields checks which fields each list searches, and that a match never spans two
// fields.
func TestSearchedFields(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithIndex())
	s.Project(t, "app")
	s.Must(t, 201, "POST", "/admin/projects/app/locales", `{"locale":"de"}`)
	s.Must(t, 201, "POST", "/admin/projects", `{"project_key":"pkey-former","name":"pname","description":"pdescription","author":"pauthor","repo_url":"prepo",
		"author_homepage_url":"https://phome.example","website_url":"https://pweb.example"}`)
	s.Must(t, 200, "PATCH", "/admin/projects/pkey-former", `{"project_key":"pkey-now"}`)
	create(t, s, apitest.VersionsOf("app"), `{"version":"vtext","comparable_version":"77.88-rc.9","title":"vtitle","content":"vcontent","download_url":"vurl","custom_data":{"vdata":1},"translations":[{"locale":"de","title":"vgerman"}]}`)
	create(t, s, apitest.AnnouncementsOf("app"), `{"title":"atitle","content":"acontent","author":"aauthor","translations":[{"locale":"de","title":"agerman"}]}`)
	text := func(t string) *string { return &t }
	sender := store.Sender{IP: text("203.0.113.77"), UserAgent: text("xagent"), CountryCode: text("QQ"), CountryName: text("xcountry"), RegionName: text("xregion"), City: text("xcity")}
	feedback := &store.Feedback{Content: "fcontent", UserID: text("fuser"), Contact: text("fcontact"), PlatformVersion: text("fversion"), Result: text("fresult"), CustomData: json.RawMessage(`{"fdata":1}`), Sender: sender}
	log := &store.Log{Content: "lcontent", Source: text("lsource"), PlatformVersion: text("lversion"), DeviceInfo: json.RawMessage(`{"ldevice":1}`), CustomData: json.RawMessage(`{"ldata":1}`), Sender: sender}
	storeFeedback(t, s, "app", feedback)
	storeLogs(t, s, "app", log)
	for _, tc := range []struct{ path, finds, not string }{
		{"/admin/projects", "pkey-now pname pdescription pauthor prepo pkey-former", "phome pweb"},
		{apitest.VersionsOf("app"), "vtext 77.88-rc.9 vtitle vcontent", "vurl vdata vgerman textv vtext77"},
		{"/public/app/versions", "vtext 77.88-rc.9 vtitle vcontent", "vurl vdata vgerman"},
		{apitest.AnnouncementsOf("app"), "atitle acontent aauthor", "agerman atitleacontent"},
		{"/public/app/announcements", "atitle acontent aauthor", "agerman atitleacontent"},
		{feedbackOf("app"), "fcontent fuser fcontact 203.0.113.77 xcity xcountry xregion fversion", "xagent qq fresult fdata fcontentfuser open"},
		{apitest.LogsOf("app"), "lcontent lsource 203.0.113.77 xcity xcountry xregion lversion", "xagent qq ldevice ldata lcontentlsource"},
	} {
		for query := range strings.FieldsSeq(tc.finds) {
			for _, q := range []string{query, strings.ToUpper(query), query[1:], query[:len(query)-1], query[1:3]} {
				if got := found(t, s, tc.path, "search", q); len(got) != 1 {
					t.Errorf("%s: %q: got %v, want one", tc.path, q, got)
				}
			}
			if got := found(t, s, "/admin/search", "q", query); len(got) == 0 {
				t.Errorf("%q is not found across everything", query)
			}
		}
		for query := range strings.FieldsSeq(tc.not) {
			if got := found(t, s, tc.path, "search", query); len(got) != 0 {
				t.Errorf("%s: %q: got %v, want nothing", tc.path, query, got)
			}
		}
	}
	// Words may occur in different fields.
	if got := found(t, s, feedbackOf("app"), "search", "xcity fuser fcontent"); len(got) != 1 {
		t.Errorf("words in several fields: got %v, want one", got)
	}
}
