//go:build unix

package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/clients/browser"
	"svc/internal/datadir"
	"svc/internal/testutil/server"
)

// page is the documentation page with the tested blocks.
const page = "../../docs/clients.md"

// exampleAddress is the address of the server in the blocks.
const exampleAddress = "https://svc.example.com"

// blocks returns the code blocks of each language in the order of the page.
func blocks(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	marked := regexp.MustCompile("(?m)^<!-- ([a-z]+) -->\n```[a-z]+\n((?s).*?)^```\n").FindAllStringSubmatch(string(text), -1)
	for _, m := range marked {
		found[m[1]] = append(found[m[1]], m[2])
	}
	if fences := strings.Count(string(text), "\n```") / 2; fences != len(marked) {
		t.Fatalf("%s has %d blocks, of which %d say their language", page, fences, len(marked))
	}
	return found
}

// TestBlocksOfClients checks that all languages have the same number of blocks.
func TestBlocksOfClients(t *testing.T) {
	t.Parallel()
	found := blocks(t)
	for _, l := range languages {
		if got := len(found[l.name]); got != 10 {
			t.Errorf("%s shows %d things, want 10", l.name, got)
		}
	}
}

// TestLibrariesSayWhereTheyComeFrom checks that users install the libraries from this repository,
// and not from a registry where another owner may have taken the name. It also checks that each
// package names its origin.
func TestLibrariesSayWhereTheyComeFrom(t *testing.T) {
	t.Parallel()
	read := func(parts ...string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(append([]string{clientsDir}, parts...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	registry := regexp.MustCompile(`(?m)^(pip install|npm install|npm i|cargo add|go get) [a-z@]`)
	for library, from := range map[string]string{
		"go": "=../svc/clients/go ", "python": "pip install ../svc/clients/python\n", "typescript": "npm install ../svc/clients/typescript/",
		"rust": "cargo add --path ../svc/clients/rust\n", "browser": "the server of a page\ndelivers the files",
	} {
		readme := read(library, "README.md")
		if !strings.Contains(readme, from) {
			t.Errorf("the README of %s does not say %q", library, from)
		}
		if found := registry.FindString(readme); found != "" {
			t.Errorf("the README of %s installs from a registry: %q", library, found)
		}
		if read(library, "CHANGELOG.md") == "" {
			t.Errorf("%s has no change log", library)
		}
	}
	for file, fields := range map[string][]string{
		"python/pyproject.toml":   {"authors = ", "license = ", "Repository = ", "Changelog = ", `"/CHANGELOG.md"`},
		"typescript/package.json": {`"author": `, `"license": `, `"repository": `, `"homepage": `, `"CHANGELOG.md"`},
		"rust/Cargo.toml":         {"authors = ", "license = ", "repository = ", "readme = "},
	} {
		text := read(file)
		for _, field := range fields {
			if !strings.Contains(text, field) {
				t.Errorf("clients/%s has no %s", file, strings.TrimRight(field, " =:"))
			}
		}
	}
}

// TestEveryLibraryRunsItsDocumentation runs the blocks of docs/clients.md as one program per
// language. It runs each program twice against the same server, so the second run finds the data of
// the first. It checks the server's data after each run.
func TestEveryLibraryRunsItsDocumentation(t *testing.T) {
	t.Parallel()
	found := blocks(t)
	eachLanguage(t, func(t *testing.T, language string) {
		s, key := documented(t)
		code := strings.ReplaceAll(strings.Join(found[language], ""), exampleAddress, "http://"+s.Addr)
		dir := t.TempDir()
		program := programs[language](t, dir, code)
		env := append(os.Environ(), append(program.Env, "SVC_KEY="+key, "SVC_PASSWORD="+password(t, s), "XDG_STATE_HOME="+filepath.Join(dir, "state"))...)
		for _, run := range []string{"first", "second"} {
			command := exec.CommandContext(t.Context(), program.Path, program.Args[1:]...)
			command.Dir, command.Env = dir, env
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%s run: %v: %s\n%s", run, command, err, out)
			}
			t.Run(run, func(t *testing.T) { checkDocumented(t, s) })
		}
	})
}

// checkDocumented checks the data that the blocks sent to the server.
func checkDocumented(t *testing.T, s *server.Server) {
	t.Helper()
	// listed returns a text of each entry of a list, without repetitions. The server stores equal
	// submissions within a minute only once, but on a slow machine the second one may come later.
	listed := func(path, field string) (texts []string) {
		t.Helper()
		var page struct{ Data []map[string]any }
		if err := s.Call(t.Context(), "GET", "/admin/projects/my-app/"+path, nil, &page); err != nil {
			t.Fatal(err)
		}
		for _, entry := range page.Data {
			text, _ := entry[field].(string)
			texts = append(texts, text)
		}
		slices.Sort(texts)
		return slices.Compact(texts)
	}
	if got := listed("feedbacks", "content"); !slices.Equal(got, []string{"It is fast."}) {
		t.Errorf("feedback: %q", got)
	}
	if got := listed("logs", "content"); len(got) != 1 || !strings.Contains(got[0], "the disk is full") {
		t.Errorf("logs: %q", got)
	}
	if got := listed("files", "filename"); !slices.Equal(got, []string{"my-app-2.1.0.tar.gz", "my-app.tar.gz"}) {
		t.Errorf("files: %q", got)
	}
	names := listed("events/definitions", "name")
	if !slices.Contains(names, "document_saved") || !slices.Contains(names, "consent_given") || slices.Contains(names, "not_collected") {
		t.Errorf("events: %q", names)
	}
	var latest struct {
		Version, Title string
		DownloadLinks  []struct{ URL string } `json:"download_links"`
	}
	if err := s.Call(t.Context(), "GET", "/public/my-app/versions/latest", nil, &latest); err != nil {
		t.Fatal(err)
	}
	if latest.Version != "2.1.0" || latest.Title != "Faster" || len(latest.DownloadLinks) != 1 || !strings.HasSuffix(latest.DownloadLinks[0].URL, "/my-app-2.1.0.tar.gz") {
		t.Errorf("latest version: %+v", latest)
	}
}

// documented starts a server with the project described on the page. The app's version is
// unpublished. The project has a newer version with a file.
func documented(t *testing.T) (s *server.Server, key string) {
	t.Helper()
	program, err := server.Find(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s, err = program.Serve(context.WithoutCancel(t.Context()), filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	call := func(method, path string, body any, into any) {
		t.Helper()
		if err := s.Call(t.Context(), method, path, body, into); err != nil {
			t.Fatal(err)
		}
	}
	if key, err = s.Key(t.Context()); err != nil {
		t.Fatal(err)
	}
	call("POST", "/admin/projects", map[string]any{"project_key": "my-app", "name": "My app"}, nil)
	var file struct{ Path string }
	call("PUT", "/admin/projects/my-app/files?filename=my-app.tar.gz", "the content of the file", &file)
	links := []map[string]string{}
	for _, platform := range []string{"linux", "macos", "windows", "web"} {
		links = append(links, map[string]string{"url": "http://" + s.Addr + file.Path, "platform": platform})
	}
	call("PUT", "/admin/projects/my-app/versions/by-version/2.0.0", map[string]any{"download_links": links}, nil)
	return s, key
}

// password returns the administrator's password. It must be called before the first login, which
// removes the password from its file.
func password(t *testing.T, s *server.Server) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.Data, datadir.Bootstrap))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`password:\s*(\S+)`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("there is no password in %s", text)
	}
	return string(m[1])
}

