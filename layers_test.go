package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svc/internal/datadir"
)

// mayImport maps each of our packages to those of our packages that it may import. A name that ends
// in "/..." includes all packages below it. Tests may import more packages.
var mayImport = map[string][]string{
	".":   {"cmd"},
	"cmd": {"api", "api/web", "api/codehost", "api/control", "api/distribution", "api/feeds", "api/hooks", "api/resource", "docs", "store", "internal/..."},

	"api":           {"api/analytics", "api/codehost", "api/control", "api/distribution", "api/feeds", "api/hooks", "api/pages", "api/resource", "api/transfer", "api/web", "internal/auth", "internal/backup", "internal/control", "internal/disk", "internal/event", "internal/fault", "internal/files/engine", "internal/geo", "internal/health", "internal/instance", "internal/jobs", "internal/limit", "internal/notify/delivery", "internal/proxy", "internal/requests", "internal/today", "internal/translate", "internal/upstream", "search", "store"},
	"api/analytics": {"api/web", "internal/event", "internal/event/query", "internal/event/submission", "internal/fault", "internal/formula", "internal/geo", "internal/health", "internal/jsonscan", "internal/loggroup", "internal/platform", "internal/proxy", "internal/requests", "internal/stats", "internal/release", "internal/today", "internal/usage", "internal/useragent", "store"},
	"api/control":   {"api/web", "internal/backup", "internal/boltfile", "internal/control", "internal/datadir", "internal/disk", "internal/doctor", "internal/event", "internal/fault", "internal/instance", "internal/integrity", "internal/jobs", "internal/meter", "internal/proxy", "internal/replica", "internal/upstream", "search", "store"},
	"api/hooks":     {"api/web", "internal/fault", "internal/notify", "internal/notify/delivery", "internal/seal", "store"},
	"api/feeds":     {"api/distribution", "api/web", "internal/asset", "internal/fault", "internal/feed", "internal/files", "internal/health", "internal/locale", "internal/markdown", "internal/platform", "internal/release", "store"},
	"api/pages":     {"api/web", "assets", "internal/fault", "internal/files", "internal/locale", "internal/markdown", "internal/openapi", "internal/platform", "internal/release", "internal/terms", "internal/useragent", "store", "clients/browser"},
	"api/resource":  {"api/web", "internal/asset", "internal/auth", "internal/durable", "internal/fault", "internal/forward", "internal/health", "internal/limit", "internal/locale", "internal/loggroup", "internal/markdown", "internal/platform", "internal/release", "internal/rollout", "internal/seal", "internal/searchtext", "internal/setting", "internal/signature", "internal/stats", "internal/terms", "internal/translate", "internal/useragent", "search", "store"},
	"api/transfer":  {"api/analytics", "api/resource", "api/web", "internal/datadir", "internal/disk", "internal/durable", "internal/event", "internal/event/submission", "internal/fault", "internal/files", "internal/files/digest", "internal/files/engine", "internal/files/storage", "internal/platform", "internal/release", "internal/stats", "internal/transfer", "store"},
	"api/web":       {"internal/auth", "internal/control", "internal/jsonscan", "internal/event/submission", "internal/fault", "internal/geo", "internal/limit", "internal/logging", "internal/meter", "internal/platform", "internal/proxy", "internal/release", "internal/replica", "internal/searchtext", "internal/signature", "internal/stats", "internal/useragent", "store"},
	"search":        {"store", "internal/boltfile", "internal/durable", "internal/fault", "internal/integrity", "internal/searchtext", "internal/datadir"},
	"store":         {"internal/asset", "internal/boltfile", "internal/change", "internal/fault", "internal/files", "internal/integrity", "internal/limit", "internal/locale", "internal/loggroup", "internal/meter", "internal/notify", "internal/platform", "internal/release", "internal/rollout", "internal/searchtext", "internal/signature", "internal/stats", "store/column", "store/series", "internal/hourly"},
	"store/series":  {"internal/boltfile", "internal/fault", "internal/integrity", "store/column"},
	"store/column":  {},

	// Replicas of a data directory.
	"internal/replica/history": {"internal/backup", "internal/boltfile", "internal/datadir", "internal/durable", "internal/files", "internal/instance", "internal/integrity", "internal/replica/format", "internal/replica/target", "store"},

	// Files over HTTP.
	"api/codehost":     {"api/web", "internal/codehost", "internal/fault", "internal/files", "internal/forward", "internal/rollout", "internal/seal", "store"},
	"api/distribution": {"api/web", "internal/asset", "internal/fault", "internal/feed", "internal/files", "internal/files/engine", "internal/files/storage", "internal/files/upload", "internal/platform", "internal/seal", "internal/signature", "store"},

	// For tests.
	"api/apitest":                  {"api", "api/web", "internal/auth", "internal/boltfile", "internal/cdn", "internal/codehost", "internal/control", "internal/datadir", "internal/event", "internal/files/engine", "internal/files/slicecache", "internal/files/storage", "internal/files/storage/storagetest", "internal/files/upload", "internal/forward", "internal/geo", "internal/health", "internal/instance", "internal/jobs", "internal/notify", "internal/notify/delivery", "internal/notify/smtp", "internal/outbound", "internal/platform", "internal/proxy", "internal/replica", "internal/replica/follow", "internal/replica/format", "internal/replica/spool", "internal/requests", "internal/seal", "internal/stats", "internal/translate", "search", "store"},
	"internal/boltfile/bolttest":   {"internal/boltfile"},
	"internal/testutil":            {},
	"internal/testutil/minisign":   {},
	"internal/testutil/mailsink":   {},
	"internal/testutil/nameserver": {},

	"internal/codehost/codehosttest": {},

	// The data directory. This package and jobs are the only internal packages above the store.
	"internal/instance": {"store", "search", "internal/cdn", "internal/files", "internal/files/engine", "internal/files/slicecache", "internal/files/storage", "internal/files/upload", "internal/outbound", "internal/seal", "internal/event", "internal/backup", "internal/boltfile", "internal/control", "internal/datadir", "internal/auth", "internal/disk", "internal/doctor", "internal/durable", "internal/fault", "internal/integrity", "internal/notify", "internal/replica", "internal/replica/format", "internal/replica/spool", "internal/setting", "internal/terms"},

	// Background work.
	"internal/jobs": {"store", "internal/backup", "internal/boltfile", "internal/disk", "internal/durable", "internal/event", "internal/fault", "internal/datadir", "internal/files/engine", "internal/forward", "internal/health", "internal/instance", "internal/notify", "internal/notify/delivery", "internal/typo", "search"},

	// Checks of an installation from outside.
	"internal/doctor": {"internal/backup", "internal/boltfile", "internal/control", "internal/disk", "internal/machine", "internal/proxy", "internal/setting", "internal/datadir"},

	"internal/event/submission": {"internal/jsonscan", "internal/platform"},

	// Each of these uses one external resource.
	"internal/backup":          {"internal/durable", "internal/datadir", "internal/disk"},
	"internal/cdn":             {"internal/outbound"},
	"internal/translate":       {"internal/fault", "internal/outbound", "internal/placeholder"},
	"internal/upstream":        {"internal/outbound", "internal/release"},
	"internal/codehost":        {"internal/outbound", "internal/fault", "internal/placeholder", "internal/release"},
	"internal/forward":         {"internal/codehost", "internal/fault", "internal/limit", "internal/seal", "store"},
	"internal/requests":        {"internal/counter", "store"},
	"internal/health":          {"internal/asset", "internal/fault", "internal/notify", "internal/release", "internal/rollout", "store"},
	"internal/files/engine":    {"internal/asset", "internal/cdn", "internal/disk", "internal/durable", "internal/fault", "internal/files", "internal/files/digest", "internal/files/slicecache", "internal/files/storage", "internal/files/upload", "internal/outbound", "internal/seal", "internal/signature", "store"},
	"internal/certificate":     {},
	"internal/control":         {"internal/datadir"},
	"internal/notify/delivery": {"internal/fault", "internal/notify", "internal/notify/smtp", "internal/outbound", "internal/seal", "store"},
	"internal/notify/smtp":     {"internal/notify", "internal/outbound"},
	"internal/httpserver":      {"internal/certificate", "internal/control", "internal/limit", "internal/proxy", "internal/setting"},
	"internal/transfer":        {"internal/fault", "internal/files"},
	"internal/demo":            {"internal/notify", "internal/release", "internal/rollout", "internal/transfer"},
	"internal/event":           {"internal/event/...", "internal/boltfile", "internal/change", "internal/fault", "internal/integrity", "internal/searchtext", "internal/formula", "internal/meter", "internal/geo", "internal/platform", "internal/stats", "internal/hourly"},
	"internal/systemd":         {},

	// Requests to other machines, and the content of files.
	"internal/outbound":                  {},
	"internal/files":                     {"internal/fault"},
	"internal/files/storage":             {"internal/durable", "internal/files", "internal/outbound"},
	"internal/files/storage/storagetest": {"internal/files/storage"}, // for tests
	"internal/files/slicecache":          {"internal/disk", "internal/durable"},
	"internal/files/digest":              {},
	"internal/files/upload":              {"internal/disk", "internal/durable", "internal/fault", "internal/files", "internal/files/digest", "internal/integrity"},

	// The layers of the event engine: event -> query -> block -> encoding.
	"internal/event/block":      {"internal/event/encoding", "internal/jsonscan", "internal/integrity"},
	"internal/event/dictionary": {"internal/boltfile", "internal/event/encoding", "internal/event/hashindex", "internal/integrity"},
	"internal/event/encoding":   {"internal/integrity"},
	"internal/event/hashindex":  {"internal/boltfile", "internal/event/encoding", "internal/integrity"},
	"internal/event/query":      {"internal/event/block", "internal/event/encoding", "internal/jsonscan", "internal/fault", "internal/formula", "internal/geo", "internal/stats"},

	// Pure rules without side effects.
	"internal/asset":       {"internal/files", "internal/platform", "internal/signature"},
	"internal/feed":        {"internal/asset", "internal/markdown", "internal/platform", "internal/release", "internal/signature"},
	"internal/auth":        {},
	"internal/seal":        {"internal/fault"},
	"internal/limit":       {"internal/fault"},
	"internal/jsonscan":    {},
	"internal/locale":      {},
	"internal/loggroup":    {"internal/jsonscan", "internal/release"},
	"internal/signature":   {},
	"internal/markdown":    {},
	"internal/notify":      {"internal/rollout"},
	"internal/placeholder": {},
	"internal/platform":    {},
	"internal/searchtext":  {},
	"internal/formula":     {},
	"internal/geo":         {"internal/proxy"},
	"internal/proxy":       {},
	"internal/terms":       {"internal/locale", "internal/placeholder"},
	"internal/useragent":   {"internal/platform"},
	"internal/release":     {"internal/fault", "internal/platform", "internal/rollout"},
	"internal/rollout":     {"internal/event/submission", "internal/fault", "internal/platform"},
	"internal/today":       {"internal/release", "internal/usage"},
	"internal/usage":       {"internal/release"},
	"internal/stats":       {"internal/platform"},
	"internal/counter":     {},

	// Common parts of both data files.
	"internal/boltfile": {"internal/change", "internal/disk", "internal/durable", "internal/fault", "internal/integrity", "internal/meter"},

	"internal/hourly": {"internal/integrity"},
	"internal/disk":   {"internal/durable", "internal/fault"},

	// Leaves import none of our packages.
	"assets":                             {},
	"clients/browser":                    {},
	"clients/generate":                   {},
	"internal/replica/format":            {},
	"internal/replica":                   {"internal/backup", "internal/durable", "internal/fault", "internal/replica/format", "internal/replica/spool", "internal/replica/target"},
	"internal/replica/follow":            {"internal/backup", "internal/boltfile", "internal/datadir", "internal/durable", "internal/replica", "internal/replica/format", "internal/replica/history", "internal/replica/spool", "internal/replica/target"},
	"internal/replica/spool":             {"internal/boltfile", "internal/disk", "internal/replica/format"},
	"internal/replica/peer":              {"internal/durable", "internal/replica/format", "internal/replica/target"},
	"internal/replica/target":            {"internal/files/storage", "internal/outbound"},
	"internal/replica/target/targettest": {"internal/replica/target"},
	"internal/change":                    {},
	"internal/datadir":                   {},
	"docs":                               {},
	"internal/durable":                   {},
	"internal/fault":                     {"internal/integrity"},
	"internal/integrity":                 {},
	"internal/logging":                   {},
	"internal/machine":                   {},
	"internal/meter":                     {},
	"internal/openapi":                   {},
	"internal/setting":                   {"internal/datadir", "internal/typo"},
	"internal/typo":                      {},

	// Only tests.
	"tests/clients": {},
	"tests/crash":   {},
	"tests/stories": {},

	// Test vectors for the client libraries.
	"clients/vectors": {},

	// For measurements.
	"internal/testutil/server": {"internal/control", "internal/datadir"},
	"bench/internal/loadgen":   {},
	"bench/internal/workload":  {"bench/internal/loadgen"},

	// Builds releases; must not be imported.
	"tools/gate": {},
	"tools/dist": {"cmd"},

	// The common version of server and clients.
	"tools/version": {},

	// Benchmarks run the real program; must not be imported.
	"bench":         {"bench/internal/...", "internal/datadir", "internal/testutil/server"},
	"bench/clients": {},
	"bench/console": {"internal/transfer"},
	"bench/duckdb":  {"bench/internal/...", "internal/datadir"},
	"bench/soak":    {},
}

