//go:build unix

package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/clients/browser"
	"svc/internal/datadir"
	"svc/internal/loadgen/server"
)

// page is the documentation whose blocks are run.
const page = "../../docs/clients.md"

// exampleAddress is the server of the blocks.
const exampleAddress = "https://svc.example.com/api/v1"

// blocks returns those of each language, in their order.
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

// TestBlocksOfClients: all languages show the same things.
func TestBlocksOfClients(t *testing.T) {
	t.Parallel()
	found := blocks(t)
	for _, l := range languages {
		if got := len(found[l.name]); got != 10 {
			t.Errorf("%s shows %d things, want 10", l.name, got)
		}
	}
}

// TestEveryLibraryRunsItsDocumentation runs the blocks of docs/clients.md as one program
// a language, against a server of its own, and looks at what the server has then.
func TestEveryLibraryRunsItsDocumentation(t *testing.T) {
	t.Parallel()
	found := blocks(t)
	eachLanguage(t, func(t *testing.T, language string) {
		s, key := documented(t)
		code := strings.ReplaceAll(strings.Join(found[language], ""), exampleAddress, "http://"+s.Addr+"/api/v1")
		dir := t.TempDir()
		command := programs[language](t, dir, code)
		command.Dir = dir
		command.Env = append(os.Environ(), append(command.Env, "SVC_API_KEY="+key, "SVC_DATA="+s.Data, "XDG_STATE_HOME="+filepath.Join(dir, "state"))...)
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s\n%s", command, err, out)
		}

		var feedback, logs, files struct {
			Data []struct {
				Content  string
				Filename string
			}
		}
		var definitions struct {
			Data []struct {
				Name string `json:"name"`
			}
		}
		for path, into := range map[string]any{"feedbacks": &feedback, "logs": &logs, "files": &files, "events/definitions": &definitions} {
			if err := s.Call(t.Context(), "GET", "/admin/projects/my-app/"+path, nil, into); err != nil {
				t.Error(err)
			}
		}
		if len(feedback.Data) != 1 || feedback.Data[0].Content != "It is fast." {
			t.Errorf("feedback: %+v", feedback)
		}
		if len(logs.Data) != 1 || !strings.Contains(logs.Data[0].Content, "the disk is full") {
			t.Errorf("logs: %+v", logs)
		}
		names := ""
		for _, f := range files.Data {
			names += f.Filename + " "
		}
		if len(files.Data) != 2 || !strings.Contains(names, "my-app-2.1.0.tar.gz") {
			t.Errorf("files: %s", names)
		}
		names = ""
		for _, d := range definitions.Data {
			names += d.Name + " "
		}
		if !strings.Contains(names, "document_saved") || !strings.Contains(names, "consent_given") || strings.Contains(names, "not_collected") {
			t.Errorf("events: %s", names)
		}
		var latest struct {
			Version, Title string
		}
		if err := s.Call(t.Context(), "GET", "/public/my-app/versions/latest", nil, &latest); err != nil || latest.Version != "2.1.0" || latest.Title != "Faster" {
			t.Errorf("latest version: %+v, %v", latest, err)
		}
	})
}

// documented starts the server that the page speaks of: with a project, and a version
// newer than that of the app, whose file it has.
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
	call("PUT", "/admin/projects/my-app/versions/by-version/1.4.0", map[string]any{}, nil)
	var file struct{ Path string }
	call("PUT", "/admin/projects/my-app/files?filename=my-app.tar.gz", "the content of the file", &file)
	links := []map[string]string{}
	for _, platform := range []string{"linux", "macos", "windows", "web"} {
		links = append(links, map[string]string{"url": "http://" + s.Addr + file.Path, "platform": platform})
	}
	call("PUT", "/admin/projects/my-app/versions/by-version/2.0.0", map[string]any{"download_links": links}, nil)
	return s, key
}

// programs make a program of the blocks of a language, in an empty folder. A variable of
// its environment may be in Env.
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
		// What moves files is loaded under its pinned name, from beside the page here.
		for _, f := range browser.Files() {
			put(t, dir, f.PinnedName(), f.Text)
		}
		put(t, dir, "page.mjs", `import { readFileSync } from "node:fs";
const [, password] = /password:\s*(\S+)/.exec(readFileSync(process.env.SVC_DATA + "/`+datadir.Bootstrap+`", "utf8"));
globalThis.prompt = (question) => (question === "Name" ? "admin" : password);
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

// goVersion is that of the library.
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
