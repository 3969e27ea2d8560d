package feeds_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/rollout"
)

// shown returns the version that the feed of electron-updater for Linux shows, or "" if it shows none,
// and whether the response may be shared.
func shown(t *testing.T, s *apitest.Server, query, key string) (version string, public bool) {
	t.Helper()
	headers := map[string]string{}
	if key != "" {
		headers["X-User-Staging-Id"] = key
	}
	status, body, header := get(t, s, "demo/electron/latest-linux.yml"+query, headers)
	public = strings.HasPrefix(header.Get("Cache-Control"), "public")
	if status == 404 {
		return "", public
	}
	if status != 200 {
		t.Fatalf("%s with key %q: got %d %s", query, key, status, body)
	}
	version, _, _ = strings.Cut(body, "\n")
	return strings.Trim(strings.TrimPrefix(version, "version: "), `"`), public
}

func TestFeedsDuringRollout(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Project(t, "demo")
	publish(t, s, "2.2.1", "", "Demo-2.2.1.AppImage")
	publish(t, s, "2.3.0", `,"rollout":{"percent":25}`, "Demo-2.3.0.AppImage")
	at := apitest.VersionsOf("demo") + "/" + s.VersionID(t, "demo", "2.3.0")
	seed := apitest.Field[string](t, s.Must(t, 200, "GET", at+"/rollout", ""), "seed")
	key := func(from, to int) string {
		for n := range 10_000 {
			if b := rollout.Bucket(seed, fmt.Sprint(n)); from <= b && b < to {
				return fmt.Sprint(n)
			}
		}
		t.Fatalf("no key has a bucket from %d to %d", from, to)
		return ""
	}
	in, later := key(0, 2500), key(2500, 5000)
	check := func(name, query, key, version string, public bool) {
		t.Helper()
		if got, shared := shown(t, s, query, key); got != version || shared != public {
			t.Errorf("%s: got %s, public %t; want %s, public %t", name, got, shared, version, public)
		}
	}
	check("without key", "", "", "2.2.1", true)
	check("in the percentage", "", in, "2.3.0", false)
	check("out of it", "", later, "2.2.1", false)
	s.Must(t, 200, "PUT", at+"/rollout", `{"percent":50}`)
	check("the percentage has grown", "", later, "2.3.0", false)
	s.Must(t, 200, "POST", at+"/rollout/pause", "")
	check("paused", "", in, "2.3.0", false)
	s.Must(t, 200, "POST", at+"/rollout/resume", "")
	s.Must(t, 200, "PUT", at+"/rollout", `{"percent":100,"cohort":{"current_min":"2.0"}}`)
	check("a cohort, without key", "?current=2.2.1", "", "", true)
	check("a cohort, with key", "?current=2.2.1", in, "2.3.0", false)
	s.Must(t, 200, "POST", at+"/rollout/complete", "")
	check("complete", "", "", "2.3.0", true)
	s.Must(t, 200, "POST", at+"/yank", `{"reason":"loses settings"}`)
	check("yanked", "", "", "2.2.1", true)
	status, body, header := get(t, s, "demo/electron/latest-mac.yml", map[string]string{"X-User-Staging-Id": in})
	if status != 404 || body != "Not Found" || header.Get("Cache-Control") != "public, max-age=60" || header.Get("Content-Type") != "text/plain" ||
		header.Get("Vary") != "Accept-Encoding, x-user-staging-id" {
		t.Errorf("nothing for a caller with a key: got %d %q, %v", status, body, header)
	}
	check("yanked, for those who have it", "?current=2.3.0", "", "2.2.1", false)
	if status, body, _ := get(t, s, "demo/winsparkle/stable/appcast.xml?current=2.3.0", nil); status != 200 || strings.Contains(body, "<item>") {
		t.Errorf("an updater that cannot go back: got %d %s, want no item", status, body)
	}
}
