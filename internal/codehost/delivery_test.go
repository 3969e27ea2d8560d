package codehost_test

import (
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"svc/internal/codehost"
)

// TestParseCommand checks which comments are commands.
func TestParseCommand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, body, command, argument string
		ok                            bool
	}{
		{"a name", "/svc-deploy", "deploy", "", true},
		{"and an argument", "/svc-deploy  to  staging ", "deploy", "to  staging", true},
		{"a tab between them", "/svc-deploy\tstaging", "deploy", "staging", true},
		{"the first line that is not empty, trimmed", "\r\n  \n\t /svc-deploy staging\r\nthank you", "deploy", "staging", true},
		{"digits and hyphens", "/svc-2-go-", "2-go-", "", true},
		{"only the first line counts", "please\n/svc-deploy", "", "", false},
		{"capitals", "/svc-Deploy", "", "", false},
		{"another prefix", "/deploy", "", "", false},
		{"no name", "/svc-", "", "", false},
		{"a hyphen first", "/svc--x", "", "", false},
		{"text before it", "run /svc-deploy", "", "", false},
		{"other characters behind the name", "/svc-deploy!", "", "", false},
		{"nothing", " \n ", "", "", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			command, argument, ok := codehost.ParseCommand(tc.body)
			if command != tc.command || argument != tc.argument || ok != tc.ok {
				t.Errorf("got %q, %q, %v; want %q, %q, %v", command, argument, ok, tc.command, tc.argument, tc.ok)
			}
		})
	}
}

func FuzzParseCommand(f *testing.F) {
	f.Add("/svc-deploy staging")
	f.Add("\r\n\u00a0/svc-a\v b\nc")
	f.Fuzz(func(t *testing.T, body string) {
		name, argument, ok := codehost.ParseCommand(body)
		if !ok {
			return
		}
		if again, same, ok := codehost.ParseCommand("/svc-" + name + " " + argument); !ok || again != name || same != argument {
			t.Errorf("%q: got %q and %q, then %q and %q", body, name, argument, again, same)
		}
		if strings.TrimSpace(argument) != argument || strings.Contains(argument, "\n") {
			t.Errorf("argument %q is not trimmed", argument)
		}
	})
}

// FuzzDelivery parses arbitrary deliveries. It checks that the version made from a
// release in a delivery observes the limits of a version.
func FuzzDelivery(f *testing.F) {
	f.Add("application/json", []byte(`{"action":"created","comment":{"id":1,"body":"/svc-a","user":{"login":"x"}},"repository":{"full_name":"a/b"}}`))
	f.Add("application/x-www-form-urlencoded", []byte("payload=%7B%22action%22%3A%22updated%22%2C%22release%22%3A%7B%22tag_name%22%3A%22v1%22%7D%7D"))
	f.Add("", []byte(`{"release":{"name":"\ud800","assets":[{"name":5,"browser_download_url":"http://x"},[]],"zipball_url":"https://y","published_at":"2024-01-01T00:00:00Z"}}`))
	f.Fuzz(func(t *testing.T, kind string, raw []byte) {
		d, err := codehost.ReadDelivery(http.Header{"Content-Type": {kind}}, raw)
		if err != nil {
			return
		}
		d.CommentEvent()
		e := d.ReleaseEvent()
		if e.Release == nil {
			return
		}
		draft := codehost.NewDraft(e.Release)
		if !draft.Comparable.IsZero() && utf8.RuneCountInString(draft.Version) > 64 {
			t.Errorf("version %q is too long", draft.Version)
		}
		if draft.Title != nil && (strings.TrimSpace(*draft.Title) == "" || utf8.RuneCountInString(*draft.Title) > 128) || len(draft.Links) > 32 {
			t.Errorf("got title %q and %d links", *draft.Title, len(draft.Links))
		}
		for _, link := range draft.Links {
			if utf8.RuneCountInString(link.URL) > 2048 || utf8.RuneCountInString(link.Name) > 128 || strings.TrimSpace(link.Name) != link.Name {
				t.Errorf("got link %+v", link)
			}
		}
		if draft.PublishedAt != nil && draft.PublishedAt.Unix() < 0 {
			t.Errorf("published at %s", draft.PublishedAt)
		}
	})
}
