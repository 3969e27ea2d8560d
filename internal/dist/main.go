// Command dist builds the archives of a release from a commit: program, manual
// pages, completions and list of modules for each platform, and the sums of all.
// The same commit gives the same bytes in any folder, with the same Go.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const sumsName = "SHA256SUMS"

const everyPlatform = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

func main() {
	r := release{}
	flag.StringVar(&r.version, "version", "", "version in names and in the program, such as 1.4.0")
	flag.StringVar(&r.out, "out", "dist", "folder for the archives; those of earlier runs in it are removed")
	platforms := flag.String("platforms", everyPlatform, "what to build for, as system/processor")
	flag.Parse()
	if err := r.run(strings.Fields(*platforms)); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// release is what all archives of one release share.
type release struct {
	version string
	out     string
	time    time.Time // of the commit, for everything that has a time
	shared  []file    // the same for every platform
}

func (r *release) run(platforms []string) error {
	if r.version == "" || strings.ContainsAny(r.version, " /\\") {
		return errors.New("-version must be one word, such as 1.4.0")
	}
	var err error
	if r.time, err = commitTime(); err != nil {
		return err
	}
	if r.shared, err = r.sharedFiles(); err != nil {
		return err
	}
	if err := r.emptyOut(); err != nil {
		return err
	}
	var sums strings.Builder
	for _, platform := range platforms {
		name, content, err := r.build(platform)
		if err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
		if err := os.WriteFile(filepath.Join(r.out, name), content, 0o644); err != nil {
			return err
		}
		line := fmt.Sprintf("%x  %s\n", sha256.Sum256(content), name)
		fmt.Print(line)
		sums.WriteString(line)
	}
	return os.WriteFile(filepath.Join(r.out, sumsName), []byte(sums.String()), 0o644)
}

// emptyOut makes the folder and removes what an earlier run has left there, which
// may be of another version.
func (r *release) emptyOut() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "svc_") || name == sumsName {
			if err := os.Remove(filepath.Join(r.out, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// commitTime is when the commit was made. A tree with changes belongs to no
// commit, so nobody could build the same.
func commitTime() (time.Time, error) {
	changes, err := output("git", "status", "--porcelain")
	if err != nil {
		return time.Time{}, err
	}
	if changes != "" {
		return time.Time{}, fmt.Errorf("commit these first:\n%s", changes)
	}
	text, err := output("git", "log", "-1", "--format=%ct")
	if err != nil {
		return time.Time{}, err
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("time of the commit: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func output(name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// build gives the archive for one platform.
func (r *release) build(platform string) (name string, archive []byte, err error) {
	system, processor, _ := strings.Cut(platform, "/")
	program := "svc"
	if system == "windows" {
		program = "svc.exe"
	}
	binary, err := r.compile(system, processor, program)
	if err != nil {
		return "", nil, err
	}
	folder := fmt.Sprintf("svc_%s_%s_%s", r.version, system, processor)
	modules, err := moduleList(folder, r.version, binary, r.time)
	if err != nil {
		return "", nil, err
	}
	files := append(slices.Clone(r.shared), file{program, 0o755, binary}, file{"svc.spdx.json", 0o644, modules})
	if system == "linux" {
		unit, err := os.ReadFile("deploy/svc.service")
		if err != nil {
			return "", nil, err
		}
		files = append(files, file{"svc.service", 0o644, unit})
	}
	if system == "windows" {
		archive, err = zipped(folder, files, r.time)
		return folder + ".zip", archive, err
	}
	archive, err = tarred(folder, files, r.time)
	return folder + ".tar.gz", archive, err
}

// compile builds the program. What of the environment would change it is set.
func (r *release) compile(system, processor, program string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "svc-dist-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, program)
	c := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-mod=readonly",
		"-ldflags", "-s -w -buildid= -X svc/cmd.version="+r.version, "-o", path, ".")
	c.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+processor, "CGO_ENABLED=0",
		"GOFLAGS=", "GOWORK=off", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0")
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		return nil, fmt.Errorf("go build: %w", err)
	}
	return os.ReadFile(path)
}
