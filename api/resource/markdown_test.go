package resource_test

import (
	"strings"
	"testing"

	"svc/api/apitest"
)

func TestMarkdownPreview(t *testing.T) {
	t.Parallel()
	s := apitest.NewServer(t)
	const path = "/admin/markdown-preview"
	s.Exchanges(t, []apitest.Exchange{
		{"a text", "POST", path, `{"text":"# Hello\n\n*you* <script>"}`, 200, `{"html":"<h3>Hello</h3>\n<p><em>you</em> &lt;script&gt;</p>\n"}`},
		{"an empty text", "POST", path, `{"text":""}`, 200, `{"html":""}`},
	})
	s.Refusals(t, "/auth/me", []apitest.Refusal{
		{"no text", "POST", path, `{}`, 400, "text is required"},
		{"null", "POST", path, `{"text":null}`, 400, "text is required"},
		{"not a text", "POST", path, `{"text":1}`, 400, "text must be a string"},
		{"too large", "POST", path, strings.Repeat(" ", 32<<20+1), 413, "at most 33554432 bytes"},
	})
	reader := s.Key(t, `{"name":"reader","scopes":["stats:read"]}`)
	if status, answer, _ := s.Do(t, "POST", path, reader, `{"text":"a"}`); status != 200 {
		t.Errorf("with a key that reads: %d %s", status, answer)
	}
	writer := s.Key(t, `{"name":"writer","scopes":["versions:write","tokens:read"]}`)
	if status, answer, _ := s.Do(t, "POST", path, writer, `{"text":"a"}`); status != 401 {
		t.Errorf("with a key that reads nothing: %d %s", status, answer)
	}
}
