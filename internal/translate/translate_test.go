package translate_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/internal/fault"
	"svc/internal/outbound"
	"svc/internal/translate"
)

// request is a request that the fake service received.
type request struct {
	path   string
	header http.Header
	body   map[string]any
}

// service is a fake translation service. It sends its responses in order, and the last
// one for all further requests.
type service struct {
	*httptest.Server
	mu      sync.Mutex
	asked   []request
	answers []answer
}

type answer struct {
	status int
	body   string
}

func serve(t *testing.T, answers ...answer) *service {
	t.Helper()
	s := &service{answers: answers}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := request{path: r.URL.Path, header: r.Header}
	if err := json.NewDecoder(r.Body).Decode(&got.body); err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	s.asked = append(s.asked, got)
	a := s.answers[min(len(s.asked), len(s.answers))-1]
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// says returns the response of a service with a model that outputs text.
func says(provider, text string) answer {
	quoted, _ := json.Marshal(text) // cannot fail for a string
	if provider == translate.Anthropic {
		half := len(text) / 2
		first, _ := json.Marshal(text[:half])
		second, _ := json.Marshal(text[half:])
		return answer{200, fmt.Sprintf(`{"content":[{"type":"thinking","thinking":"well"},{"type":"text","text":%s},{"type":"text","text":%s}]}`, first, second)}
	}
	return answer{200, fmt.Sprintf(`{"choices":[{"message":{"role":"assistant","content":%s}},{"message":{"content":"another"}}]}`, quoted)}
}

func client() *translate.Client {
	return translate.New(outbound.New(outbound.Config{Profile: outbound.Operator, Version: "test"}))
}

var texts = translate.Texts{
	Kind: translate.Version, Source: "en", Target: "de", Label: "Deutsch",
	Fields: map[string]string{"title": "Hello <b>", "content": "World"},
}

const translated = `{"title":"Hallo <b>","content":"Welt","more":1}`

func TestProtocols(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, provider, path string
		header               map[string]string
		body                 map[string]any // body without the messages
	}{
		{"openai", translate.OpenAI, "/v1/chat/completions", map[string]string{"Authorization": "Bearer key", "X-Api-Key": "", "Anthropic-Version": ""},
			map[string]any{"model": "m", "temperature": 0.2, "response_format": map[string]any{"type": "json_object"}}},
		{"anthropic", translate.Anthropic, "/v1/v1/messages", map[string]string{"X-Api-Key": "key", "Anthropic-Version": "2023-06-01", "Authorization": ""},
			map[string]any{"model": "m", "max_tokens": 4096.0}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, says(tc.provider, translated))
			to := translate.Service{Provider: tc.provider, BaseURL: s.URL + "/v1//", Model: "m", APIKey: "key"}
			got, err := client().Translate(t.Context(), to, "To {{target_label}} {{ target_locale }} from {{source_locale}} {{x}}", texts)
			if err != nil || !maps.Equal(got, map[string]string{"title": "Hallo <b>", "content": "Welt"}) {
				t.Fatalf("got %v, %v, want the two fields", got, err)
			}
			r := s.asked[0]
			if r.path != tc.path || to.RequestURL() != s.URL+tc.path {
				t.Errorf("asked at %s, request URL %s, want %s", r.path, to.RequestURL(), tc.path)
			}
			for name, want := range tc.header {
				if got := r.header.Get(name); got != want {
					t.Errorf("header %s: got %q, want %q", name, got, want)
				}
			}
			system, user := conversation(t, tc.provider, r.body)
			if system != "To Deutsch de from en {{x}}" {
				t.Errorf("system: got %q", system)
			}
			for _, part := range []string{"release notes", "The source language is en.", `{"content":"World","title":"Hello <b>"}`} {
				if !strings.Contains(user, part) {
					t.Errorf("user message %q lacks %q", user, part)
				}
			}
			delete(r.body, "messages")
			delete(r.body, "system")
			if fmt.Sprint(r.body) != fmt.Sprint(tc.body) {
				t.Errorf("body: got %v, want %v", r.body, tc.body)
			}
		})
	}
}

