package storage_test

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"svc/internal/files/storage"
	"svc/internal/files/storage/storagetest"
	"svc/internal/outbound"
)

// newStorages returns Storages with a temporary storage directory, and the path of that directory.
func newStorages(t testing.TB) (*storage.Storages, string) {
	t.Helper()
	dir := t.TempDir()
	s, err := storage.NewStorages(dir, outbound.New(outbound.Config{Profile: outbound.Operator, Version: "test"}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, dir
}

// open opens a back end and creates a directory for the files that tests store.
func open(t testing.TB, c storage.Config) storagetest.Setup {
	t.Helper()
	s, dir := newStorages(t)
	b, err := s.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	staging := filepath.Join(dir, "staging", "files")
	if err := os.MkdirAll(staging, 0o700); err != nil {
		t.Fatal(err)
	}
	return storagetest.Setup{Backend: b, Staging: staging, PartSize: c.PartSize, Large: 5 << 20}
}

// inProcess starts a WebDAV server in this process.
func inProcess(t testing.TB) storage.Config {
	t.Helper()
	server := httptest.NewServer(storagetest.Handler(t.TempDir()))
	t.Cleanup(server.Close)
	return storage.Config{Kind: storage.KindWebDAV, BaseURL: server.URL + "/", Username: storagetest.User, Password: storagetest.Password}
}

// belowPrefix returns a configuration with a path prefix in the bucket. It has no region,
// so that the back end has to ask the server for it.
func belowPrefix(t testing.TB) storage.Config {
	t.Helper()
	c := storagetest.VersityGW(t)
	c.PathPrefix, c.Region = "some/prefix", ""
	return c
}

func TestBackends(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name     string
		start    func(testing.TB) storage.Config
		partSize int64
		large    int64
	}{
		{"local", func(testing.TB) storage.Config { return storage.Config{Kind: storage.KindLocal} }, 0, 5 << 20},
		{"webdav_in_process", inProcess, 0, 5 << 20},
		{"webdav_in_process_in_parts", inProcess, 256 << 10, 1 << 20},
		{"apache", storagetest.Apache, 0, 5 << 20},
		{"apache_in_parts", storagetest.Apache, 256 << 10, 1 << 20},
		{"rclone", storagetest.Rclone, 0, 5 << 20},
		{"rclone_in_parts", storagetest.Rclone, 256 << 10, 1 << 20},
		{"versitygw", storagetest.VersityGW, 0, 33<<20 + 1},
		{"versitygw_below_a_prefix", belowPrefix, 0, 1 << 20},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := tc.start(t)
			c.PartSize = tc.partSize
			s := open(t, c)
			s.Large = tc.large
			storagetest.Run(t, s)
		})
	}
}
