package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// nfpm is the tool that builds packages. The go command installs a pinned version, so that nfpm is
// not a dependency in go.mod.
const nfpm = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.44.1"

// packageDir contains the files that are needed only for packages, not for archives.
const packageDir = "deploy/package"

// packageFormats lists the package formats built for each Linux platform.
var packageFormats = []string{"deb", "rpm"}

const (
	unitName = "svc.service"
	// localProgram is the line in the systemd unit that starts a manually installed program.
	// Packages replace it.
	localProgram   = "ExecStart=/usr/local/bin/svc "
	packageProgram = "ExecStart=/usr/bin/svc "
)

// hasPackages reports whether packages can be built for the version of the release. Package
// versions must begin with a digit.
func (r *release) hasPackages() bool {
	return r.version[0] >= '0' && r.version[0] <= '9'
}

// packages builds the Linux packages for a processor from the files of its archive. nfpm must be
// installed.
func (r *release) packages(processor string, files []file) (made []file, err error) {
	dir, err := os.MkdirTemp("", "svc-dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, f := range files {
		if f.name == unitName {
			if bytes.Count(f.content, []byte(localProgram)) != 1 {
				return nil, fmt.Errorf("%s has no %q", unitName, localProgram)
			}
			f.content = bytes.Replace(f.content, []byte(localProgram), []byte(packageProgram), 1)
		}
		if err := r.stage(dir, f); err != nil {
			return nil, err
		}
	}
	own, err := os.ReadDir(packageDir)
	if err != nil {
		return nil, err
	}
	for _, entry := range own {
		content, err := os.ReadFile(filepath.Join(packageDir, entry.Name()))
		if err != nil {
			return nil, err
		}
		if err := r.stage(dir, file{entry.Name(), 0o644, content}); err != nil {
			return nil, err
		}
	}
	for _, format := range packageFormats {
		name := fmt.Sprintf("svc_%s_linux_%s.%s", r.version, processor, format)
		c := exec.Command(r.nfpm, "package", "--packager", format, "--target", name)
		c.Dir = dir
		c.Env = append(os.Environ(), "PACKAGE_ARCH="+processor, "PACKAGE_VERSION="+r.version,
			"PACKAGE_MAINTAINER="+r.maintainer(), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.time.Unix(), 10))
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: nfpm: %w: %s", name, err, out)
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		made = append(made, file{name, 0o644, content})
	}
	return made, nil
}

// stage writes a file to dir, with the mode and the time that it will have in the packages.
func (r *release) stage(dir string, f file) error {
	path := filepath.Join(dir, filepath.FromSlash(f.name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path, f.content, f.mode), os.Chmod(path, f.mode), os.Chtimes(path, r.time, r.time))
}

// maintainer returns the maintainer field of packages.
func (r *release) maintainer() string {
	if r.contact == "" {
		return "svc maintainers"
	}
	return "svc maintainers <" + r.contact + ">"
}

// installNFPM installs nfpm into a folder and sets r.nfpm.
func (r *release) installNFPM(dir string) error {
	c := exec.Command("go", "install", "-trimpath", nfpm)
	c.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=", "GOWORK=off", "GOOS=", "GOARCH=", "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go install %s: %w: %s", nfpm, err, out)
	}
	found, err := filepath.Glob(filepath.Join(dir, "nfpm*"))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("go install %s left %q, %w", nfpm, found, err)
	}
	r.nfpm = found[0]
	return nil
}
