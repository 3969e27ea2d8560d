package resource_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/api/apitest"
)

// move is a write to the versions of a project, with its expected result.
type move struct {
	name    string
	method  string // POST creates the version text, PUT publishes it, PATCH and DELETE act on it
	text    string
	body    string
	status  int
	message string // part of the error message
	latest  string // the version that has the latest flag afterwards; "" = none
}

// moves performs writes in order. After each write, it checks that at most one version has the
// latest flag. It also checks that a rejected write has not changed anything.
func moves(t *testing.T, s *apitest.Server, key string, rows []move) {
	t.Helper()
	for _, m := range rows {
		t.Run(m.name, func(t *testing.T) {
			path := apitest.VersionsOf(key)
			switch m.method {
			case "PUT":
				path += "/by-version/" + url.PathEscape(m.text)
			case "PATCH", "DELETE":
				path += "/" + s.VersionID(t, key, m.text)
			}
			before := s.Must(t, http.StatusOK, "GET", apitest.VersionsOf(key), "")
			status, answer := s.Ask(t, m.method, path, m.body)
			if status != m.status {
				t.Fatalf("%s %s %s: got %d %s, want %d", m.method, m.text, m.body, status, answer, m.status)
			}
			after := s.Must(t, http.StatusOK, "GET", apitest.VersionsOf(key), "")
			if status >= 400 {
				if told := apitest.Message(t, answer); !strings.Contains(told, m.message) {
					t.Errorf("got message %q, want %q in it", told, m.message)
				}
				if after != before {
					t.Errorf("refused, but changed something:\nbefore %s\nafter  %s", before, after)
				}
			}
			if got := latestOf(t, after); got != m.latest {
				t.Errorf("%s %s %s: the latest is %q, want %q", m.method, m.text, m.body, got, m.latest)
			}
			if m.method != "DELETE" && status < 400 && apitest.Field[bool](t, answer, "is_latest") != (apitest.Field[string](t, answer, "version") == m.latest) {
				t.Errorf("%s %s %s: the answer does not say who is the latest: %s", m.method, m.text, m.body, answer)
			}
		})
	}
}

// latestOf returns the text of the version that has the latest flag in the given list, or "" if no
// version has the flag. If several versions have the flag, the result is all their texts.
func latestOf(t testing.TB, list string) string {
	t.Helper()
	var page struct {
		Data []struct {
			Version string
			Latest  bool `json:"is_latest"`
		}
	}
	if err := json.Unmarshal([]byte(list), &page); err != nil {
		t.Fatalf("%v in %s", err, list)
	}
	var holders []string
	for _, v := range page.Data {
		if v.Latest {
			holders = append(holders, v.Version)
		}
	}
	return strings.Join(holders, " and ")
}

func post(text, more string) string {
	return `{"version":"` + text + `","comparable_version":"` + text + `"` + more + `}`
}

func TestLatestAtCreation(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	moves(t, s, "app", []move{
		{"a preview is not the latest, not even as the first", "POST", "", post("0.1", `,"is_preview":true`), 201, "", ""},
		{"the first official one is", "POST", "", post("1.0", ``), 201, "", "1.0"},
		{"a greater one takes over", "POST", "", post("2.0", ``), 201, "", "2.0"},
		{"a patch of an older line does not", "POST", "", post("1.1", ``), 201, "", "2.0"},
		{"a greater preview does not", "POST", "", post("3.0-rc", `,"is_preview":true`), 201, "", "2.0"},
		{"an equal one does", "POST", "", post("2.0.0", ``), 201, "", "2.0.0"},
		{"a deprecated one does not", "POST", "", post("1.2", `,"is_deprecated":true`), 201, "", "2.0.0"},
		{"an explicit false is honoured", "POST", "", post("4.0", `,"is_latest":false`), 201, "", "2.0.0"},
		{"null is not explicit", "POST", "", post("3.0", `,"is_latest":null`), 201, "", "3.0"},
		{"an explicit true is honoured for an older one", "POST", "", post("0.5", `,"is_latest":true`), 201, "", "0.5"},
		{"an explicit true is honoured for a preview", "POST", "", post("3.1-rc", `,"is_latest":true,"is_preview":true`), 201, "", "3.1-rc"},
		{"the holder is compared, also if it is a preview", "POST", "", post("3.0.9", ``), 201, "", "3.1-rc"},
		{"PUT follows the same rules: greater", "PUT", "5.0", `{}`, 201, "", "5.0"},
		{"PUT: older", "PUT", "4.9", ``, 201, "", "5.0"},
		{"PUT: preview", "PUT", "6.0-rc", `{"is_preview":true}`, 201, "", "5.0"},
		{"PUT: explicit", "PUT", "0.6", `{"is_latest":true}`, 201, "", "0.6"},
		{"latest and deprecated", "POST", "", post("0.7", `,"is_latest":true,"is_deprecated":true`), 400, "is_latest and is_deprecated exclude each other", "0.6"},
		{"latest and deprecated by PUT", "PUT", "0.7", `{"is_latest":true,"is_deprecated":true}`, 400, "is_latest and is_deprecated exclude each other", "0.6"},
	})
}

