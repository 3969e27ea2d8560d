package codehost_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"svc/internal/codehost"
)

func releaseFrom(t *testing.T, text string) *codehost.Release {
	t.Helper()
	var r codehost.Release
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return &r
}

// TestDraft checks how NewDraft maps each field.
func TestDraft(t *testing.T) {
	t.Parallel()
	const at = `"2026-05-04T10:00:00Z"`
	links := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`{"name":"a%d","browser_download_url":"https://code.example/a%[1]d"}`, i))
		}
		return strings.Join(all, ",")
	}
	for _, tc := range []struct {
		name, release string
		field         func(codehost.Draft) any
		want          any
	}{
		{"version: trimmed tag", `{"tag_name":" 1.2.3\n"}`, version, "1.2.3"},
		{"version: without one v", `{"tag_name":"v1.2.3"}`, version, "1.2.3"},
		{"version: without one V", `{"tag_name":" V1.2.3"}`, version, "1.2.3"},
		{"version: only one v goes", `{"tag_name":"vv1.2.3"}`, version, "v1.2.3"},
		{"version: a v alone is none", `{"tag_name":"v"}`, version, ""},
		{"version: a v and blanks are none", `{"tag_name":" v "}`, version, ""},
		{"version: not a text", `{"tag_name":5}`, version, ""},
		{"comparable_version: of the version", `{"tag_name":"v1.2.3-rc.1"}`, comparableOf, "1.2.3-rc.1"},
		{"comparable_version: none", `{"tag_name":"nightly"}`, comparableOf, ""},
		{"comparable_version: more than 64 characters are none", `{"tag_name":"v` + strings.Repeat("1", 65) + `"}`, comparableOf, ""},
		{"title: trimmed name", `{"name":" Spring "}`, titleOf, "Spring"},
		{"title: blank is null", `{"name":" \t"}`, titleOf, nil},
		{"title: 128 characters stay", `{"name":"` + strings.Repeat("é", 128) + `"}`, titleOf, strings.Repeat("é", 128)},
		{"title: above 128 characters 127 and an ellipsis", `{"name":"` + strings.Repeat("é", 129) + `"}`, titleOf, strings.Repeat("é", 127) + "…"},
		{"content: trimmed body", `{"body":"\n# New\r\n"}`, content, "# New"},
		{"content: blank is null", `{"body":" "}`, content, nil},
		{"content: no length cut", `{"body":"` + strings.Repeat("x", 300_000) + `"}`, content, strings.Repeat("x", 300_000)},
		{"download_links: attachments", `{"assets":[{"name":"a.zip","browser_download_url":"https://code.example/a.zip"},{"name":"b.zip","browser_download_url":" https://code.example/b.zip "}]}`,
			linksOf, []codehost.Link{{URL: "https://code.example/a.zip", Name: "a.zip"}, {URL: "https://code.example/b.zip", Name: "b.zip"}}},
		{"download_links: the first 32", `{"assets":[` + links(40) + `]}`, func(d codehost.Draft) any { return len(d.Links) }, 32},
		{"download_links: none without attachments", `{"assets":[],"zipball_url":"https://code.example/z"}`, linksOf, []codehost.Link(nil)},
		{"download_links: an address above 2048 characters is left out", `{"assets":[{"browser_download_url":"https://code.example/` + strings.Repeat("x", 2048) + `"},` + links(1) + `]}`,
			linksOf, []codehost.Link{{URL: "https://code.example/a0", Name: "a0"}}},
		{"download_links: what is no address is left out", `{"assets":[{"name":"x","browser_download_url":"javascript:alert(1)"},{"name":"y"},5,null,` + links(1) + `]}`,
			linksOf, []codehost.Link{{URL: "https://code.example/a0", Name: "a0"}}},
		{"download_links: a name above 128 characters is shortened", `{"assets":[{"name":"` + strings.Repeat("n", 200) + `","browser_download_url":"https://code.example/a"}]}`,
			linksOf, []codehost.Link{{URL: "https://code.example/a", Name: strings.Repeat("n", 127) + "…"}}},
		{"download_url: first attachment", `{"assets":[` + links(2) + `],"zipball_url":"https://code.example/z","html_url":"https://code.example/h"}`, downloadURL, "https://code.example/a0"},
		{"download_url: source archive", `{"zipball_url":"https://code.example/z","html_url":"https://code.example/h"}`, downloadURL, "https://code.example/z"},
		{"download_url: page", `{"zipball_url":null,"html_url":"https://code.example/h"}`, downloadURL, "https://code.example/h"},
		{"download_url: page, when the archive has no usable address", `{"zipball_url":"ssh://code.example","html_url":"https://code.example/h"}`, downloadURL, "https://code.example/h"},
		{"download_url: null", `{}`, downloadURL, nil},
		{"is_preview: prerelease", `{"prerelease":true}`, preview, true},
		{"is_preview: no prerelease", `{"prerelease":"true"}`, preview, false},
		{"published_at: of its publication", `{"published_at":` + at + `,"created_at":"2025-01-01T00:00:00Z"}`, publishedAt, int64(1777888800)},
		{"published_at: with an offset", `{"published_at":"2026-05-04T12:00:00+02:00"}`, publishedAt, int64(1777888800)},
		{"published_at: of its creation", `{"published_at":null,"created_at":` + at + `}`, publishedAt, int64(1777888800)},
		{"published_at: a time before 1970 is none", `{"published_at":"0001-01-01T00:00:00Z","created_at":` + at + `}`, publishedAt, int64(1777888800)},
		{"published_at: not a time", `{"published_at":"yesterday","created_at":5}`, publishedAt, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.field(codehost.NewDraft(releaseFrom(t, tc.release))); !reflect.DeepEqual(got, tc.want) {
				t.Errorf("got %#v, want %#v", got, tc.want)
			}
		})
	}
}

func version(d codehost.Draft) any      { return d.Version }
func comparableOf(d codehost.Draft) any { return d.Comparable.String() }
func titleOf(d codehost.Draft) any      { return textOrNil(d.Title) }
func content(d codehost.Draft) any      { return textOrNil(d.Content) }
func linksOf(d codehost.Draft) any      { return d.Links }
func downloadURL(d codehost.Draft) any  { return textOrNil(d.DownloadURL) }
func preview(d codehost.Draft) any      { return d.Preview }

func publishedAt(d codehost.Draft) any {
	if d.PublishedAt == nil {
		return nil
	}
	return d.PublishedAt.Unix()
}

func textOrNil(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

func TestReleaseIsReadLeniently(t *testing.T) {
	t.Parallel()
	r := releaseFrom(t, `{"tag_name":"v1","name":null,"draft":"yes","published_at":"2026-13-01","updated_at":"2026-05-04T10:00:00Z","assets":{}}`)
	want := codehost.Release{TagName: "v1", UpdatedAt: r.UpdatedAt}
	if !reflect.DeepEqual(*r, want) || r.UpdatedAt == nil || !r.UpdatedAt.Equal(time.Unix(1777888800, 0)) {
		t.Errorf("got %+v, want %+v", *r, want)
	}
	if err := json.Unmarshal([]byte(`[]`), r); err == nil {
		t.Error("a list was read as a release")
	}
}
