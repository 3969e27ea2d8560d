package main

import (
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// manyFiles is the number of files from which a package comment must list the files of its package.
const manyFiles = 5

// TestPackageCommentsListFiles checks the lists of files in package comments. A comment that names
// any file must name all files of the package, and no others. A package with many files must have
// such a list. The file with the package comment may be omitted. Files for different systems, such
// as owner_unix.go and owner_windows.go, count as one. Package cmd has a file for each command and
// lists only the other files.
func TestPackageCommentsListFiles(t *testing.T) {
	t.Parallel()
	files, named, home := map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]string{}
	eachFile(t, func(name string, _ []string) {
		dir, base := path.Split(name)
		if strings.HasSuffix(base, "_test.go") {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if files[dir] == nil {
			files[dir], named[dir] = map[string]bool{}, map[string]bool{}
		}
		files[dir][story(base)] = true
		if parsed.Doc == nil {
			return
		}
		home[dir] = story(base)
		for _, m := range fileName.FindAllStringSubmatch(parsed.Doc.Text(), -1) {
			named[dir][story(m[1])] = true
		}
	})
	for dir, all := range files {
		if dir == "cmd/" || len(named[dir]) == 0 && len(all) < manyFiles {
			continue
		}
		for file := range all {
			if !named[dir][file] && file != home[dir] {
				t.Errorf("the comment of package %s does not name its file %s.go", dir, file)
			}
		}
		for file := range named[dir] {
			if !all[file] {
				t.Errorf("the comment of package %s names %s.go, which it does not have", dir, file)
			}
		}
	}
}

var (
	fileName = regexp.MustCompile(`(?:^|[\s(])([a-z0-9_]+\.go)\b`)
	system   = regexp.MustCompile(`_(unix|windows|linux|darwin|other)$`)
)

// story returns the name of a file without its extension and the suffix for an operating system.
func story(file string) string { return system.ReplaceAllString(strings.TrimSuffix(file, ".go"), "") }
