package target_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/internal/replica/target"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]target.Location{
		"s3://bucket/": {Kind: target.KindS3, BaseURL: "https://s3.amazonaws.com", Bucket: "bucket"},
		"s3://bucket/some/prefix": {
			Kind: target.KindS3, BaseURL: "https://s3.amazonaws.com", Bucket: "bucket", Prefix: "some/prefix",
		},
		"s3://bucket/p?endpoint=http%3A%2F%2F127.0.0.1%3A9000&path_style=true&region=eu-central-1": {
			Kind: target.KindS3, BaseURL: "http://127.0.0.1:9000", Bucket: "bucket", Prefix: "p", Region: "eu-central-1", PathStyle: true,
		},
		"webdav+https://host.test":         {Kind: target.KindWebDAV, BaseURL: "https://host.test"},
		"webdav+http://host.test:81/a%20b": {Kind: target.KindWebDAV, BaseURL: "http://host.test:81/a%20b"},
		"file:///srv/a%20replica":          {Kind: target.KindDirectory, Directory: "/srv/a replica"},
		"svc://standby.test:4002":          {Kind: target.KindPeer, BaseURL: "https://standby.test:4002"},
		"svc://[::1]:4002":                 {Kind: target.KindPeer, BaseURL: "https://[::1]:4002"},
	} {
		got, err := target.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		again, err := target.Parse(got.String())
		if err != nil || again != got || got.String() != text {
			t.Errorf("%s: printed as %s, parsed again as %+v, %v", text, got, again, err)
		}
		if got.Kind != want.Kind || got.BaseURL != want.BaseURL || got.Bucket != want.Bucket || got.Prefix != want.Prefix ||
			got.Region != want.Region || got.PathStyle != want.PathStyle || got.Directory != want.Directory {
			t.Errorf("%s: got %+v; want %+v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"s3://bucket":                             "s3://bucket/",
		"s3://bucket/p/?endpoint=https://h:1/":    "s3://bucket/p?endpoint=https%3A%2F%2Fh%3A1",
		"webdav+https://host.test/dav/":           "webdav+https://host.test/dav",
		"file:///srv//replica/../b/":              "file:///srv/b",
		"svc://standby.test:4002/":                "svc://standby.test:4002",
		"s3://bucket/p?path_style=false&region=a": "s3://bucket/p?path_style=false&region=a",
	} {
		if got, err := target.Parse(text); err != nil || got.String() != want {
			t.Errorf("%s: got %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const (
		form        = "must be a URL that begins with"
		credentials = "set replicate.user and replicate.password"
	)
	for text, want := range map[string]string{
		"":                                      form,
		"/srv/replica":                          form,
		"bucket":                                form,
		"ftp://host/":                           form,
		"https://host/path":                     form,
		"s3:bucket":                             form,
		"s3://[bucket":                          form,
		"s3:///prefix":                          "has no bucket",
		"s3://":                                 "has no bucket",
		"s3://b/":                               "the bucket of the target",
		"s3://bucket:80/":                       "the bucket of the target",
		"s3://bucket/a//b":                      "the prefix of the target",
		"s3://bucket/a/../b":                    "the prefix of the target",
		"s3://bucket/#secret":                   `must not contain "#"`,
		"s3://bucket/?endpoint=host:80":         "the endpoint of the target",
		"s3://bucket/?endpoint=https://h/path":  "the endpoint of the target",
		"s3://bucket/?endpoint=https://h:99999": "the endpoint of the target",
		"s3://bucket/?endpoint=https://u:secret@h": credentials,
		"s3://bucket/?region=":                     "the region of the target",
		"s3://bucket/?region=eu%20central":         "the region of the target",
		"s3://bucket/?path_style=1":                "path_style of the target must be true or false",
		"s3://bucket/?path_style=true&path_style=": "path_style more than once",
		"s3://bucket/?regoin=eu":                   `unknown parameter "regoin"`,
		"s3://bucket/?secret_key=secret":           credentials,
		"s3://user:secret@bucket/":                 credentials,
		"s3://user:s%ecret@bucket/":                credentials,
		"webdav+https://user:secret@host/":         credentials,
		"webdav+https://user@host/":                credentials,
		"webdav+https://host/?password=secret":     credentials,
		"webdav+https://host/?a=b":                 "has no query parameters",
		"webdav+https:///path":                     "has no host",
		"webdav+https://host:/path":                "has no host",
		"file://srv/replica":                       "file:///PATH",
		"file:srv":                                 form,
		"file://":                                  "file:///PATH",
		"file:///srv/%00":                          "file:///PATH",
		"svc://standby.test":                       "svc://HOST:PORT",
		"svc://:4002":                              "svc://HOST:PORT",
		"svc://standby.test:0":                     "svc://HOST:PORT",
		"svc://standby.test:4002/path":             "svc://HOST:PORT",
		"svc://token@standby.test:4002":            credentials,
	} {
		l, err := target.Parse(text)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %+v, %v; want %q", text, l, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"s3://bucket/p?endpoint=http://127.0.0.1:9000&path_style=true", "webdav+https://host/a%20b", "file:///srv/replica", "svc://[::1]:4002",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := target.Parse(text)
		if err != nil {
			return
		}
		if again, err := target.Parse(l.String()); err != nil || again != l {
			t.Errorf("%q: got %+v; parsed again: %+v, %v", text, l, again, err)
		}
	})
}

func TestCheckOutside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, link := filepath.Join(dir, "data"), filepath.Join(dir, "link")
	if err := os.MkdirAll(filepath.Join(data, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(data, link); err != nil {
		t.Skipf("needs symbolic links: %v", err)
	}
	for path, ok := range map[string]bool{
		data: false, filepath.Join(data, "files"): false, filepath.Join(data, "absent", "x"): false, link: false, filepath.Join(link, "files"): false,
		filepath.Join(link, "absent"): false, dir: true, filepath.Join(dir, "data2"): true, filepath.Join(dir, "absent", "x"): true,
	} {
		l, err := target.Parse("file://" + filepath.ToSlash(path))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{data, link} {
			if err := l.CheckOutside(name); (err == nil) != ok {
				t.Errorf("target %s, data directory %s: %v; want outside %v", path, name, err, ok)
			}
		}
	}
}
