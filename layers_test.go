package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mayImport is the whole dependency policy: who may import which package of
// ours. A name that ends in "/..." means everything below it. Tests may import
// more.
var mayImport = map[string][]string{
	".":   {"cmd"},
	"cmd": {"api", "docs", "search", "store", "internal/..."},

	"api":    {"store", "search", "internal/..."},
	"search": {"store", "internal/boltfile", "internal/durable", "internal/fault", "internal/finding", "internal/fold"},
	"store":  {"internal/boltfile", "internal/fault", "internal/finding", "internal/fold", "internal/locale", "internal/meter", "internal/platform", "internal/release", "internal/stats"},

	// For tests.
	"internal/patience": {},

	// Work that no request waits for.
	"internal/jobs": {"store", "internal/backup", "internal/boltfile", "internal/disk", "internal/durable", "internal/event", "internal/fault"},

	// Looks at everything from outside.
	"internal/doctor": {"internal/backup", "internal/boltfile", "internal/control", "internal/disk", "internal/origin", "internal/setting"},

	// Engines have one thing outside the process each.
	"internal/backup":      {"internal/durable"},
	"internal/certificate": {},
	"internal/control":     {},
	"internal/transfer":    {"internal/fault"},
	"internal/event":       {"internal/boltfile", "internal/fault", "internal/finding", "internal/fold", "internal/formula", "internal/meter", "internal/origin", "internal/platform", "internal/stats"},
	"internal/systemd":     {},

	// Rules are pure: values in, values out.
	"internal/auth":     {},
	"internal/limit":    {"internal/fault"},
	"internal/locale":   {},
	"internal/platform": {},
	"internal/fold":     {},
	"internal/formula":  {},
	"internal/origin":   {"internal/platform"},
	"internal/release":  {"internal/fault"},
	"internal/stats":    {"internal/platform"},
	"internal/tally":    {},

	// What both data files are opened with.
	"internal/boltfile": {"internal/disk", "internal/durable", "internal/fault", "internal/finding"},

	// Leaves know nothing of ours.
	"docs":             {},
	"internal/disk":    {},
	"internal/durable": {},
	"internal/fault":   {},
	"internal/finding": {},
	"internal/logging": {},
	"internal/meter":   {},
	"internal/setting": {},

	// Only tests.
	"internal/crash": {},

	// For measuring.
	"internal/load":   {},
	"internal/sample": {},

	// What makes a release; nobody imports it.
	"internal/dist": {"cmd"},

	// Benchmarks run the real thing; nobody imports them.
	"bench/backup":      {"api", "store", "internal/..."},
	"bench/duckdb":      {"internal/..."},
	"bench/lists":       {"search", "store", "internal/..."},
	"bench/submissions": {"api", "store", "internal/..."},
	"bench/updatecheck": {"api", "store", "internal/..."},
}

// onlyIn says who may touch a library whose types must not spread. It names
// every library that the program uses.
var onlyIn = map[string][]string{
	"net/http": {"api", "cmd", "internal/certificate", "internal/control", "bench/backup", "bench/submissions", "bench/updatecheck"},

	"github.com/blevesearch/bleve/v2":         {"search"},
	"github.com/blevesearch/bleve_index_api":  {"search"},
	"github.com/oschwald/maxminddb-golang/v2": {"internal/origin"},
	"github.com/phuslu/iploc":                 {"internal/origin"},
	"golang.org/x/text":                       {"internal/fold", "search"},

	"github.com/caddyserver/certmagic":    {"internal/certificate"},
	"github.com/dchest/siphash":           {"internal/event"},
	"filippo.io/age":                      {"internal/backup"},
	"github.com/klauspost/compress":       {"internal/backup", "internal/event", "internal/transfer"},
	"github.com/gofrs/flock":              {"internal/control"},
	"github.com/golang-jwt/jwt/v5":        {"internal/auth"},
	"github.com/google/uuid":              {"search", "store", "internal/event", "internal/release"},
	"github.com/julienschmidt/httprouter": {"api", "bench/submissions", "bench/updatecheck"},
	"github.com/pelletier/go-toml/v2":     {"cmd", "internal/setting"},
	"github.com/prometheus/client_golang": {"api"},
	"github.com/spf13/cobra":              {"cmd", "internal/dist"},
	"github.com/spf13/pflag":              {"cmd"},
	"go.etcd.io/bbolt":                    {"store", "internal/boltfile", "internal/event"},
	"golang.org/x/crypto":                 {"internal/auth"},
	"golang.org/x/sys":                    {"internal/disk", "internal/doctor", "internal/systemd"},
	"go.uber.org/zap":                     {"internal/certificate"},
	"golang.org/x/term":                   {"cmd"},
	"golang.org/x/time":                   {"internal/limit"},
}

