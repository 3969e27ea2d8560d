package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 11, 21, 12, 34, 56, 0, time.UTC)

var samples = []file{{"b/two", 0o644, []byte("two")}, {"a", 0o755, bytes.Repeat([]byte("a"), 100_000)}}

// TestArchives unpacks archives and checks that the order of the files does not affect their bytes.
func TestArchives(t *testing.T) {
	t.Parallel()
	want := fmt.Sprintf("f/a 0755 100000 %s\nf/b/two 0644 3 %s\n", at, at)
	turned := slices.Clone(samples)
	slices.Reverse(turned)
	for _, tc := range []struct {
		name string
		pack func(string, []file, time.Time) ([]byte, error)
		list func(*testing.T, []byte) string
	}{{"tar", tarred, listTar}, {"zip", zipped, listZip}} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			one, err := tc.pack("f", samples, at)
			if err != nil {
				t.Fatal(err)
			}
			if got := tc.list(t, one); got != want {
				t.Errorf("got\n%swant\n%s", got, want)
			}
			two, err := tc.pack("f", turned, at.In(time.FixedZone("east", 3600)))
			if err != nil || !bytes.Equal(one, two) {
				t.Errorf("the same files in another order and zone give other bytes, %v", err)
			}
		})
	}
}

func listTar(t *testing.T, archive []byte) string {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	if !unzipped.ModTime.IsZero() || unzipped.Name != "" {
		t.Errorf("gzip says %v %q", unzipped.ModTime, unzipped.Name)
	}
	var list strings.Builder
	for r := tar.NewReader(unzipped); ; {
		head, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if head.Uid+head.Gid != 0 || head.Uname+head.Gname != "" {
			t.Errorf("%s: says who made it: %+v", head.Name, head)
		}
		n, err := io.Copy(io.Discard, r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&list, "%s %04o %d %s\n", head.Name, head.Mode, n, head.ModTime.UTC())
	}
}

func listZip(t *testing.T, archive []byte) string {
	t.Helper()
	r, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var list strings.Builder
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, content)
		if err := errors.Join(err, content.Close()); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&list, "%s %04o %d %s\n", f.Name, f.Mode().Perm(), n, f.Modified.UTC())
	}
	return list.String()
}

// TestModuleList reads the module list of the test binary.
func TestModuleList(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	text, err := moduleList("svc_1", "1.2.3", binary, at)
	if err != nil {
		t.Fatal(err)
	}
	var d spdxDocument
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	if d.Version != "SPDX-2.3" || d.Creation.Created != "2026-11-21T12:34:56Z" || d.Packages[0].Name != "svc" || d.Packages[0].Version != "1.2.3" || len(d.Relationships) != len(d.Packages) {
		t.Errorf("got %+v", d)
	}
	ids := map[string]bool{d.ID: true}
	for _, p := range d.Packages {
		if ids[p.ID] {
			t.Errorf("id %s twice", p.ID)
		}
		ids[p.ID] = true
	}
	for _, r := range d.Relationships {
		if !ids[r.From] || !ids[r.To] {
			t.Errorf("relationship to nowhere: %+v", r)
		}
	}
	for _, want := range []string{"stdlib", "go.etcd.io/bbolt", "github.com/caddyserver/certmagic"} {
		if !slices.ContainsFunc(d.Packages, func(p spdxPackage) bool {
			return p.Name == want && p.Version != "" && p.References[0].Locator == "pkg:golang/"+want+"@"+p.Version
		}) {
			t.Errorf("%s is missing in\n%s", want, text)
		}
	}
}

// TestSharedFiles checks that every command has a manual page, and that the files contain neither
// the time nor the folder of the build.
func TestSharedFiles(t *testing.T) {
	t.Chdir("../..")
	r := release{version: "1.2.3", time: at}
	files, err := r.sharedFiles()
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.sharedFiles()
	if err != nil {
		t.Fatal(err)
	}
	content := map[string]string{}
	for i, f := range files {
		content[f.name] = string(f.content)
		if f.name != again[i].name || !bytes.Equal(f.content, again[i].content) {
			t.Errorf("%s is another one the second time", f.name)
		}
	}
	for name, want := range map[string]string{
		"LICENSE": "Apache License", "README.md": "# svc", "CHANGELOG.md": "# Changelog", "config.example.toml": "# Settings of svc",
		"man/svc.1": "Nov 2026", "man/svc-serve.1": "svc 1.2.3", "man/svc-apikey-create.1": "--scope",
		"completions/svc.bash": "__start_svc", "completions/_svc": "#compdef svc", "completions/svc.fish": "complete -c svc", "completions/svc.ps1": "Register-ArgumentCompleter",
	} {
		if !strings.Contains(content[name], want) {
			t.Errorf("%s has no %q in it: %.200q", name, want, content[name])
		}
	}
}

// TestOnlyOwnFilesAreRemoved checks that foreign files in the output folder are not removed.
func TestOnlyOwnFilesAreRemoved(t *testing.T) {
	t.Parallel()
	r := release{out: t.TempDir()}
	for _, name := range []string{"svc_0.9.0_linux_amd64.tar.gz", "svc_0.9.0_linux_amd64.deb", "SHA256SUMS", "SHA256SUMS.sig", "notes.txt"} {
		if err := os.WriteFile(filepath.Join(r.out, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.emptyOut(); err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(r.out, "*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != "notes.txt" {
		t.Errorf("got %v %v, want notes.txt alone", left, err)
	}
}

func TestVersionIsOneWord(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "1 0", "../1"} {
		r := release{version: version, out: t.TempDir()}
		if err := r.run(nil); err == nil || !strings.Contains(err.Error(), "-version must be one word") {
			t.Errorf("%q: got %v", version, err)
		}
	}
}

func TestSecurityContact(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	r := release{contact: "security@example.org"}
	got, err := r.withContact(page)
	if err != nil || !strings.Contains(string(got), "privately, to\nsecurity@example.org, with the version") {
		t.Errorf("got %.200s, %v; want the address", got, err)
	}
	if got, err := (&release{}).withContact(page); err != nil || string(got) != string(page) {
		t.Errorf("without an address: got another page, %v", err)
	}
	if _, err := r.withContact([]byte("# Security\n")); err == nil {
		t.Error("a page without the place was accepted")
	}
}
