package feeds_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/api/apitest"
	"svc/internal/asset"
	"svc/internal/rollout"
	"svc/store"
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

// key returns a rollout key with a bucket in a range. at is the path of the version.
func key(t *testing.T, s *apitest.Server, at string, from, to int) string {
	t.Helper()
	seed := apitest.Field[string](t, s.Must(t, 200, "GET", at+"/rollout", ""), "seed")
	for n := range 10_000 {
		if b := rollout.Bucket(seed, fmt.Sprint(n)); from <= b && b < to {
			return fmt.Sprint(n)
		}
	}
	t.Fatalf("no key has a bucket from %d to %d", from, to)
	return ""
}

func TestFeedsDuringRollout(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Project(t, "demo")
	publish(t, s, "2.2.1", "", "Demo-2.2.1.AppImage")
	publish(t, s, "2.3.0", `,"rollout":{"percent":25}`, "Demo-2.3.0.AppImage")
	at := apitest.VersionsOf("demo") + "/" + s.VersionID(t, "demo", "2.3.0")
	in, later := key(t, s, at, 0, 2500), key(t, s, at, 2500, 5000)
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

func TestPersonalFeedsChangeWithTheProject(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	s.Project(t, "demo")
	s.Must(t, 201, "POST", "/admin/projects/demo/locales", `{"locale":"de"}`)
	for _, v := range []string{"2.2.1", "2.3.0", "2.4.0"} {
		more := ""
		if v == "2.4.0" {
			more = `,"rollout":{"percent":25}`
		}
		publish(t, s, v, more, "Demo-"+v+".AppImage", "Demo-"+v+".dmg")
	}
	one := apitest.VersionsOf("demo") + "/" + s.VersionID(t, "demo", "2.3.0")
	last := apitest.VersionsOf("demo") + "/" + s.VersionID(t, "demo", "2.4.0")
	in, out := key(t, s, last, 0, 2500), key(t, s, last, 2500, 10_000)
	sees := func(step, path, key, want string) {
		t.Helper()
		for range 2 {
			status, body, header := get(t, s, "demo/"+path+"key="+key, nil)
			if status != 200 || !strings.Contains(body, want) || header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("%s, %s with key %s: got %d %s, want %s", step, path, key, status, body, want)
			}
		}
	}
	const linux, sparkle = "electron/latest-linux.yml?", "sparkle/stable/appcast.xml?"
	sees("in the percentage", linux, in, `releaseName: "Release 2.4.0"`)
	sees("out of it", linux, out, `releaseName: "Release 2.3.0"`)
	s.Must(t, 200, "PATCH", one, `{"title":"Autumn","translations":[{"locale":"de","title":"Herbst"}]}`)
	sees("another title", linux, out, `releaseName: "Autumn"`)
	sees("another language", linux+"locale=de&", out, `releaseName: "Herbst"`)
	sees("the first language again", linux, out, `releaseName: "Autumn"`)
	s.Must(t, 200, "PATCH", one, `{"native_versions":{"semver":"9.0.0"}}`)
	sees("another order of SemVer", linux, out, `releaseName: "Release 2.2.1"`)
	sees("the order of Sparkle", sparkle, out, "<sparkle:version>2.3.0</sparkle:version>")
	s.Must(t, 200, "PATCH", one, `{"native_versions":null}`)
	sees("the same order again", linux, out, `releaseName: "Autumn"`)
	s.Must(t, 200, "PATCH", one+"/assets/Demo-2.3.0.AppImage", `{"hidden":true}`)
	sees("a hidden file", linux, out, `releaseName: "Release 2.2.1"`)
	s.Must(t, 200, "PATCH", one+"/assets/Demo-2.3.0.AppImage", `{"hidden":null}`)
	sees("a file that is not hidden", linux, out, `releaseName: "Autumn"`)
	publish(t, s, "2.3.1", "", "Demo-2.3.1-pending.AppImage")
	sees("a file that is not ready", linux, out, `releaseName: "Autumn"`)
	complete(t, s, "Demo-2.3.1-pending.AppImage")
	sees("a file that is ready", linux, out, `releaseName: "Release 2.3.1"`)
}

// complete makes a pending file ready.
func complete(t *testing.T, s *apitest.Server, name string) {
	t.Helper()
	err := s.DB.Update(func(tx *store.Tx) error {
		p, err := tx.Project("demo")
		if err != nil {
			return err
		}
		var pending *store.File
		err = tx.EachFile(p.ID, func(f *store.File) error {
			if f.Filename == name {
				pending = f
			}
			return nil
		})
		if err != nil {
			return err
		}
		pending.Status, pending.Size, pending.Facts = store.FileReady, 1, &asset.Facts{}
		pending.SHA1, pending.SHA256, pending.SHA512 = strings.Repeat("1", 40), strings.Repeat("2", 64), strings.Repeat("3", 128)
		return tx.PutFile(p.ID, pending)
	})
	if err != nil {
		t.Fatal(err)
	}
}
