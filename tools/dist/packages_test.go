package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// installed maps the path of each file in the packages to its mode. It also contains the folder for
// secrets.
var installed = map[string]string{
	settingsDir:                                     "0750",
	"/etc/svc/svc.env":                              "0640",
	"/usr/bin/svc":                                  "0755",
	"/usr/lib/systemd/system/svc.service":           "0644",
	"/usr/share/man/man1/svc.1":                     "0644",
	"/usr/share/bash-completion/completions/svc":    "0644",
	"/usr/share/fish/vendor_completions.d/svc.fish": "0644",
	"/usr/share/doc/svc/README.md":                  "0644",
	"/usr/share/doc/svc/CHANGELOG.md":               "0644",
	"/usr/share/doc/svc/SECURITY.md":                "0644",
	"/usr/share/doc/svc/config.example.toml":        "0644",
	"/usr/share/doc/svc/svc.spdx.json":              "0644",
}

const settingsDir = "/etc/svc"

// TestPackages builds the packages of a small program twice and checks their contents.
func TestPackages(t *testing.T) {
	t.Chdir("../..")
	if runtime.GOOS == "windows" {
		t.Skip("packages carry the modes of files, which Windows does not have: run this on Linux or macOS")
	}
	r := release{version: "1.2.3-rc.1", time: at, contact: "security@example.org"}
	if err := r.installNFPM(t.TempDir()); err != nil {
		t.Skipf("needs nfpm, which the go command fetches: run this with access to the internet, or set GOPROXY to a mirror: %v", err)
	}
	var files []file
	for name, content := range map[string]string{
		"svc": "program", unitName: localProgram + "serve\n", "LICENSE": "licence", "README.md": "#", "CHANGELOG.md": "#", "SECURITY.md": "#", "config.example.toml": "#", "svc.spdx.json": "{}",
		"man/svc.1": "page", "completions/svc.bash": "#", "completions/svc.fish": "#", "completions/_svc": "#", "completions/svc.ps1": "#",
	} {
		mode := fs.FileMode(0o644)
		if name == "svc" {
			mode = 0o755
		}
		files = append(files, file{name, mode, []byte(content)})
	}
	for _, processor := range []string{"amd64", "arm64"} {
		made, err := r.packages(processor, files)
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.packages(processor, files)
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range made {
			if !bytes.Equal(f.content, again[i].content) {
				t.Errorf("%s is another one the second time", f.name)
			}
		}
		if made[0].name != "svc_1.2.3-rc.1_linux_"+processor+".deb" || made[1].name != "svc_1.2.3-rc.1_linux_"+processor+".rpm" {
			t.Errorf("got %s and %s", made[0].name, made[1].name)
		}
		checkDeb(t, made[0].content, processor)
		checkRPM(t, made[1].content)
	}
}

func checkDeb(t *testing.T, deb []byte, processor string) {
	t.Helper()
	members := readAr(t, deb)
	_, control := readTar(t, members["control.tar.gz"])
	for _, want := range []string{"Package: svc\n", "Version: 1.2.3~rc.1\n", "Architecture: " + processor + "\n", "Maintainer: svc maintainers <security@example.org>\n"} {
		if !strings.Contains(control["/control"], want) {
			t.Errorf("control has no %q:\n%s", want, control["/control"])
		}
	}
	for name, want := range map[string]string{"/postinst": "useradd", "/conffiles": "/etc/svc/svc.env", "/prerm": "disable --now", "/postrm": "daemon-reload"} {
		if !strings.Contains(control[name], want) {
			t.Errorf("%s has no %q:\n%s", name, want, control[name])
		}
	}
	modes, contents := readTar(t, members["data.tar.gz"])
	if got := contents["/usr/lib/systemd/system/svc.service"]; got != packageProgram+"serve\n" {
		t.Errorf("the unit is %q", got)
	}
	want := maps.Clone(installed)
	want["/usr/share/doc/svc/copyright"], want["/usr/share/zsh/vendor-completions/_svc"] = "0644", "0644"
	compareModes(t, modes, want)
	if path, err := exec.LookPath("dpkg-deb"); err == nil {
		c := exec.Command(path, "--info", "/dev/stdin")
		c.Stdin = bytes.NewReader(deb)
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("dpkg-deb: %v: %s", err, out)
		}
	}
}