// onlyIn maps a library to the packages that may import it, so that its types do not spread to
// others. It contains every library that the program uses.
var onlyIn = map[string][]string{
	"net/http": {"api", "api/analytics", "api/apitest", "api/codehost", "api/control", "api/distribution", "api/feeds", "api/pages", "api/resource", "api/transfer", "api/web", "cmd", "internal/cdn", "internal/certificate", "internal/codehost", "internal/codehost/codehosttest", "internal/control", "internal/files/engine", "internal/files/storage", "internal/files/storage/storagetest", "internal/httpserver", "internal/notify", "internal/notify/delivery", "internal/outbound", "internal/replica/peer", "internal/replica/target", "internal/translate", "internal/upstream", "bench", "bench/clients", "bench/duckdb", "internal/testutil/server", "tools/gate"},

	"github.com/blevesearch/bleve/v2":         {"search"},
	"github.com/blevesearch/bleve_index_api":  {"search"},
	"github.com/oschwald/maxminddb-golang/v2": {"internal/geo"},
	"github.com/phuslu/iploc":                 {"internal/geo"},
	"golang.org/x/sync":                       {"internal/limit"},
	"golang.org/x/text":                       {"internal/files", "internal/searchtext", "search"},

	"github.com/caddyserver/certmagic":    {"internal/certificate"},
	"github.com/dchest/siphash":           {"internal/event/hashindex"},
	"filippo.io/age":                      {"internal/backup", "internal/replica/format"},
	"filippo.io/edwards25519":             {"internal/signature"},
	"github.com/klauspost/compress":       {"internal/backup", "internal/event/encoding", "internal/transfer", "internal/replica/format"},
	"github.com/gofrs/flock":              {"internal/control", "internal/instance"},
	"github.com/emersion/go-sasl":         {"internal/testutil/mailsink"},
	"github.com/emersion/go-smtp":         {"internal/testutil/mailsink"},
	"github.com/getkin/kin-openapi":       {"api/apitest", "clients/generate"},
	"github.com/golang-jwt/jwt/v5":        {"internal/auth", "internal/codehost", "internal/codehost/codehosttest"},
	"github.com/google/uuid":              {"search", "store", "store/series", "internal/event", "internal/instance", "internal/release", "internal/usage", "internal/cdn", "api/feeds"},
	"github.com/julienschmidt/httprouter": {"api/web", "bench"},
	"github.com/pelletier/go-toml/v2":     {"internal/instance", "internal/setting"},
	"github.com/prometheus/client_golang": {"api/control"},
	"github.com/spf13/cobra":              {"cmd", "tools/dist"},
	"github.com/spf13/pflag":              {"cmd"},
	"github.com/microcosm-cc/bluemonday":  {"internal/markdown"},
	"github.com/minio/minio-go/v7":        {"internal/files/storage"},
	"github.com/studio-b12/gowebdav":      {"internal/files/storage"},
	"github.com/wneessen/go-mail":         {"internal/notify/smtp"},
	"github.com/yuin/goldmark":            {"internal/markdown"},
	"go.etcd.io/bbolt":                    {"bench", "internal/boltfile", "internal/boltfile/bolttest"},
	"golang.org/x/crypto":                 {"internal/auth", "internal/demo", "internal/files/digest", "internal/testutil/minisign", "tools/dist"},
	"golang.org/x/net":                    {"internal/files/storage/storagetest", "internal/testutil/nameserver"},
	"golang.org/x/sys":                    {"internal/disk", "internal/doctor", "internal/systemd"},
	"go.uber.org/zap":                     {"internal/certificate"},
	"go.yaml.in/yaml/v3":                  {"clients/generate", "internal/openapi"},
	"golang.org/x/term":                   {"cmd"},
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

// TestFileNamesHaveOneOwner checks that the names of files in the data directory only occur in
// internal/datadir.
func TestFileNamesHaveOneOwner(t *testing.T) {
	t.Parallel()
	names := []string{
		datadir.Database, datadir.Events, datadir.Index, datadir.Secrets, datadir.Config, datadir.Lock,
		datadir.Socket, datadir.Bootstrap, datadir.Journal, datadir.Readme,
	}
	eachFile(t, func(file string, _ []string) {
		if strings.HasSuffix(file, "_test.go") || path.Dir(file) == "internal/datadir" {
			return
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			if err != nil || slices.ContainsFunc(names, func(name string) bool { return spells(text, name) }) {
				t.Errorf("%s spells %s: take the name from internal/datadir", file, literal.Value)
			}
			return true
		})
	})
}

