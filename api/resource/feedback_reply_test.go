package resource_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/api/apitest"
)

// submit sends feedback as an app does, and returns its id and its reply token.
func submit(t testing.TB, s *apitest.Server, key, body string) (id, token string) {
	t.Helper()
	answer := s.Must(t, 201, "POST", "/public/"+key+"/feedbacks", body)
	return apitest.Field[string](t, answer, "id"), apitest.Field[string](t, answer, "reply_token")
}

// askReply asks for the reply to feedback as its sender does. It sends no token if the token is
// empty.
func askReply(t testing.TB, s *apitest.Server, key, id, token string) (int, string) {
	t.Helper()
	headers := map[string]string{}
	if token != "" {
		headers["X-Reply-Token"] = token
	}
	status, answer, _ := s.Send(t, "GET", "/api/v1/public/"+key+"/feedbacks/"+id+"/reply", headers, "")
	return status, answer
}

func TestReplyReachesTheSender(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Clock.Stop()
	s.Project(t, "old")
	s.Must(t, 200, "PATCH", "/admin/projects/old", `{"project_key":"app"}`)
	id, token := submit(t, s, "app", `{"content":"It is slow."}`)
	one := feedbackOf("app") + "/" + id
	expect := func(name, want string) {
		t.Helper()
		for _, key := range []string{"app", "OLD"} {
			status, answer := askReply(t, s, key, id, token)
			if status != 200 {
				t.Fatalf("%s: got %d %s", name, status, answer)
			}
			if why := apitest.CompareJSON(t, answer, want); why != "" {
				t.Errorf("%s: %s\ngot %s", name, why, answer)
			}
			if strings.Contains(answer, "result") || strings.Contains(answer, "ip") {
				t.Errorf("%s: the sender sees %s", name, answer)
			}
		}
	}
	expect("before there is a reply", fmt.Sprintf(`{"id":%q,"status":"open","reply":null,"replied_at":null}`, id))
	first := s.Clock.Now().Unix()
	s.Exchanges(t, []apitest.Exchange{
		{"a reply", "PATCH", one, `{"reply":"Fixed in 2.1.","status":"resolved","result":"cache"}`, 200,
			fmt.Sprintf(`{"reply":"Fixed in 2.1.","replied_at":%d,"result":"cache","status":"resolved"}`, first)},
	})
	expect("a reply", fmt.Sprintf(`{"id":%q,"status":"resolved","reply":"Fixed in 2.1.","replied_at":%d}`, id, first))
	s.Clock.Advance(100 * time.Second)
	s.Exchanges(t, []apitest.Exchange{
		{"the same reply keeps its time", "PATCH", one, `{"reply":"Fixed in 2.1.","is_hidden":true}`, 200, fmt.Sprintf(`{"replied_at":%d}`, first)},
		{"so does another change", "PATCH", one, `{"status":"closed"}`, 200, fmt.Sprintf(`{"reply":"Fixed in 2.1.","replied_at":%d}`, first)},
		{"the time cannot be written", "PATCH", one, `{"replied_at":5}`, 200, fmt.Sprintf(`{"replied_at":%d}`, first)},
	})
	expect("hidden feedback keeps its reply", fmt.Sprintf(`{"reply":"Fixed in 2.1.","replied_at":%d,"status":"closed"}`, first))
	s.Exchanges(t, []apitest.Exchange{
		{"another reply has another time", "PATCH", "/admin/feedbacks/" + id, `{"reply":"` + apitest.Long(4096) + `"}`, 200,
			fmt.Sprintf(`{"replied_at":%d}`, s.Clock.Now().Unix())},
		{"a blank reply is none", "PATCH", one, `{"reply":" \n"}`, 200, `{"reply":null,"replied_at":null}`},
		{"a reply again", "PATCH", one, `{"reply":"x"}`, 200, `{"reply":"x"}`},
		{"null removes it", "PATCH", one, `{"reply":null}`, 200, `{"reply":null,"replied_at":null}`},
	})
	expect("after it was removed", `{"reply":null,"replied_at":null}`)
	s.Refusals(t, one, []apitest.Refusal{
		{"a long reply", "PATCH", one, `{"reply":"` + apitest.Long(4097) + `"}`, 400, "reply must have at most 4096 characters"},
		{"a number", "PATCH", one, `{"reply":5}`, 400, "reply must be a string"},
	})
	s.Must(t, 200, "DELETE", one, "")
	if status, answer := askReply(t, s, "app", id, token); status != 404 {
		t.Errorf("deleted: got %d %s", status, answer)
	}
}