// conversation returns the system and user messages of a request.
func conversation(t *testing.T, provider string, body map[string]any) (system, user string) {
	t.Helper()
	var roles []string
	for _, m := range body["messages"].([]any) {
		m := m.(map[string]any)
		roles = append(roles, m["role"].(string))
		if m["role"] == "system" {
			system = m["content"].(string)
		} else {
			user = m["content"].(string)
		}
	}
	want := []string{"system", "user"}
	if provider == translate.Anthropic {
		system, want = body["system"].(string), []string{"user"}
	}
	if !slices.Equal(roles, want) {
		t.Errorf("roles: got %q, want %q", roles, want)
	}
	return system, user
}

func TestWithoutAKeyThereIsNoCredential(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{translate.OpenAI, translate.Anthropic} {
		s := serve(t, says(provider, translated))
		if _, err := client().Translate(t.Context(), translate.Service{Provider: provider, BaseURL: s.URL, Model: "m"}, "p", texts); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"Authorization", "X-Api-Key"} {
			if s.asked[0].header.Get(name) != "" {
				t.Errorf("%s: header %s was sent", provider, name)
			}
		}
	}
}

func TestTokensFollowTheMessage(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		characters int
		least      float64
		most       float64
	}{{10, 4096, 4096}, {10_000, 10_000, 10_500}, {32_000, 32_000, 32_000}} {
		s := serve(t, says(translate.Anthropic, `{"content":"x"}`))
		long := translate.Texts{Kind: translate.Version, Target: "de", Fields: map[string]string{"content": strings.Repeat("ä", tc.characters)}}
		if _, err := client().Translate(t.Context(), translate.Service{Provider: translate.Anthropic, BaseURL: s.URL, Model: "m"}, "p", long); err != nil {
			t.Fatal(err)
		}
		if got := s.asked[0].body["max_tokens"].(float64); got < tc.least || got > tc.most {
			t.Errorf("%d characters: got %v tokens, want %v to %v", tc.characters, got, tc.least, tc.most)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	refused := answer{400, `{"error":"response_format"}`}
	long := strings.Repeat("é\n", 400)
	for _, tc := range []struct {
		name    string
		answers []answer
		calls   int
		kind    fault.Kind // 0 = the translation must succeed
		text    string     // text that the error must contain
	}{
		{"a refusal with 400 is repeated in the plain form", []answer{refused, says(translate.OpenAI, translated)}, 2, 0, ""},
		{"a refusal with 400 is repeated once", []answer{refused}, 2, fault.Unavailable, "answered 400"},
		{"nothing else is repeated", []answer{{429, "slow down"}}, 1, fault.Unavailable, "answered 429: slow down"},
		{"an error after the repetition", []answer{refused, {500, "oops"}}, 2, fault.Unavailable, "answered 500: oops"},
		{"a code fence is removed", []answer{says(translate.OpenAI, "\n```json\n"+translated+"\n```\n")}, 1, 0, ""},
		{"a fence without a language", []answer{says(translate.OpenAI, "```\n"+translated+"\n```")}, 1, 0, ""},
		{"a fence in one line", []answer{says(translate.OpenAI, "```json "+translated+" ```")}, 1, 0, ""},
		{"a fence that is not closed", []answer{says(translate.OpenAI, "```json\n"+translated)}, 1, fault.BadGateway, "is not a JSON object"},
		{"prose is no object", []answer{says(translate.OpenAI, "Sure: "+translated)}, 1, fault.BadGateway, "is not a JSON object: Sure:"},
		{"a list is no object", []answer{says(translate.OpenAI, `["Hallo"]`)}, 1, fault.BadGateway, "is not a JSON object"},
		{"null is no object", []answer{says(translate.OpenAI, `null`)}, 1, fault.BadGateway, "is not a JSON object"},
		{"a key is missing", []answer{says(translate.OpenAI, `{"title":"Hallo"}`)}, 1, fault.BadGateway, `has no text "content"`},
		{"a key is null", []answer{says(translate.OpenAI, `{"title":"Hallo","content":null}`)}, 1, fault.BadGateway, `has no text "content"`},
		{"a key is a number", []answer{says(translate.OpenAI, `{"title":"Hallo","content":5}`)}, 1, fault.BadGateway, `has no text "content"`},
		{"an answer without a text", []answer{{200, `{"choices":[]}`}}, 1, fault.Unavailable, "without a text"},
		{"a blank text", []answer{says(translate.OpenAI, " \n")}, 1, fault.Unavailable, "without a text"},
		{"a refusal without a word", []answer{{503, " "}}, 1, fault.Unavailable, "the translation service answered 503"},
		{"a redirect is not followed with the key", []answer{{307, ""}}, 1, fault.Unavailable, "the translation service answered 307"},
		{"an answer that is no JSON", []answer{{200, `<html>`}}, 1, fault.Unavailable, "without a text: <html>"},
		{"at most 300 characters of an answer are shown", []answer{{503, long}}, 1, fault.Unavailable, "answered 503: " + strings.Repeat("é ", 150)[:449]},
		{"the key is not shown", []answer{{401, "bad key: secret-key!"}}, 1, fault.Unavailable, "bad key: ***!"},
		{"an answer without end", []answer{{200, strings.Repeat(" ", 5<<20)}}, 1, fault.Unavailable, "answered with more than 4 MiB"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tc.answers...)
			to := translate.Service{Provider: translate.OpenAI, BaseURL: s.URL, Model: "m", APIKey: "secret-key"}
			_, err := client().Translate(t.Context(), to, "p", texts)
			if len(s.asked) != tc.calls {
				t.Errorf("got %d calls, want %d", len(s.asked), tc.calls)
			}
			if len(s.asked) == 2 && s.asked[1].body["response_format"] != nil {
				t.Error("the repetition has a response_format")
			}
			if tc.kind == 0 {
				if err != nil {
					t.Errorf("got %v, want a translation", err)
				}
				return
			}
			if !fault.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.text) || strings.HasSuffix(strings.TrimSpace(err.Error()), ":") {
				t.Errorf("got %v, want a fault of kind %d with %q", err, tc.kind, tc.text)
			}
			if tail := strings.TrimSpace(err.Error()[strings.LastIndex(err.Error(), ": ")+2:]); len([]rune(tail)) > 300 {
				t.Errorf("the error shows %d characters of the answer", len([]rune(tail)))
			}
		})
	}
}

