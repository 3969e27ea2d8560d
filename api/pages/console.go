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

// nonceMark marks the places of the response's nonce in the console's pages. The nonce allows the
// styles that components add.
const nonceMark = "__NONCE__"

// consolePages are the documents of the console, split at the places of the nonce: index.html, and
// for each page a document that names the files needed by that page, such as page.admin.logs.html.
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
		_, _ = io.WriteString(w, page) // an error means that the client has disconnected
	}
	return nil
}

// consoleFiles are the files that the console's pages load. Their names contain a hash of their
// content.
var consoleFiles = sync.OnceValue(func() map[string]*web.File { return filesIn(assets.Console, assets.ConsoleDir) })

func serveConsoleFile(w http.ResponseWriter, r *web.Request) error {
	f, ok := consoleFiles()[r.Param("file")]
	if !ok {
		return web.ErrNoPath
	}
	f.Serve(w, r, web.Forever)
	return nil
}

// filesIn returns the files of a folder, except pages, by name. A file that the folder contains
// only in compressed forms must exist in both of them.
func filesIn(from fs.ReadDirFS, dir string) map[string]*web.File {
	entries, err := from.ReadDir(dir)
	if err != nil {
		panic(err) // the folder is embedded
	}
	files := map[string]*web.File{}
	for _, e := range entries {
		read := func(name string) func() string {
			return func() string { return embedded(from, dir+"/"+name) }
		}
		name := e.Name()
		switch path.Ext(name) {
		case ".html", ".gz", "": // a page, the other form of a .br file, or a folder
		case ".br":
			name = strings.TrimSuffix(name, ".br")
			files[name] = web.NewPackedFile(web.FileType(name), read(name+".br"), read(name+".gz"))
		default:
			files[name] = web.NewFile(web.FileType(name), read(name), nil)
		}
	}
	return files
}

// embedded returns the content of an embedded file.
func embedded(from fs.FS, name string) string {
	text, err := fs.ReadFile(from, name)
	if err != nil {
		panic(err)
	}
	return string(text)
}