func TestLatestMoves(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "1.0", "2.0", "3.0-rc preview", "0.9 deprecated", "1.5 at=5", "1.5.0 at=4")
	moves(t, s, "app", []move{
		{"is_latest true clears all others", "PATCH", "1.0", `{"is_latest":true}`, 200, "", "1.0"},
		{"once more", "PATCH", "1.0", `{"is_latest":true}`, 200, "", "1.0"},
		{"other edits leave it", "PATCH", "2.0", `{"title":"t","is_milestone":true}`, 200, "", "1.0"},
		{"a greater number does not take it", "PATCH", "2.0", `{"comparable_version":"2.5"}`, 200, "", "1.0"},
		{"is_latest false of one without the flag", "PATCH", "2.0", `{"is_latest":false}`, 200, "", "1.0"},
		{"is_preview false of one without the flag", "PATCH", "3.0-rc", `{"is_preview":false}`, 200, "", "1.0"},
		{"the flag for a preview", "PATCH", "3.0-rc", `{"is_preview":true,"is_latest":true}`, 200, "", "3.0-rc"},
		{"a preview keeps it when is_preview is not sent", "PATCH", "3.0-rc", `{"title":"t"}`, 200, "", "3.0-rc"},
		{"is_preview true and no is_latest clears it; the greatest other inherits", "PATCH", "3.0-rc", `{"is_preview":true}`, 200, "", "2.0"},
		{"the same by PUT", "PUT", "2.0", `{"is_preview":true}`, 200, "", "1.5"},
		{"a null is_latest is refused", "PATCH", "1.5", `{"is_latest":null}`, 400, "is_latest must not be null", "1.5"},
		{"of equal ones that published last inherits", "PATCH", "1.5", `{"is_latest":false}`, 200, "", "1.5.0"},
		{"deletion of one without the flag", "DELETE", "1.5", ``, 200, "", "1.5.0"},
		{"deletion of the latest: the greatest official other", "DELETE", "1.5.0", ``, 200, "", "1.0"},
		{"deletion where only previews and deprecated ones are left", "DELETE", "1.0", ``, 200, "", ""},
		{"a new official one", "PUT", "0.1", ``, 201, "", "0.1"},
		{"is_latest false with no heir", "PATCH", "0.1", `{"is_latest":false}`, 200, "", ""},
		{"and back", "PUT", "0.1", `{"is_latest":true}`, 200, "", "0.1"},
		{"a preview that becomes official takes nothing", "PATCH", "2.0", `{"is_preview":false}`, 200, "", "0.1"},
		{"the heir of the last one", "DELETE", "0.1", ``, 200, "", "2.0"},
	})
}

// TestLatestInheritedByTheYoungest checks that, of several otherwise equal versions, the one that
// was created last inherits the latest flag.
func TestLatestInheritedByTheYoungest(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Publish(t, "app", "a comparable=1.0 at=5", "b comparable=1.0 at=5", "c comparable=1.0 at=5", "2.0")
	moves(t, s, "app", []move{
		{"created last", "DELETE", "2.0", ``, 200, "", "c"},
		{"then the one before", "PATCH", "c", `{"is_latest":false}`, 200, "", "b"},
		{"which it passes back", "DELETE", "b", ``, 200, "", "c"},
	})
}

