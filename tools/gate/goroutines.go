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

// listed is a package in the output of go list.
type listed struct {
	ImportPath, Dir                    string
	GoFiles, TestGoFiles, XTestGoFiles []string
}

func (p listed) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// packages lists the packages that have tests. Those in concurrent start goroutines. Those in
// sequential do not, so that the race detector would find nothing in them.
func packages(ctx context.Context) (concurrent, sequential []string, err error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles", "./...").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w", err)
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		switch err := d.Decode(&p); {
		case errors.Is(err, io.EOF):
			return concurrent, sequential, nil
		case err != nil:
			return nil, nil, fmt.Errorf("go list: %w", err)
		case !p.hasTests():
			continue
		}
		switch found, err := p.concurrent(); {
		case err != nil:
			return nil, nil, err
		case found:
			concurrent = append(concurrent, p.ImportPath)
		default:
			sequential = append(sequential, p.ImportPath)
		}
	}
}

// concurrent reports whether the package or its tests start goroutines. A package that only
// protects its data with a mutex or a sync.Once does not count: the race detector covers it in the
// tests of the packages that start the goroutines. Tests that run in parallel do not count either,
// because they share no data.
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

// starting lists the functions and methods that start a goroutine. They are from sync.WaitGroup,
// time, context, net/http and httptest.
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
