package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// platforms type-checks the program and its tests for every release platform other than the current
// one, which vet and the tests already cover. Nothing needs to be compiled, because the compiler
// accepts every package that passes the type checker. For other modules, only declarations are
// checked.
func platforms(ctx context.Context, _ *machine) result {
	for _, p := range []platform{
		{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
	} {
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

// platform is a target of the compiler.
type platform struct{ system, processor string }

// source is a package in the output of go list. It may also be a variant of a package that is
// compiled only for tests, either for its own or for those of another package.
type source struct {
	ImportPath, Dir string
	Module          *struct {
		Main      bool
		GoVersion string
	}
	GoFiles   []string          // for a variant, these include the files of its tests
	ImportMap map[string]string // maps an import path to the path of a variant
}

// ours reports whether the package belongs to the checked module. It returns false for the main
// packages of tests, which are generated.
func (s *source) ours() bool {
	return s.Module != nil && s.Module.Main && !strings.HasSuffix(s.ImportPath, ".test")
}

// check type-checks all packages and tests of the module in a folder. It returns the errors that it
// finds in them.
func (p platform) check(ctx context.Context, dir string) (found []error, err error) {
	list, err := p.sources(ctx, dir)
	if err != nil {
		return nil, err
	}
	c := checker{
		files: token.NewFileSet(), sizes: types.SizesFor("gc", p.processor),
		done: map[string]*types.Package{"unsafe": types.Unsafe},
	}
	for _, s := range list { // imported packages come first
		found = append(found, c.check(s)...)
	}
	return found, nil
}

// list runs go list for the platform and returns its output.
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

// sources lists all packages. Each package comes after its imports.
func (p platform) sources(ctx context.Context, dir string) (list []*source, err error) {
	out, err := p.list(ctx, dir, "-deps", "-test", "-json=ImportPath,Dir,Module,GoFiles,ImportMap", "./...")
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

// checker type-checks packages in the order of their imports.
type checker struct {
	files *token.FileSet
	sizes types.Sizes
	done  map[string]*types.Package // checked packages by import path
}

// importing resolves the imports of one package.
type importing struct {
	*checker
	of *source
}

// Import returns a package that has already been checked.
func (i importing) Import(path string) (*types.Package, error) {
	if variant := i.of.ImportMap[path]; variant != "" {
		path = variant
	}
	if p := i.done[path]; p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("package %s is not listed before the packages that import it", path)
}

// check type-checks a package. It returns the errors only if the package belongs to the checked
// module.
func (c *checker) check(s *source) (found []error) {
	if c.done[s.ImportPath] != nil {
		return nil
	}
	var parsed []*ast.File
	for _, name := range s.GoFiles {
		file, err := parser.ParseFile(c.files, filepath.Join(s.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			found = append(found, err)
			continue
		}
		parsed = append(parsed, file)
	}
	config := types.Config{
		Sizes: c.sizes, Importer: importing{c, s}, IgnoreFuncBodies: !s.ours(),
		Error: func(err error) { found = append(found, err) },
	}
	if s.Module != nil && s.Module.GoVersion != "" {
		config.GoVersion = "go" + s.Module.GoVersion
	}
	path, _, _ := strings.Cut(s.ImportPath, " ") // the remainder names the variant
	c.done[s.ImportPath], _ = config.Check(path, c.files, parsed, nil)
	if !s.ours() {
		return nil
	}
	return found
}
