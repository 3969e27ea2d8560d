package feeds_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"svc/api/apitest"
)

// The versions of the clients below testdata. Each is installed into a folder of its own.
const (
	electronUpdater = "electron-updater-6.8.10"
	velopack        = "velopack-1.2.161"
	cargoPackager   = "cargo-packager-updater-0.2.3"
)

// command runs a program in a folder.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...) //nolint:gosec // the programs are those of this file
	c.Dir = dir
	out, err := c.Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		err = fmt.Errorf("%w: %s", err, failed.Stderr)
	}
	return string(out), err
}

// run runs a client, which prints a result as JSON.
func run(t *testing.T, into any, dir, name string, args ...string) {
	t.Helper()
	out, err := command(t.Context(), dir, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// source returns the path of a script below testdata.
func source(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// upload stores a file as administrators do, and publishes a version with it.
func upload(t *testing.T, s *apitest.Server, version string, contents map[string][]byte) {
	t.Helper()
	var links []string
	for name, content := range contents {
		record := s.Upload(t, "demo", name, string(content))
		links = append(links, fmt.Sprintf(`{"url":%q}`, site+apitest.Field[string](t, record, "path")))
	}
	s.Must(t, 201, "POST", apitest.VersionsOf("demo"), fmt.Sprintf(
		`{"version":%q,"comparable_version":%[1]q,"content":"Notes of %[1]s","download_links":[%s]}`, version, strings.Join(links, ",")))
}

const blockSize = 64 << 10

// blockMap returns the block map of blocks, as electron-builder makes it.
func blockMap(t *testing.T, blocks [][]byte) []byte {
	t.Helper()
	var checksums []string
	var sizes []int
	for _, b := range blocks {
		sum := sha256.Sum256(b)
		checksums, sizes = append(checksums, base64.StdEncoding.EncodeToString(sum[:18])), append(sizes, len(b))
	}
	text, err := json.Marshal(map[string]any{
		"version": "2", "files": []any{map[string]any{"name": "file", "offset": 0, "checksums": checksums, "sizes": sizes}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// appImage returns a file with the given blocks and a block map at its end.
func appImage(t *testing.T, blocks [][]byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(blockMap(t, blocks))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return binary.BigEndian.AppendUint32(append(slices.Concat(blocks...), packed.Bytes()...), uint32(packed.Len())) //nolint:gosec // a small block map
}

// besides returns the file with the block map of an installer.
func besides(t *testing.T, blocks [][]byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = w.Write(blockMap(t, blocks))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// twoVersions returns the blocks of a file, and those of its next version, in which three differ.
func twoVersions() (old, next [][]byte) {
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // content of a file
	old = make([][]byte, 40)
	for i := range old {
		old[i] = make([]byte, blockSize)
		for at := range old[i] {
			old[i][at] = byte(random.Uint32())
		}
	}
	next = slices.Clone(old)
	for _, at := range []int{3, 17, 30} {
		next[at] = bytes.Repeat([]byte{byte(at)}, blockSize)
	}
	return old, next
}

// electron installs electron-updater and returns a function that updates an app of version 2.2.1
// with it. installed is the file of that app; the result must be the file next.
func electron(t *testing.T) (update func(s *apitest.Server, name string, installed, next []byte) (log string)) {
	t.Helper()
	dir := electronFolder(t)
	return func(s *apitest.Server, name string, installed, next []byte) string {
		t.Helper()
		folder := t.TempDir()
		mine := filepath.Join(folder, name)
		if err := os.WriteFile(mine, installed, 0o600); err != nil {
			t.Fatal(err)
		}
		var result struct {
			Offered, File string
			Available     bool
			Log           []string
		}
		feed := s.URL + "/feeds/demo/electron"
		run(t, &result, dir, "node", source(t, "electron/update.cjs"), feed, folder, "2.2.1", mine)
		log := strings.Join(result.Log, "\n")
		if result.Offered != "2.3.0" || !result.Available || !strings.Contains(log, "To download: ") || strings.Contains(log, "fallback") {
			t.Errorf("got %q, %v:\n%s", result.Offered, result.Available, log)
		}
		if got, err := os.ReadFile(result.File); err != nil || !bytes.Equal(got, next) {
			t.Errorf("got other bytes, %v", err)
		}
		run(t, &result, dir, "node", source(t, "electron/update.cjs"), feed, folder, "2.3.0")
		if result.Available {
			t.Errorf("got an update to %q", result.Offered)
		}
		return log
	}
}

// electronFolder returns the folder in which electron-updater is installed.
func electronFolder(t *testing.T) string {
	t.Helper()
	return apitest.Installed(t, electronUpdater, func(ctx context.Context, dir string) error {
		for _, name := range []string{"package.json", "package-lock.json"} {
			text, err := os.ReadFile(source(t, "electron/"+name))
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
				return err
			}
		}
		_, err := command(ctx, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		return err
	})
}

// TestElectronUpdater updates an AppImage with electron-updater, which downloads only the changed
// blocks with several ranges.
func TestElectronUpdater(t *testing.T) {
	t.Parallel()
	update := electron(t)
	s := newServer(t)
	s.Project(t, "demo")
	old, next := twoVersions()
	upload(t, s, "2.2.1", map[string][]byte{"Demo-2.2.1.AppImage": appImage(t, old)})
	upload(t, s, "2.3.0", map[string][]byte{"Demo-2.3.0.AppImage": appImage(t, next)})
	update(s, "Demo.AppImage", appImage(t, old), appImage(t, next))
}

// TestElectronUpdaterOnWindows updates an installer with the updater for Windows, which finds the
// block maps of both versions by their addresses.
func TestElectronUpdaterOnWindows(t *testing.T) {
	t.Parallel()
	update := electron(t)
	s := newServer(t)
	s.Project(t, "demo")
	old, next := twoVersions()
	for version, blocks := range map[string][][]byte{"2.2.1": old, "2.3.0": next} {
		name := "Demo Setup " + version + "-x64.exe"
		upload(t, s, version, map[string][]byte{name: slices.Concat(blocks...), name + ".blockmap": besides(t, blocks), "Demo.AppImage": appImage(t, blocks)})
	}
	log := update(s, "installer.exe", slices.Concat(old...), slices.Concat(next...))
	for _, version := range []string{"2.2.1", "2.3.0"} {
		address := fmt.Sprintf("%s/feeds/demo/electron/%s/x64/Demo%%20Setup%%20%[2]s-x64.exe.blockmap", s.URL, version)
		if !strings.Contains(log, address) {
			t.Errorf("%s was not asked for:\n%s", address, log)
		}
	}
}

// nupkg returns a NuGet package. more holds additional elements of its description.
func nupkg(t *testing.T, version, more string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("demo.nuspec")
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(f, `<?xml version="1.0" encoding="utf-8"?><package><metadata><id>demo</id><version>%s</version>%s</metadata></package>`, version, more)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// velopackFolder returns the folder in which Velopack is installed.
func velopackFolder(t *testing.T) string {
	t.Helper()
	return apitest.Installed(t, velopack, func(ctx context.Context, dir string) error {
		if _, err := command(ctx, dir, "python3", "-m", "venv", "venv"); err != nil {
			return err
		}
		_, err := command(ctx, dir, "venv/bin/pip", "install", "--quiet", "--disable-pip-version-check", strings.Replace(velopack, "-", "==", 1))
		return err
	})
}

// TestVelopack checks for an update with Velopack and downloads it.
func TestVelopack(t *testing.T) {
	t.Parallel()
	dir := velopackFolder(t)
	s := newServer(t)
	s.Project(t, "demo")
	for _, version := range []string{"2.2.1", "2.3.0"} {
		upload(t, s, version, map[string][]byte{"demo-" + version + "-linux-full.nupkg": nupkg(t, version, "<channel>linux</channel><os>linux</os>")})
	}
	var result struct {
		Offered, Notes *string
		Files          []string
	}
	feed := s.URL + "/feeds/demo/velopack/stable"
	run(t, &result, dir, "venv/bin/python", source(t, "velopack/update.py"), feed, t.TempDir(), "2.2.1")
	if result.Offered == nil || *result.Offered != "2.3.0" || *result.Notes != "Notes of 2.3.0" || !slices.Equal(result.Files, []string{"demo-2.3.0-linux-full.nupkg"}) {
		t.Errorf("got %v", result)
	}
	result.Offered = nil
	run(t, &result, dir, "venv/bin/python", source(t, "velopack/update.py"), feed, t.TempDir(), "2.3.0")
	if result.Offered != nil {
		t.Errorf("got an update to %q", *result.Offered)
	}
}

// TestVelopackRefusesDamage checks that Velopack refuses a package that has been changed
// in the storage, because of the checksums in the feed.
func TestVelopackRefusesDamage(t *testing.T) {
	t.Parallel()
	dir := velopackFolder(t)
	s := newServer(t)
	s.Project(t, "demo")
	const name = "demo-2.3.0-linux-full.nupkg"
	upload(t, s, "2.3.0", map[string][]byte{name: nupkg(t, "2.3.0", "<channel>linux</channel><os>linux</os>")})
	damage(t, filepath.Join(s.Dir, "files", "objects"), name)
	app := t.TempDir()
	_, err := command(t.Context(), dir, "venv/bin/python", source(t, "velopack/update.py"), s.URL+"/feeds/demo/velopack/stable", app, "2.2.1")
	if err == nil || !strings.Contains(err.Error(), "ecksum") {
		t.Errorf("got %v, want a checksum error", err)
	}
	if kept, err := filepath.Glob(filepath.Join(app, "packages", "*.nupkg")); err != nil || len(kept) > 0 {
		t.Errorf("the client keeps %v, %v", kept, err)
	}
}

// damage changes one bit of the stored file with the given name.
func damage(t *testing.T, folder, name string) {
	t.Helper()
	found := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, name) {
			return err
		}
		found++
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		content[len(content)/2] ^= 1
		return errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, content, 0o600))
	})
	if err != nil || found != 1 {
		t.Fatalf("changed %d files: %v", found, err)
	}
}