// spells reports whether a text is the given file name, a name derived from it, or a path that
// begins with it.
func spells(text, name string) bool {
	rest, begins := strings.CutPrefix(strings.TrimPrefix(text, "."), name)
	return begins && (rest == "" || rest[0] == '.' && !strings.Contains(rest, " ") || rest[0] == '/')
}

// TestDependenciesAreExplained checks that docs/dependencies.md has a row for every imported
// library, and no other rows.
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

// eachFile calls fn with the imports of every Go file in the module, for all operating systems.
func eachFile(t *testing.T, fn func(file string, imports []string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch base := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && base != "." && (base == "testdata" || strings.HasPrefix(base, ".")):
			return fs.SkipDir
		case d.IsDir() && base != "." && exists(filepath.Join(name, "go.mod")):
			return fs.SkipDir // another module
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

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// covers reports whether a pattern of mayImport covers a package.
func covers(pattern, name string) bool {
	if parent, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(name, parent)
	}
	return pattern == name
}

// outside reports whether a package belongs to another module. The first element of its import path
// then contains a dot.
func outside(imported string) bool {
	host, _, _ := strings.Cut(imported, "/")
	return strings.Contains(host, ".")
}

// libraryOf returns the library in many that contains the imported package.
func libraryOf(imported string, many []string) (library string, found bool) {
	for _, library := range many {
		if imported == library || strings.HasPrefix(imported, library+"/") {
			return library, true
		}
	}
	return "", false
}
