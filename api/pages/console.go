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

// nonceMark is the placeholder for the response's nonce in the documents of the console. The nonce
// permits the styles that components add.
const nonceMark = "__NONCE__"

// consolePages maps names to the documents of the console, each split at the placeholders for the
// nonce. The documents are index.html and, for each page, a document that also loads the files
// needed by that page, such as page.admin.logs.html.
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

// consoleFiles maps names to the files that the console's pages load. The names contain a hash of
// the content.
var consoleFiles = sync.OnceValue(func() map[string]*web.File { return filesIn(assets.Console, assets.ConsoleDir) })

func serveConsoleFile(w http.ResponseWriter, r *web.Request) error {
	f, ok := consoleFiles()[r.Param("file")]
	if !ok {
		return web.ErrNoPath
	}
	f.Serve(w, r, web.Forever)
	return nil
}

// filesIn returns the files in a directory by name, except pages. If the directory contains a file
// only in compressed form, the file must exist in both compressed forms.
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