func checkRPM(t *testing.T, rpm []byte) {
	t.Helper()
	if !bytes.HasPrefix(rpm, []byte{0xed, 0xab, 0xee, 0xdb}) {
		t.Fatalf("no package of RPM: %x", rpm[:4])
	}
	signature := headerSize(t, rpm[96:])
	begin := 96 + (signature+7)/8*8
	end := begin + headerSize(t, rpm[begin:])
	for _, want := range []string{"1.2.3~rc.1\x00", "Apache-2.0\x00", "useradd --system", "disable --now", "/usr/sbin/useradd\x00"} {
		if !bytes.Contains(rpm[begin:end], []byte(want)) {
			t.Errorf("the header has no %q", want)
		}
	}
	want := maps.Clone(installed)
	want["/usr/share/licenses/svc/LICENSE"], want["/usr/share/zsh/site-functions/_svc"] = "0644", "0644"
	compareModes(t, readCpio(t, unzip(t, rpm[end:])), want)
}

func compareModes(t *testing.T, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		t.Errorf("the package has the files\n%v\nwant\n%v", got, want)
	}
}

// readAr returns the members of an ar archive.
func readAr(t *testing.T, archive []byte) map[string][]byte {
	t.Helper()
	rest, ok := bytes.CutPrefix(archive, []byte("!<arch>\n"))
	if !ok {
		t.Fatal("no archive of ar")
	}
	members := map[string][]byte{}
	for len(rest) > 0 {
		name := strings.TrimRight(string(rest[:16]), " /")
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil {
			t.Fatal(err)
		}
		members[name] = rest[60 : 60+size]
		rest = rest[60+size+size%2:]
	}
	return members
}

// readTar returns the modes and contents of the files in a .tar.gz. It fails the test if a file is
// newer than the commit or is not owned by root.
func readTar(t *testing.T, archive []byte) (modes, contents map[string]string) {
	t.Helper()
	modes, contents = map[string]string{}, map[string]string{}
	for in := tar.NewReader(bytes.NewReader(unzip(t, archive))); ; {
		head, err := in.Next()
		if errors.Is(err, io.EOF) {
			return modes, contents
		}
		if err != nil {
			t.Fatal(err)
		}
		if !head.ModTime.Equal(at) || head.Uid != 0 || head.Gid != 0 {
			t.Errorf("%s is of %v and belongs to %d:%d", head.Name, head.ModTime, head.Uid, head.Gid)
		}
		name := "/" + strings.Trim(strings.TrimPrefix(head.Name, "."), "/")
		if head.Typeflag == tar.TypeDir && name != settingsDir {
			continue
		}
		content, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		modes[name], contents[name] = fmt.Sprintf("%04o", head.Mode), string(content)
	}
}

// headerSize returns the length of an RPM header, which consists of 16 bytes, the index and the
// data.
func headerSize(t *testing.T, b []byte) int {
	t.Helper()
	if !bytes.HasPrefix(b, []byte{0x8e, 0xad, 0xe8, 0x01}) {
		t.Fatalf("no header of RPM: %x", b[:4])
	}
	return 16 + 16*int(binary.BigEndian.Uint32(b[8:])) + int(binary.BigEndian.Uint32(b[12:]))
}

// readCpio returns the modes of the files in a cpio archive.
func readCpio(t *testing.T, b []byte) map[string]string {
	t.Helper()
	modes := map[string]string{}
	for {
		if !bytes.HasPrefix(b, []byte("07070")) {
			t.Fatalf("no archive of cpio: %.20q", b)
		}
		field := func(i int) int {
			n, err := strconv.ParseUint(string(b[6+8*i:14+8*i]), 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			return int(n)
		}
		mode, size, nameSize := field(1), field(6), field(11)
		name := strings.TrimPrefix(string(b[110:110+nameSize-1]), ".")
		if name == "TRAILER!!!" {
			return modes
		}
		if mode>>12 == 0o10 || name == settingsDir { // this is a regular file
			modes[name] = fmt.Sprintf("%04o", mode&0o7777)
		}
		b = b[(110+nameSize+3)/4*4+(size+3)/4*4:]
	}
}

func unzip(t *testing.T, b []byte) []byte {
	t.Helper()
	in, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
