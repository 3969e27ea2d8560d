// Command version manages the common version number of the server and the client libraries. The
// number is in the file VERSION and in the sources of every library.
//
//	go run ./tools/version              prints the number, fails if a library has another one
//	go run ./tools/version 1.4.0        writes the number to all places
//	go run ./tools/version -is 1.4.0    fails if the number is another one
//
// The generated files for web pages also contain the number. To rebuild them, run node
// clients/browser/build.mjs.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// place is a location of the version number: a file, and a pattern that matches the number in it.
// The pattern must match exactly once. Its second group is the number.
type place struct {
	file      string
	pattern   *regexp.Regexp
	generated bool // generated from other places; checked but not written
}

const number = `([0-9]+\.[0-9]+\.[0-9]+(?:-[0-9a-z.]+)?)`

func at(file, before, after string) place {
	return place{file: file, pattern: regexp.MustCompile(`(?m)(` + before + `)` + number + `(` + after + `)`)}
}

// places lists all locations of the version number. If the folder of a library exists, it must
// contain all of the library's places.
var places = []place{
	at("VERSION", `\A`, `\n\z`),
	at("clients/go/doc.go", `^const Version = "`, `"$`),
	at("clients/python/src/svc_sdk/_version.py", `^SDK_VERSION = "`, `"$`),
	at("clients/typescript/src/version.ts", `^export const SDK_VERSION = "`, `";$`),
	at("clients/typescript/package.json", `^  "version": "`, `",$`),
	at("clients/typescript/package-lock.json", `\A\{\n  "name": "svc-sdk",\n  "version": "`, `",$`),
	at("clients/typescript/package-lock.json", `^    "": \{\n      "name": "svc-sdk",\n      "version": "`, `",$`),
	at("clients/rust/Cargo.toml", `\A\[package\]\nname = "svc-sdk"\nversion = "`, `"$`),
	at("clients/rust/Cargo.lock", `^name = "svc-sdk"\nversion = "`, `"$`),
	generated("clients/browser/svc-sdk.js"),
	generated("clients/browser/svc-sdk.global.js"),
	generated("clients/browser/svc-sdk.transfers.js"),
}

func generated(file string) place {
	p := at(file, `\A/\*! svc-sdk `, ` \|`)
	p.generated = true
	return p
}

func main() {
	is := flag.String("is", "", "fail when the version is another than this `number`")
	flag.Parse()
	if err := run(*is, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "version:", err)
		os.Exit(1)
	}
}

func run(is string, args []string) error {
	if len(args) > 1 {
		return errors.New("give one version, such as 1.4.0, or none")
	}
	if len(args) == 1 {
		if err := write(".", args[0]); err != nil {
			return err
		}
	}
	version, err := check(".", len(args) == 0)
	if err != nil {
		return err
	}
	if is != "" && is != version {
		return fmt.Errorf("VERSION has %s, not %s: go run ./tools/version %s", version, is, is)
	}
	fmt.Println(version)
	return nil
}

// check returns the version of the tree. If any place has another version, it returns an error that
// names every such place. It checks generated places only if all is true.
func check(root string, all bool) (string, error) {
	var version string
	var problems []error
	for _, p := range places {
		if p.generated && !all {
			continue
		}
		text, err := p.read(root)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		if text == nil {
			continue
		}
		found := p.pattern.FindAllSubmatch(text, -1)
		switch {
		case len(found) != 1:
			problems = append(problems, fmt.Errorf("%s has its version %d times, want once: %s", p.file, len(found), p.pattern))
		case version == "":
			version = string(found[0][2])
		case string(found[0][2]) != version:
			problems = append(problems, fmt.Errorf("%s has version %s, want %s", p.file, found[0][2], version))
		}
	}
	return version, errors.Join(problems...)
}

// write writes a version to every place that is not generated.
func write(root, version string) error {
	if !regexp.MustCompile(`\A` + number + `\z`).MatchString(version) {
		return fmt.Errorf("%q is not a version such as 1.4.0 or 1.4.0-rc.1", version)
	}
	for _, p := range places {
		text, err := p.read(root)
		if err != nil {
			return err
		}
		if text == nil || p.generated {
			continue
		}
		changed := p.pattern.ReplaceAll(text, []byte("${1}"+version+"${3}"))
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(p.file)), changed, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// read returns the content of the file of a place. It returns nil if the file belongs to a library
// and the folder of the library does not exist.
func (p place) read(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(p.file)))
	if !errors.Is(err, fs.ErrNotExist) {
		return text, err
	}
	parts := strings.SplitN(p.file, "/", 3)
	if len(parts) < 3 {
		return nil, err
	}
	if _, missing := os.Stat(filepath.Join(root, parts[0], parts[1])); errors.Is(missing, fs.ErrNotExist) {
		return nil, nil
	}
	return nil, err
}
