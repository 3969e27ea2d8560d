// Command dist builds a release from a commit. For each platform, it builds an archive with the
// program, the manual pages, the completions and the list of modules. For Linux, it also builds
// packages. It writes the checksums of all files and signs them. Builds are reproducible: the same
// commit and the same version of Go produce the same bytes in any folder.
//
//	main.go      flags, and the steps of a release
//	archive.go   tar and zip files
//	packages.go  .deb and .rpm
//	modules.go   the list of modules, as SPDX
//	shared.go    manual pages and completions
//	sign.go      the signature of the checksums
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

	"golang.org/x/crypto/ssh"
)

const (
	sumsName      = "SHA256SUMS"
	signatureName = sumsName + ".sig"
)

const everyPlatform = "linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64"

func main() {
	r := release{}
	flag.StringVar(&r.version, "version", "", "version in names and in the program, such as 1.4.0")
	flag.StringVar(&r.out, "out", "dist", "folder for the archives; those of earlier runs in it are removed")
	flag.StringVar(&r.contact, "security-contact", "", "where to report vulnerabilities, for SECURITY.md of the archives")
	flag.StringVar(&r.signingKey, "signing-key", "", "file with a private key of ssh-keygen, for "+signatureName)
	platforms := flag.String("platforms", everyPlatform, "what to build for, as system/processor")
	flag.Parse()
	if err := r.run(strings.Fields(*platforms)); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// release holds the parameters that are common to all archives of a release.
type release struct {
	version    string
	out        string
	contact    string    // where to report vulnerabilities; "" leaves SECURITY.md unchanged
	signingKey string    // path of the key; "" means no signature
	time       time.Time // time of the commit; used for all timestamps
	shared     []file    // files common to all platforms
	nfpm       string    // path of nfpm; "" means no packages
}

func (r *release) run(platforms []string) error {
	if r.version == "" || strings.ContainsAny(r.version, " /\\") {
		return errors.New("-version must be one word, such as 1.4.0")
	}
	var signer ssh.Signer
	var err error
	if r.signingKey != "" {
		if signer, err = readSigner(r.signingKey); err != nil {
			return err
		}
	}
	if r.time, err = commitTime(); err != nil {
		return err
	}
	if r.contact == "" {
		fmt.Fprintln(os.Stderr, "dist: SECURITY.md names no address: give one with -security-contact")
	}
	if r.shared, err = r.sharedFiles(); err != nil {
		return err
	}
	if r.hasPackages() {
		tools, err := os.MkdirTemp("", "svc-dist-")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(tools) }()
		if err := r.installNFPM(tools); err != nil {
			return err
		}
	} else {
		fmt.Fprintln(os.Stderr, "dist: no packages: their versions begin with a digit, as 1.4.0 does")
	}
	if err := r.emptyOut(); err != nil {
		return err
	}
	sums, err := r.writeAll(platforms)
	if err != nil {
		return err
	}
	if signer == nil {
		fmt.Fprintln(os.Stderr, "dist: nothing is signed: give a key with -signing-key")
		return nil
	}
	signature, err := sign(signer, sums)
	if err != nil {
		return fmt.Errorf("sign %s: %w", sumsName, err)
	}
	fmt.Println(signatureName, "is by", publicKey(signer))
	return os.WriteFile(filepath.Join(r.out, signatureName), signature, 0o644)
}

// writeAll builds and writes the files for the given platforms. It also writes the file with their
// checksums and returns its content.
func (r *release) writeAll(platforms []string) (sums []byte, err error) {
	for _, platform := range platforms {
		made, err := r.build(platform)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", platform, err)
		}
		for _, f := range made {
			if err := os.WriteFile(filepath.Join(r.out, f.name), f.content, f.mode); err != nil {
				return nil, err
			}
			line := fmt.Sprintf("%x  %s\n", sha256.Sum256(f.content), f.name)
			fmt.Print(line)
			sums = append(sums, line...)
		}
	}
	return sums, os.WriteFile(filepath.Join(r.out, sumsName), sums, 0o644)
}

// emptyOut creates the output folder. It removes the files of earlier runs, which may be of another
// version.
func (r *release) emptyOut() error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "svc_") || name == sumsName || name == signatureName {
			if err := os.Remove(filepath.Join(r.out, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// commitTime returns the time of the current commit. It returns an error if the tree has
// uncommitted changes, because the build would not be reproducible.
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

// build returns the archive for a platform, such as linux/amd64. For Linux, it also returns the
// packages if nfpm is installed.
func (r *release) build(platform string) ([]file, error) {
	system, processor, _ := strings.Cut(platform, "/")
	program := "svc"
	if system == "windows" {
		program = "svc.exe"
	}
	binary, err := r.compile(system, processor, program)
	if err != nil {
		return nil, err
	}
	folder := fmt.Sprintf("svc_%s_%s_%s", r.version, system, processor)
	modules, err := moduleList(folder, r.version, binary, r.time)
	if err != nil {
		return nil, err
	}
	files := append(slices.Clone(r.shared), file{program, 0o755, binary}, file{"svc.spdx.json", 0o644, modules})
	if system == "linux" {
		unit, err := os.ReadFile("deploy/" + unitName)
		if err != nil {
			return nil, err
		}
		files = append(files, file{unitName, 0o644, unit})
	}
	if system == "windows" {
		archive, err := zipped(folder, files, r.time)
		return []file{{folder + ".zip", 0o644, archive}}, err
	}
	archive, err := tarred(folder, files, r.time)
	made := []file{{folder + ".tar.gz", 0o644, archive}}
	if err != nil || system != "linux" || r.nfpm == "" {
		return made, err
	}
	packages, err := r.packages(processor, files)
	return append(made, packages...), err
}

// compile builds the program with a fixed environment, so that the result is reproducible.
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
