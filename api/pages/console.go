package pages

import (
	"crypto/rand"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"svc/api/web"
	"svc/assets"
)

// nonceMark is where the page of the console has the nonce of its answer, by which the
// styles that its components add are allowed.
const nonceMark = "__NONCE__"

// consolePages are the documents of the console, cut where the nonce goes: index.html, and
// for each page one that names the files which that page needs, as page.admin.logs.html.
var consolePages = sync.OnceValue(func() map[string][]string {
	names, err := fs.Glob(assets.Console, assets.ConsoleDir+"/*.html")
	if err != nil {
		panic(err) // the pattern is well formed
	}
	documents := make(map[string][]string, len(names))
	for _, name := range names {
		documents[path.Base(name)] = strings.Split(embedded(assets.Console, name), nonceMark)
	}
	return documents
})

func serveConsole(w http.ResponseWriter, r *web.Request) error {
	document, ok := consolePages()["page"+strings.ReplaceAll(strings.TrimSuffix(r.URL.Path, "/"), "/", ".")+".html"]
	if !ok {
		document = consolePages()["index.html"]
	}
	nonce := rand.Text()
	page := strings.Join(document, nonce)
	header := w.Header()
	setPolicy(header, ownScripts, " 'nonce-"+nonce+"'", " svc default")
	header["Cache-Control"] = noStore
	header["X-Robots-Tag"] = notInSearches
	header["Content-Type"] = html
	header["Content-Length"] = []string{strconv.Itoa(len(page))}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, page) // an error means that the client has gone
	}
	return nil
}

// consoleFiles are the files that the page of the console loads. Their names have a hash
// of what is in them.
var consoleFiles = sync.OnceValue(func() map[string]*web.File { return filesIn(assets.Console, assets.ConsoleDir) })

func serveConsoleFile(w http.ResponseWriter, r *web.Request) error {
	f, ok := consoleFiles()[r.Param("file")]
	if !ok {
		return web.ErrNoPath
	}
	f.Serve(w, r, web.Forever)
	return nil
}

// filesIn are the files of a folder, other than pages, by name. One that is there in
// compressed forms only has both of them.
func filesIn(from fs.ReadDirFS, dir string) map[string]*web.File {
	entries, err := from.ReadDir(dir)
	if err != nil {
		panic(err) // the folder is in the program
	}
	files := map[string]*web.File{}
	for _, e := range entries {
		read := func(name string) func() string {
			return func() string { return embedded(from, dir+"/"+name) }
		}
		name := e.Name()
		switch path.Ext(name) {
		case ".html", ".gz", "": // a page, the other form of a .br, a folder
		case ".br":
			name = strings.TrimSuffix(name, ".br")
			files[name] = web.NewPackedFile(web.FileType(name), read(name+".br"), read(name+".gz"))
		default:
			files[name] = web.NewFile(web.FileType(name), read(name), nil)
		}
	}
	return files
}

// embedded is a file that is in the program.
func embedded(from fs.FS, name string) string {
	text, err := fs.ReadFile(from, name)
	if err != nil {
		panic(err)
	}
	return string(text)
}
