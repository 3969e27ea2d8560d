package apitest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"svc/internal/files/storage/storagetest"
)

// installing holds a mutex for each package, because several tests may need the same package.
var installing sync.Map

// Installed returns the folder in which a third-party package, such as a client library, is
// installed. name contains its version. The function install is called with an empty folder unless
// the package has been installed before. The test is skipped if the package cannot be installed.
func Installed(t *testing.T, name string, install func(ctx context.Context, dir string) error) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("needs a cache directory for %s: set HOME or XDG_CACHE_HOME: %v", name, err)
	}
	lock, _ := installing.LoadOrStore(name, new(sync.Mutex))
	lock.(*sync.Mutex).Lock()
	defer lock.(*sync.Mutex).Unlock()
	dir := filepath.Join(cache, "svc-test", name)
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return dir
	}
	if os.Getenv(storagetest.InstallVariable) == "" {
		t.Skipf("needs %s: set %s=1 and run again; it is fetched once", name, storagetest.InstallVariable)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := install(ctx, dir); err != nil {
		t.Skipf("needs %s, which could not be installed: that takes its package manager and access to its packages: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "complete"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
