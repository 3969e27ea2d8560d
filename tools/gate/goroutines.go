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
	"io"
	"os/exec"
	"path/filepath"
	"slices"
)

// listed is a package as go list describes it.
type listed struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func (p listed) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// unwatched tells the compiler to leave the detector out of the hash of passwords. It
// fills 19 MiB that nobody else sees, for which the detector needs four times as much and
// twice the time.
const unwatched = "-gcflags=golang.org/x/crypto/argon2=-race=false"

// concurrent lists the packages with tests that have goroutines. For the others the
// race detector is time spent on nothing.
func concurrent(ctx context.Context) (names []string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return names, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		case !p.hasTests():
			continue
		}
		switch found, err := p.concurrent(); {
		case err != nil:
			return nil, err
		case found:
			names = append(names, p.ImportPath)
		}
	}
}

// concurrent reports whether the package or its tests start goroutines. What only
// guards itself against those of others, with a mutex or a sync.Once, is reached by
// the tests of who starts them; and tests that are parallel share nothing.
func (p listed) concurrent() (bool, error) {
	for _, files := range [][]string{p.GoFiles, p.TestGoFiles, p.XTestGoFiles} {
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return false, err
			}
			if startsGoroutines(file) {
				return true, nil
			}
		}
	}
	return false, nil
}

// starting are the functions and methods that start a goroutine: of sync.WaitGroup, of
// packages time and context, and of net/http with httptest.
var starting = []string{"Go", "AfterFunc", "NewServer", "NewTLSServer", "NewUnstartedServer", "Serve", "ServeTLS"}

func startsGoroutines(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			method, ok := n.Fun.(*ast.SelectorExpr)
			found = found || ok && slices.Contains(starting, method.Sel.Name)
		}
		return !found
	})
	return found
}
