package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// filesNamed returns the paths of all files in the project that have the given name.
func filesNamed(t *testing.T, name string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "node_modules" || path != "." && strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		if entry.Name() == name {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: got %d files, %v", name, len(paths), err)
	}
	return paths
}

// TestLockFilesHaveHashes checks that lock files of npm contain hashes and name no registry. npm
// verifies a download only if the lock file contains its hash. It omits the hashes of packages for
// other platforms if it creates the lock file from an installed folder. Registries are configured
// on each machine.
func TestLockFilesHaveHashes(t *testing.T) {
	t.Parallel()
	for _, path := range filesNamed(t, "package-lock.json") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var lock struct {
			Packages map[string]struct {
				Integrity, Resolved string
				Link                bool
			}
		}
		if err := json.Unmarshal(text, &lock); err != nil || len(lock.Packages) == 0 {
			t.Fatalf("%s: %d packages, %v", path, len(lock.Packages), err)
		}
		for name, entry := range lock.Packages {
			if name == "" || entry.Link { // this entry is a part of the project
				continue
			}
			if !strings.HasPrefix(entry.Integrity, "sha512-") {
				t.Errorf("%s: %s has no sha512 hash: remove the entry and run npm install --package-lock-only in a copy without node_modules", path, name)
			}
			if entry.Resolved != "" {
				t.Errorf("%s: %s names its registry, %s: see omit-lockfile-registry-resolved", path, name, entry.Resolved)
			}
		}
	}
}

// TestImagesArePinned checks that base images are pinned by digest.
func TestImagesArePinned(t *testing.T) {
	t.Parallel()
	pinned := regexp.MustCompile(`^[^ @]+:[^ @]+@sha256:[0-9a-f]{64}$`)
	from := regexp.MustCompile(`(?mi)^FROM +(?:--platform=\S+ +)?(\S+)`)
	for _, path := range filesNamed(t, "Dockerfile") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		images := from.FindAllStringSubmatch(string(text), -1)
		if len(images) == 0 {
			t.Errorf("%s has no FROM", path)
		}
		for _, image := range images {
			if image[1] != "scratch" && !pinned.MatchString(image[1]) {
				t.Errorf("%s: %s has no tag with a digest", path, image[1])
			}
		}
	}
}
