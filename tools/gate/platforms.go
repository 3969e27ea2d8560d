package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// platforms type-checks the program and its tests for every platform of a release but
// this one, where vet and the tests compile them. What the type checker accepts the
// compiler translates, so that nothing of ours is compiled and linked for machines on
// which it does not run here; a release does that. What others have written is compiled,
// once: the build cache keeps it.
func platforms(ctx context.Context, _ *machine) result {
	for _, p := range []platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}} {
		if p == (platform{runtime.GOOS, runtime.GOARCH}) {
			continue
		}
		found, err := p.check(ctx, ".")
		if err != nil {
			found = []error{err}
		}
		if len(found) > 0 {
			return result{failed: 1, output: fmt.Sprintf("does not compile for %s/%s\n%v\n", p.system, p.processor, errors.Join(found...))}
		}
	}
	return result{passed: 1}
}

// platform is what a program is compiled for.
type platform struct{ system, processor string }

// source is a package, or the variant of one that its tests or those of another
// package are compiled with, as go list describes it.
type source struct {
	ImportPath, Dir string
	Standard        bool
	Module          *struct {
		Main      bool
		GoVersion string
	}
	GoFiles   []string          // with those of the tests where it is such a variant
	ImportMap map[string]string // what an import means, where that is a variant
}

// ours reports whether the package belongs to the module that is checked, and has files
// of its own: the main package of a test is generated.
func (s *source) ours() bool {
	return s.Module != nil && s.Module.Main && !strings.HasSuffix(s.ImportPath, ".test")
}

// check type-checks every package and test of the module in a folder, and returns what
// is wrong with them.
func (p platform) check(ctx context.Context, dir string) (found []error, err error) {
	list, err := p.sources(ctx, dir)
	if err != nil {
		return nil, err
	}
	exports, err := p.exports(ctx, dir, list)
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	c := checker{
		files: files, sizes: types.SizesFor("gc", p.processor), done: map[string]*types.Package{},
		others: importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }),
	}
	for _, s := range list { // each after what it imports
		if s.ours() {
			found = append(found, c.check(s)...)
		}
	}
	return found, nil
}

// list runs go list for the platform.
func (p platform) list(ctx context.Context, dir string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	c.Dir = dir
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+p.system, "GOARCH="+p.processor)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("%s%w: %s", said.Bytes(), err, c)
	}
	return out, nil
}

// sources lists all packages, each after those that it imports.
func (p platform) sources(ctx context.Context, dir string) (list []*source, err error) {
	out, err := p.list(ctx, dir, "-deps", "-test", "-json=ImportPath,Dir,Standard,Module,GoFiles,ImportMap", "./...")
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		s := &source{}
		if err := d.Decode(s); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		list = append(list, s)
	}
	return list, nil
}

// exports compiles the packages of others and returns the files with their types.
func (p platform) exports(ctx context.Context, dir string, list []*source) (map[string]string, error) {
	args := []string{"-export", "-f={{.ImportPath}}\t{{.Export}}"}
	for _, s := range list {
		if s.Module == nil || !s.Module.Main {
			args = append(args, s.ImportPath)
		}
	}
	out, err := p.list(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	return exports, nil
}

// checker type-checks packages in the order of their imports.
type checker struct {
	files  *token.FileSet
	sizes  types.Sizes
	others types.Importer
	done   map[string]*types.Package // ours, by import path
}

// importing resolves the imports of one package.
type importing struct {
	*checker
	of *source
}

// Import returns a package that was checked before, or that others have written.
func (i importing) Import(path string) (*types.Package, error) {
	if variant := i.of.ImportMap[path]; variant != "" {
		path = variant
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return i.others.Import(path)
}

// check type-checks a package and returns what is wrong with it.
func (c *checker) check(s *source) (found []error) {
	var parsed []*ast.File
	for _, name := range s.GoFiles {
		file, err := parser.ParseFile(c.files, filepath.Join(s.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return []error{err}
		}
		parsed = append(parsed, file)
	}
	config := types.Config{
		GoVersion: "go" + s.Module.GoVersion, Sizes: c.sizes, Importer: importing{c, s},
		Error: func(err error) { found = append(found, err) },
	}
	path, _, _ := strings.Cut(s.ImportPath, " ") // the rest of it says which variant
	c.done[s.ImportPath], _ = config.Check(path, c.files, parsed, nil)
	return found
}