func TestReplyTokenIsInOneAnswerOnly(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t, apitest.WithWindow(time.Minute))
	s.Project(t, "app")
	const body = `{"content":"c","reply":"mine","replied_at":1}`
	answer := s.Must(t, 201, "POST", "/public/app/feedbacks", body)
	id, token := apitest.Field[string](t, answer, "id"), apitest.Field[string](t, answer, "reply_token")
	if why := apitest.CompareJSON(t, answer, `{"reply":null,"replied_at":null}`); why != "" {
		t.Errorf("an app wrote the reply: %s", answer)
	}
	if raw, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(raw) != 16 {
		t.Errorf("the token is %q, want 128 bits in base64url", token)
	}
	for range 2 {
		again := s.Must(t, 201, "POST", "/public/app/feedbacks", body)
		if apitest.Field[string](t, again, "id") != id || apitest.Field[string](t, again, "reply_token") != token {
			t.Errorf("sent again: got %s, want the id and the token of %s", again, answer)
		}
	}
	if other, otherToken := submit(t, s, "app", `{"content":"d"}`); other == id || otherToken == token {
		t.Errorf("other feedback has the token of this one")
	}
	one := feedbackOf("app") + "/" + id
	for _, ask := range [][3]string{
		{"GET", one, ""}, {"GET", feedbackOf("app"), ""}, {"PATCH", one, `{"reply":"r"}`}, {"PATCH", "/admin/feedbacks/" + id, `{}`},
		{"POST", feedbackOf("app"), `{"content":"by hand","reply":"r"}`}, {"GET", "/admin/search?q=by+hand", ""},
	} {
		if status, answer := s.Ask(t, ask[0], ask[1], ask[2]); status > 201 || strings.Contains(answer, "reply_token") {
			t.Errorf("%s %s: got %d %s", ask[0], ask[1], status, answer)
		}
	}
	if status, answer := askReply(t, s, "app", id, token); status != 200 || strings.Contains(answer, "reply_token") {
		t.Errorf("the reply: got %d %s", status, answer)
	}
}

func TestReplyWithoutItsToken(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	s.Project(t, "app")
	s.Project(t, "other")
	id, token := submit(t, s, "app", `{"content":"c"}`)
	s.Must(t, 200, "PATCH", feedbackOf("app")+"/"+id, `{"reply":"for the sender only"}`)
	_, another := submit(t, s, "app", `{"content":"d"}`)
	announcement := s.Announce(t, "app", apitest.Titled("t", ""))
	const unknown = "0198c0de-0000-7000-8000-000000000000"
	flipped := []byte(token)
	flipped[0] ^= 1
	for _, tc := range []struct{ name, key, id, token string }{
		{"no token", "app", id, ""},
		{"the token of other feedback", "app", id, another},
		{"a bit less", "app", id, token[:len(token)-1]},
		{"a bit more", "app", id, token + "A"},
		{"padded", "app", id, token + "=="},
		{"a wrong first character", "app", id, string(flipped)},
		{"in upper case", "app", id, strings.ToUpper(token) + "x"},
		{"in quotes", "app", id, `"` + token + `"`},
		{"as a credential", "app", id, "Bearer " + token},
		{"a long one", "app", id, strings.Repeat(token, 400)},
		{"twice", "app", id, token + ", " + token},
		{"in another project", "other", id, token},
		{"of no project", "none", id, token},
		{"of no feedback", "app", unknown, token},
		{"of an announcement", "app", announcement, token},
		{"of a text", "app", "x", token},
		{"of a long text", "app", strings.Repeat("x", 5000), token},
		{"of an escaped text", "app", "%2e%2e", token},
	} {
		status, answer := askReply(t, s, tc.key, tc.id, tc.token)
		if status != 404 || strings.Contains(answer, "for the sender only") {
			t.Errorf("%s: got %d %s", tc.name, status, answer)
		}
		if tc.key != "none" && apitest.Message(t, answer) != "feedback not found" {
			t.Errorf("%s: got %s, want the message of every refusal", tc.name, answer)
		}
	}
	if status, answer := askReply(t, s, "app", strings.ToUpper(id), token); status != 200 {
		t.Errorf("the id in upper case: got %d %s", status, answer)
	}
}