// programs maps a language to a function that creates a program from blocks in an empty folder. The
// function may set a variable in Env.
var programs = map[string]func(t *testing.T, dir, code string) *exec.Cmd{
	"go": func(t *testing.T, dir, code string) *exec.Cmd {
		imports := ""
		for _, name := range []string{"context", "errors", "fmt", "os"} {
			if strings.Contains(code, name+".") || name == "context" {
				imports += fmt.Sprintf("%q\n", name)
			}
		}
		put(t, dir, "main.go", "package main\n\nimport (\n"+imports+"\nsvcsdk \"svc/clients/go\"\n)\n\nfunc run(ctx context.Context) error {\n"+code+
			"return nil\n}\n\nfunc main() {\nif err := run(context.Background()); err != nil {\npanic(err)\n}\n}\n")
		put(t, dir, "go.mod", "module example\n\ngo "+goVersion(t)+"\n\nrequire svc/clients/go v0.0.0\n\nreplace svc/clients/go => "+filepath.Join(clientsDir, "go")+"\n")
		return exec.CommandContext(t.Context(), "go", "run", ".")
	},
	"python": func(t *testing.T, dir, code string) *exec.Cmd {
		put(t, dir, "main.py", code)
		python := filepath.Join(clientsDir, "python", ".venv", "bin", "python")
		if _, err := os.Stat(python); err != nil {
			python = "python3"
		}
		c := exec.CommandContext(t.Context(), python, "-W", "error", "main.py")
		c.Env = []string{"PYTHONPATH=" + filepath.Join(clientsDir, "python", "src")}
		return c
	},
	"typescript": func(t *testing.T, dir, code string) *exec.Cmd {
		put(t, dir, "main.ts", code)
		library := filepath.Join(clientsDir, "typescript")
		if err := os.MkdirAll(filepath.Join(dir, "node_modules", "@types"), 0o700); err != nil {
			t.Fatal(err)
		}
		for link, to := range map[string]string{"svc-sdk": library, "@types/node": filepath.Join(library, "node_modules", "@types", "node"), "undici-types": filepath.Join(library, "node_modules", "undici-types")} {
			if err := os.Symlink(to, filepath.Join(dir, "node_modules", filepath.FromSlash(link))); err != nil {
				t.Fatal(err)
			}
		}
		put(t, dir, "package.json", `{"type":"module"}`)
		put(t, dir, "tsconfig.json", `{"compilerOptions":{"strict":true,"exactOptionalPropertyTypes":true,"target":"ES2022","module":"NodeNext","types":["node"],"noEmitOnError":true},"files":["main.ts"]}`)
		compiler := filepath.Join(library, "node_modules", "typescript", "bin", "tsc")
		return exec.CommandContext(t.Context(), "bash", "-c", `node "$0" && exec node main.js`, compiler)
	},
	"browser": func(t *testing.T, dir, code string) *exec.Cmd {
		// The page loads the module for files under its pinned name, from the page's own folder.
		for _, f := range browser.Files() {
			put(t, dir, f.PinnedName(), f.Text)
		}
		put(t, dir, "page.mjs", `import { readFileSync } from "node:fs";
globalThis.prompt = (question) => (question === "Name" ? "admin" : process.env.SVC_PASSWORD);
globalThis.navigator ??= { userAgent: "page" };
const page = new EventTarget();
globalThis.addEventListener = page.addEventListener.bind(page);
globalThis.removeEventListener = page.removeEventListener.bind(page);
(0, eval)(readFileSync(process.env.SVC_SDK, "utf8"));
`+code)
		c := exec.CommandContext(t.Context(), "node", "page.mjs")
		c.Env = []string{"SVC_SDK=" + filepath.Join(clientsDir, "browser", "svc-sdk.global.js")}
		return c
	},
	"rust": func(t *testing.T, dir, code string) *exec.Cmd {
		library := filepath.Join(clientsDir, "rust")
		put(t, dir, "main.rs", "use svc_sdk::{models::*, *};\n\nfn main() -> std::result::Result<(), Box<dyn std::error::Error>> {\n"+code+"Ok(())\n}\n")
		put(t, dir, "Cargo.toml", "[package]\nname = \"example\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[[bin]]\nname = \"example\"\npath = \"main.rs\"\n\n"+
			"[dependencies]\nsvc-sdk = { path = \""+library+"\" }\nserde_json = \"1\"\n\n[profile.dev]\ndebug = 0\n\n[workspace]\n")
		lock, err := os.ReadFile(filepath.Join(library, "Cargo.lock"))
		if err == nil {
			put(t, dir, "Cargo.lock", string(lock))
		}
		c := exec.CommandContext(t.Context(), "cargo", "run", "--quiet")
		c.Env = []string{"CARGO_TARGET_DIR=" + filepath.Join(library, "target"), "CARGO_INCREMENTAL=0"}
		return c
	},
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// goVersion returns the Go version of the library.
func goVersion(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(clientsDir, "go", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(text)
	if m == nil {
		t.Fatal("go.mod of the library names no version")
	}
	return string(m[1])
}