func TestPlainFormOfAnthropic(t *testing.T) {
	t.Parallel()
	s := serve(t, answer{400, "max_tokens"}, says(translate.Anthropic, `{"content":"x"}`))
	long := translate.Texts{Kind: translate.Version, Target: "de", Fields: map[string]string{"content": strings.Repeat("x", 20_000)}}
	if _, err := client().Translate(t.Context(), translate.Service{Provider: translate.Anthropic, BaseURL: s.URL, Model: "m"}, "p", long); err != nil {
		t.Fatal(err)
	}
	if first, second := s.asked[0].body["max_tokens"], s.asked[1].body["max_tokens"]; first.(float64) < 20_000 || second != 4096.0 {
		t.Errorf("max_tokens: got %v and then %v, want those of the message and then 4096", first, second)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	gone := serve(t, answer{200, ""})
	gone.Close()
	for name, base := range map[string]string{"nobody listens": gone.URL, "a cloud's credentials": "http://169.254.169.254"} {
		_, err := client().Translate(t.Context(), translate.Service{Provider: translate.OpenAI, BaseURL: base, Model: "m"}, "p", texts)
		if !fault.Is(err, fault.Unavailable) || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("%s: got %v, want a fault of kind Unavailable without an address", name, err)
		}
	}
}

func TestSlowService(t *testing.T) {
	t.Parallel()
	end := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	t.Cleanup(s.Close)
	t.Cleanup(func() { close(end) })
	_, err := client().Within(time.Millisecond).Translate(t.Context(), translate.Service{Provider: translate.OpenAI, BaseURL: s.URL, Model: "m"}, "p", texts)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "no answer in time") {
		t.Errorf("got %v, want a fault of kind Unavailable", err)
	}
}

func TestPromptDemandsWhatMustStay(t *testing.T) {
	t.Parallel()
	for _, name := range translate.Variables {
		if !strings.Contains(translate.Prompt, "{{ "+name+" }}") {
			t.Errorf("the built-in prompt does not use %s", name)
		}
	}
	for _, demand := range []string{"one JSON object", "same keys", "Markdown", "code", "links", "HTML", "double braces", "line breaks", "version numbers", "names of products", "tone", "Add nothing", "empty text stays empty"} {
		if !strings.Contains(translate.Prompt, demand) {
			t.Errorf("the built-in prompt does not mention %q", demand)
		}
	}
}
