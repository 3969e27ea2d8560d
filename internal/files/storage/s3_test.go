package storage_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"svc/internal/files/storage"
	"svc/internal/files/storage/storagetest"
)

// s3Client returns an S3 client that shares nothing with the back end under test.
func s3Client(t *testing.T, c storage.Config) minio.Core {
	t.Helper()
	core, err := minio.NewCore(strings.TrimPrefix(c.BaseURL, "http://"), &minio.Options{Creds: credentials.NewStaticV4(c.Username, c.Password, "")})
	if err != nil {
		t.Fatal(err)
	}
	return *core
}

// TestS3Refusals checks that the text of an error explains which setting is wrong.
func TestS3Refusals(t *testing.T) {
	t.Parallel()
	server := storagetest.VersityGW(t)
	for name, tc := range map[string]struct {
		change func(*storage.Config)
		want   string
	}{
		"key":    {func(c *storage.Config) { c.Username = "nobody" }, "the credentials are refused"},
		"secret": {func(c *storage.Config) { c.Password = "wrong secret" }, "the credentials are refused"},
		"bucket": {func(c *storage.Config) { c.Bucket = "absent" }, "the bucket does not exist"},
	} {
		c := server
		tc.change(&c)
		if p := open(t, c).Backend.Probe(t.Context()); p.OK || !strings.Contains(p.Error, tc.want) || strings.Contains(p.Error, "127.0.0.1") {
			t.Errorf("%s: probe %+v; want %q", name, p, tc.want)
		}
	}
}

// TestS3Public checks that the probe detects a bucket that can be read without credentials.
func TestS3Public(t *testing.T) {
	t.Parallel()
	c := storagetest.VersityGW(t)
	b := open(t, c).Backend
	if p := b.Probe(t.Context()); !p.OK || p.Public {
		t.Errorf("probe of a private bucket: %+v", p)
	}
	policy := fmt.Sprintf(`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"arn:aws:s3:::%s/*"}]}`, c.Bucket)
	if err := s3Client(t, c).SetBucketPolicy(t.Context(), c.Bucket, policy); err != nil {
		t.Fatal(err)
	}
	if p := b.Probe(t.Context()); !p.OK || !p.Public {
		t.Errorf("probe of a public bucket: %+v", p)
	}
}

// TestS3Sweep checks that unfinished multipart uploads are aborted once they are old
// enough, and that probes and failed writes leave none behind.
func TestS3Sweep(t *testing.T) {
	t.Parallel()
	c := storagetest.VersityGW(t)
	s, library := open(t, c), s3Client(t, c)
	count := func() (n int) {
		for upload := range library.ListIncompleteUploads(t.Context(), c.Bucket, "", true) {
			if upload.Err != nil {
				t.Fatal(upload.Err)
			}
			n++
		}
		return n
	}
	if p := s.Backend.Probe(t.Context()); !p.OK {
		t.Errorf("probe: %+v", p)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	large := storagetest.Stage(t, s.Staging, storagetest.Content(1, 17<<20))
	if o, err := s.Backend.Put(cancelled, "f/p/000000000000/a.bin", large, 17<<20); err == nil {
		t.Errorf("put that is cancelled: %+v", o)
	}
	if n := count(); n != 0 {
		t.Errorf("%d uploads were left", n)
	}
	if _, err := library.NewMultipartUpload(t.Context(), c.Bucket, "f/p/000000000001/b.bin", minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		before time.Time
		want   int
	}{{time.Now().Add(-time.Hour), 1}, {time.Now().Add(time.Hour), 0}} {
		if err := s.Backend.Sweep(t.Context(), step.before); err != nil {
			t.Fatal(err)
		}
		if n := count(); n != step.want {
			t.Errorf("%d uploads after a sweep of those before %v, want %d", n, step.before, step.want)
		}
	}
}

// TestS3WriteThatIsLost checks that Put fails if the server reports success but stores nothing. If
// the server refuses a part, Put must abort the multipart upload.
func TestS3WriteThatIsLost(t *testing.T) {
	t.Parallel()
	aborted := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // read the body, as a real server does
		w.Header().Set("ETag", `"00000000000000000000000000000000"`)
		switch {
		case r.Method == http.MethodPost && r.URL.Query().Has("uploads"):
			_, _ = io.WriteString(w, "<InitiateMultipartUploadResult><UploadId>one</UploadId></InitiateMultipartUploadResult>")
		case r.Method == http.MethodPut && r.URL.Query().Get("partNumber") == "2":
			http.Error(w, "the inner answer", http.StatusInsufficientStorage)
		case r.Method == http.MethodDelete:
			aborted <- r.URL.Query().Get("uploadId")
			w.WriteHeader(http.StatusNoContent)
		case r.Method == http.MethodHead:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	s := open(t, storage.Config{Kind: storage.KindS3, BaseURL: server.URL, Username: "key", Password: "secret", Region: "here", Bucket: "bucket", PathStyle: true})
	for size, want := range map[int64]string{
		1000:     "verify: the storage cannot be trusted: it does not have the written object",
		33 << 20: "part 2: the storage answered 507: the storage is full",
	} {
		_, err := s.Backend.Put(t.Context(), "f/p/000000000000/a.bin", storagetest.Stage(t, s.Staging, storagetest.Content(1, size)), size)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "inner") {
			t.Errorf("put of %d bytes: %v; want %q", size, err, want)
		}
	}
	if id := <-aborted; id != "one" {
		t.Errorf("upload %q was aborted", id)
	}
}

// TestS3BucketInHost checks that the bucket is part of the host name if path style is not
// configured.
func TestS3BucketInHost(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != "bucket.storage.test" || r.URL.Path != "/prefix/f/p/000000000000/a.bin" {
			t.Errorf("request for %s at %s", r.URL.Path, r.Host)
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	t.Cleanup(server.Close)
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}}
	s, err := storage.NewStorages(t.TempDir(), &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	b, err := s.Open(storage.Config{Kind: storage.KindS3, BaseURL: "http://storage.test", Username: "key", Password: "secret", Region: "here", Bucket: "bucket", PathPrefix: "prefix"})
	if err != nil {
		t.Fatal(err)
	}
	if there, err := b.Stat(t.Context(), storage.Object{Key: "f/p/000000000000/a.bin", Size: 1}); there || err != nil {
		t.Errorf("stat: %v, %v", there, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestConfig checks that Open refuses invalid addresses, and that it returns the same back end for
// equal configurations.
func TestConfig(t *testing.T) {
	t.Parallel()
	s, _ := newStorages(t)
	for _, c := range []storage.Config{
		{}, {Kind: "ftp", BaseURL: "http://host"}, {Kind: storage.KindWebDAV}, {Kind: storage.KindWebDAV, BaseURL: "ftp://host"},
		{Kind: storage.KindWebDAV, BaseURL: "http://user:password@host"}, {Kind: storage.KindWebDAV, BaseURL: "http://ho st"},
		{Kind: storage.KindS3, BaseURL: "http://host/path"}, {Kind: storage.KindS3, BaseURL: "host"},
	} {
		if b, err := s.Open(c); err == nil {
			t.Errorf("%+v: no error, %v", c, b)
		}
	}
	c := storage.Config{Kind: storage.KindWebDAV, BaseURL: "http://host/dav/"}
	one, err := s.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	if two, err := s.Open(c); err != nil || two != one {
		t.Errorf("opened twice: %p, %p, %v", one, two, err)
	}
	c.Password = "new"
	if three, err := s.Open(c); err != nil || three == one {
		t.Errorf("opened with another password: %p, %p, %v", one, three, err)
	}
}