func TestDeprecation(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	const excluded, unreplaced = "is_latest and is_deprecated exclude each other", "is_deprecated: a version may be deprecated only while another one is official, not deprecated and greater"
	const moved = "comparable_version: a version may be deprecated only while another one"
	moves(t, s, "app", []move{
		{"the first one", "POST", "", post("1.0", `,"is_deprecated":true`), 400, unreplaced, ""},
		{"the first one by PUT", "PUT", "1.0", `{"is_deprecated":true}`, 400, unreplaced, ""},
		{"a preview is no replacement", "PUT", "9.0", `{"is_preview":true}`, 201, "", ""},
		{"not for anybody", "PUT", "1.0", `{"is_deprecated":true}`, 400, unreplaced, ""},
		{"an official one", "PUT", "2.0", ``, 201, "", "2.0"},
		{"a replacement must be greater, not equal", "PUT", "2.0.0", `{"is_deprecated":true}`, 400, unreplaced, "2.0"},
		{"greater than what is deprecated", "PUT", "2.1", `{"is_deprecated":true}`, 400, unreplaced, "2.0"},
		{"an older one may be", "PUT", "1.0", `{"is_deprecated":true}`, 201, "", "2.0"},
		{"an older preview may be", "PUT", "1.9-rc", `{"is_preview":true,"is_deprecated":true}`, 201, "", "2.0"},
		{"the latest may not be", "PATCH", "2.0", `{"is_deprecated":true}`, 400, excluded, "2.0"},
		{"the latest may not be, by PUT", "PUT", "2.0", `{"is_deprecated":true}`, 400, excluded, "2.0"},
		{"without the flag it still needs a replacement", "PATCH", "2.0", `{"is_deprecated":true,"is_latest":false}`, 400, unreplaced, "2.0"},
		{"a replacement", "PUT", "3.0", `{"is_latest":false}`, 201, "", "2.0"},
		{"the latest with is_latest false in one request", "PATCH", "2.0", `{"is_deprecated":true,"is_latest":false}`, 200, "", "3.0"},
		{"a deprecated one cannot become the latest", "PATCH", "2.0", `{"is_latest":true}`, 400, excluded, "3.0"},
		{"a deprecated one is no replacement", "PUT", "2.0.1", `{"is_deprecated":true}`, 201, "", "3.0"},
		{"the last replacement goes", "DELETE", "3.0", ``, 200, "", ""},
		{"other edits of a deprecated one are not checked again", "PATCH", "2.0", `{"title":"t","is_milestone":true,"is_deprecated":true}`, 200, "", ""},
		{"another number is", "PATCH", "2.0", `{"comparable_version":"1.5"}`, 400, moved, ""},
		{"a number derived from another text is", "PATCH", "2.0", `{"version":"1.5"}`, 400, moved, ""},
		{"the same number, written in another way, is none", "PATCH", "2.0", `{"comparable_version":"2"}`, 200, "", ""},
		{"a preview that turns official is not checked", "PATCH", "1.9-rc", `{"is_preview":false}`, 200, "", ""},
		{"it comes back, with another number", "PATCH", "2.0", `{"is_deprecated":false,"comparable_version":"5.0"}`, 200, "", ""},
		{"now there is a replacement for another number", "PATCH", "1.0", `{"comparable_version":"4.9"}`, 200, "", ""},
		{"not for one that reaches it", "PATCH", "1.0", `{"comparable_version":"5.0.0"}`, 400, moved, ""},
		{"nor by PUT", "PUT", "1.0", `{"comparable_version":"5.1"}`, 400, moved, ""},
		{"null derives the old one again", "PATCH", "1.0", `{"comparable_version":null}`, 200, "", ""},
		{"what came back may be the latest", "PATCH", "2.0", `{"is_latest":true}`, 200, "", "2.0"},
		{"deprecated and no longer, in one list of edits", "PATCH", "1.0", `{"is_deprecated":false,"is_latest":true}`, 200, "", "1.0"},
		{"the flag and the mark at once", "PATCH", "1.0", `{"is_deprecated":true,"is_latest":true}`, 400, excluded, "1.0"},
		{"the flag was given away before", "PATCH", "2.0", `{"is_latest":true}`, 200, "", "2.0"},
		{"so the mark is free", "PATCH", "1.0", `{"is_deprecated":true}`, 200, "", "2.0"},
		{"a lower number of the replacement is not held against it", "PATCH", "2.0", `{"comparable_version":"0.1"}`, 200, "", "2.0"},
		{"the latest as a preview that is deprecated at once: no replacement", "PATCH", "2.0", `{"is_preview":true,"is_deprecated":true}`, 400, unreplaced, "2.0"},
	})
}
