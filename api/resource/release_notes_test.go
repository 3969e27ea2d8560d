package resource_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"svc/api/apitest"
)

// stays is the size in bytes up to which the texts of a version are cached in memory.
const stays = 64 << 10

// isKept reports whether the texts of the project's only version are cached in the snapshot.
func isKept(t *testing.T, s *apitest.Server) bool {
	t.Helper()
	snap, err := s.DB.Snapshot("app")
	if err != nil {
		t.Fatal(err)
	}
	if n := snap.Catalog.Len(); n != 1 {
		t.Fatalf("got %d versions, want 1", n)
	}
	e := snap.Entry(0)
	if e.Large != (e.Record.Content == nil && e.Record.Translations == nil) {
		t.Fatalf("large: %v, but content is %v and translations are %v", e.Large, e.Record.Content, e.Record.Translations)
	}
	return !e.Large
}

func TestLargeTextsStayInTheFile(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", locales, `{"locale":"de"}`)
	for _, tc := range []struct {
		name    string
		content int // size in bytes
		german  int
		kept    bool
	}{
		{"short notes", 10, 10, true},
		{"64 KiB", stays, 0, true},
		{"one byte more", stays + 1, 0, false},
		{"64 KiB with the translations", stays - 10, 10, true},
		{"one byte more with the translations", stays - 10, 11, false},
		{"short notes with a long translation", 10, stays, false},
		{"short again", 10, 10, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			content, translations := strings.Repeat("c", tc.content), `[]`
			if tc.german > 0 {
				translations = `[{"locale":"de","content":"` + strings.Repeat("g", tc.german) + `"}]`
			}
			both := `{"content":"` + content + `","translations":` + translations + `}`
			s.Ask(t, "PUT", apitest.VersionsOf("app")+"/by-version/1.0", both)
			if kept := isKept(t, s); kept != tc.kept {
				t.Errorf("%d bytes and %d of a translation: got kept in memory %v, want %v", tc.content, tc.german, kept, tc.kept)
			}
			if why := apitest.CompareJSON(t, s.Must(t, 200, "GET", apitest.VersionsOf("app"), ""), `{"data":[`+both+`]}`); why != "" {
				t.Error(why)
			}
		})
	}
	several := strings.Repeat("c", 3<<20)
	s.Exchanges(t, []apitest.Exchange{
		{"several MiB", "PUT", apitest.VersionsOf("app") + "/by-version/1.0", `{"content":"` + several + `"}`, 200, ``},
		{"are answered to the last byte", "GET", "/public/app/versions/latest", "", 200, `{"content":"` + several + `"}`},
		{"null clears them", "PUT", apitest.VersionsOf("app") + "/by-version/1.0", `{"content":null,"translations":null}`, 200, `{"content":null,"translations":[]}`},
		{"for the public, too", "GET", "/public/app/versions/latest?locale=de", "", 200, `{"content":null,"locale":null}`},
	})
}

// TestLargeTextsEverywhere checks that every read endpoint returns large texts, which are not
// cached in memory.
func TestLargeTextsEverywhere(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Must(t, 201, "POST", locales, `{"locale":"de"}`)
	s.Must(t, 201, "POST", locales, `{"locale":"fr"}`)
	content, german := strings.Repeat("c", stays), strings.Repeat("g", stays)
	translations := `"translations":[{"locale":"de","title":null,"content":"` + german + `"},{"locale":"fr","title":"titre","content":null}]`
	s.Must(t, 201, "PUT", apitest.VersionsOf("app")+"/by-version/1.0", `{"title":"t","content":"`+content+`",`+translations+`}`)
	if isKept(t, s) {
		t.Fatal("the texts are kept in memory")
	}
	one := apitest.VersionsOf("app") + "/" + s.VersionID(t, "app", "1.0")
	full, inGerman := `{"title":"t","content":"`+content+`","locale":null}`, `{"title":"t","content":"`+german+`","locale":"de"}`
	s.Exchanges(t, []apitest.Exchange{
		{"by version", "GET", "/public/app/versions/by-version/1.0", "", 200, full},
		{"latest", "GET", "/public/app/versions/latest", "", 200, full},
		{"in another language", "GET", "/public/app/versions/latest?locale=DE", "", 200, inGerman},
		{"with one text translated", "GET", "/public/app/versions/latest?locale=fr", "", 200, `{"title":"titre","content":"` + content + `","locale":"fr"}`},
		{"in an unknown language", "GET", "/public/app/versions/latest?locale=xx", "", 200, `{"content":"` + content + `","locale_message":"The language \"xx\" is not available, so the default text is shown."}`},
		{"list", "GET", "/public/app/versions?locale=de", "", 200, `{"total":1,"data":[` + inGerman + `]}`},
		{"found by its notes", "GET", "/public/app/versions?search=CCCCCCCCCC", "", 200, `{"total":1,"data":[` + full + `]}`},
		{"not found by its translations", "GET", "/public/app/versions?search=gggg", "", 200, `{"total":0}`},
		{"update check", "POST", "/public/app/versions/check-update", `{"current_comparable_version":"0.1","locale":"de"}`, 200, `{"latest_version":` + inGerman + `,"target_version":` + inGerman + `}`},
		{"for administrators", "GET", one, "", 200, `{"content":"` + content + `",` + translations + `}`},
		{"an edit keeps them", "PATCH", one, `{"is_milestone":true}`, 200, `{"content":"` + content + `",` + translations + `}`},
		{"as a preview", "PATCH", one, `{"is_preview":true}`, 200, ``},
		{"latest preview", "GET", "/public/app/versions/latest-preview", "", 200, full},
		{"deleted", "DELETE", one, "", 200, ``},
		{"they are gone", "GET", "/public/app/versions/by-version/1.0", "", 404, ``},
	})
}