const module = "svc/"

func TestLayers(t *testing.T) {
	t.Parallel()
	packages, used := map[string]bool{}, map[string]bool{}
	eachFile(t, func(file string, imports []string) {
		importer := path.Dir(file)
		packages[importer] = true
		if strings.HasSuffix(file, "_test.go") {
			return
		}
		allowed, known := mayImport[importer]
		if !known {
			t.Errorf("%s: package %s is not in mayImport: say what it may import", file, importer)
		}
		for _, imported := range imports {
			if ours, ok := strings.CutPrefix(imported, module); ok {
				if !slices.ContainsFunc(allowed, func(pattern string) bool { return covers(pattern, ours) }) {
					t.Errorf("%s imports %s: %s may import only %q", file, imported, importer, allowed)
				}
				continue
			}
			library, found := libraryOf(imported, slices.Collect(maps.Keys(onlyIn)))
			used[library] = true
			switch {
			case found && !slices.Contains(onlyIn[library], importer):
				t.Errorf("%s imports %s: only %q may use it", file, imported, onlyIn[library])
			case !found && outside(imported):
				t.Errorf("%s imports %s, which is not in onlyIn: say who may use it", file, imported)
			}
		}
	})
	for name := range mayImport {
		if !packages[name] {
			t.Errorf("mayImport names package %s, which does not exist", name)
		}
	}
	for library := range onlyIn {
		if !used[library] {
			t.Errorf("onlyIn names %s, which nobody imports", library)
		}
	}
}

// TestDependenciesAreExplained holds docs/dependencies.md to the imports: every
// library has its row, and every row its library.
func TestDependenciesAreExplained(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("docs/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, m[1])
	}
	used := map[string]bool{}
	eachFile(t, func(file string, imports []string) {
		for _, imported := range imports {
			library, found := libraryOf(imported, rows)
			used[library] = true
			if !found && outside(imported) {
				t.Errorf("%s imports %s, which has no row in docs/dependencies.md", file, imported)
			}
		}
	})
	for _, row := range rows {
		if !used[row] {
			t.Errorf("docs/dependencies.md has a row for %s, which nobody imports", row)
		}
	}
}

// eachFile calls fn with the imports of every Go file of the module, whatever
// system the file is for.
func eachFile(t *testing.T, fn func(file string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch base := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && base != "." && (base == "testdata" || strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(base, ".go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		var imports []string
		for _, spec := range file.Imports {
			imports = append(imports, strings.Trim(spec.Path.Value, "\"`"))
		}
		fn(filepath.ToSlash(name), imports)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// covers reports whether a pattern of mayImport covers a package.
func covers(pattern, name string) bool {
	if parent, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(name, parent)
	}
	return pattern == name
}

// outside reports whether a package is neither ours nor of the standard library:
// its path begins with a host.
func outside(imported string) bool {
	host, _, _ := strings.Cut(imported, "/")
	return strings.Contains(host, ".")
}

// libraryOf finds the library among many that an imported package belongs to.
func libraryOf(imported string, many []string) (library string, found bool) {
	for _, library := range many {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return library, true
		}
	}
	return "", false
}