// notes returns long release notes that begin with the given title.
func notes(title string) string { return title + ":" + strings.Repeat("n", stays) }

// whole returns an error if the title and the content of a version do not belong together.
func whole(answer json.RawMessage) error {
	var v struct{ Title, Content *string }
	if err := json.Unmarshal(answer, &v); err != nil {
		return err
	}
	if v.Title == nil || v.Content == nil || *v.Content != notes(*v.Title) {
		return fmt.Errorf("title and content are not of one state: %.200s", answer)
	}
	return nil
}

// TestLargeTextsWhileTheyChange checks that a client never gets a mixture of two states when it
// reads long release notes while they are being replaced, deleted and published again. The response
// that the version does not exist is permitted, too.
func TestLargeTextsWhileTheyChange(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithRateLimit(0))
	s.Project(t, "app")
	s.Must(t, 201, "POST", locales, `{"locale":"de","aliases":["x"]}`)
	publish := func(text, title string) int {
		status, _ := s.Ask(t, "PUT", apitest.VersionsOf("app")+"/by-version/"+text,
			`{"title":"`+title+`","content":"`+notes(title)+`","translations":[{"locale":"x","title":"`+title+`","content":"`+notes(title)+`"}]}`)
		return status
	}
	publish("1.0", "stable")
	var done atomic.Bool
	var readers sync.WaitGroup
	defer readers.Wait()
	defer done.Store(true)
	reads := []struct{ method, path, body string }{
		{"GET", "/public/app/versions/by-version/2.0", ""},
		{"GET", "/public/app/versions/latest?locale=x", ""},
		{"GET", "/public/app/versions?search=NNN", ""},
		{"GET", apitest.VersionsOf("app"), ""},
		{"POST", "/public/app/versions/check-update", `{"current_comparable_version":"0.1","locale":"x"}`},
	}
	for first := range 2 {
		readers.Go(func() {
			for i := first; !done.Load(); i++ {
				x := reads[i%len(reads)]
				status, answer, err := s.Call(t, x.method, x.path, x.body)
				if err == nil {
					err = wholeAnswer(status, answer)
				}
				if err != nil {
					t.Errorf("%s %s: %v", x.method, x.path, err)
					return
				}
			}
		})
	}
	for i := range 10 {
		if status := publish("2.0", fmt.Sprintf("first %d", i)); status != http.StatusCreated {
			t.Errorf("round %d: got %d, want 201", i, status)
		}
		publish("2.0", fmt.Sprintf("second %d", i))
		s.Must(t, 200, "PATCH", locales+"/x", fmt.Sprintf(`{"locale":"de-%d"}`, i)) // changes the tag of a language, which moves its translations
		s.Must(t, 200, "DELETE", apitest.VersionsOf("app")+"/"+s.VersionID(t, "app", "2.0"), "")
	}
}

// wholeAnswer calls whole for every version in a response.
func wholeAnswer(status int, answer []byte) error {
	if status == http.StatusNotFound {
		return nil
	}
	if status != http.StatusOK {
		return fmt.Errorf("got %d %.200s, want 200 or 404", status, answer)
	}
	var a struct {
		Title  *string
		Data   []json.RawMessage
		Latest json.RawMessage `json:"latest_version"`
		Target json.RawMessage `json:"target_version"`
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		return err
	}
	versions := a.Data
	if a.Title != nil {
		versions = append(versions, answer)
	}
	if a.Latest != nil {
		versions = append(versions, a.Latest, a.Target)
	}
	for _, v := range versions {
		if err := whole(v); err != nil {
			return err
		}
	}
	return nil
}
