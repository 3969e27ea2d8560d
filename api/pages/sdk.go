package pages

import (
	"net/http"
	"strings"
	"sync"

	"svc/api/web"
	"svc/clients/browser"
)

// sdkPrefix is what the paths of the client library for web pages begin with.
const sdkPrefix = "/sdk/"

// IsSDK reports whether a decoded path is below that of the client library.
func IsSDK(path string) bool { return strings.HasPrefix(path, sdkPrefix) }

// The headers of the client library. Pages of every origin may load it, those that are
// isolated from other origins as well, and it is the same for all of them.
var anyPage = []string{"cross-origin"}

// SetSDKHeaders sets what every answer below the path of the client library has.
func SetSDKHeaders(header http.Header, r *http.Request) {
	web.AllowEveryOrigin(header, r)
	header["Cross-Origin-Resource-Policy"] = anyPage
	header["Vary"] = web.VaryByEncoding
}

// script is a file of the client library under one of its names.
type script struct {
	*web.File
	caching []string
}

// scripts are all files by name. A pinned name stands for one content only.
var scripts = sync.OnceValue(func() map[string]script {
	all := map[string]script{}
	for _, f := range browser.Files() {
		file := web.NewFile(web.FileType(f.Name), func() string { return f.Text }, func() string { return f.Brotli })
		all[f.Name] = script{file, web.ForMinutes}
		all[f.PinnedName()] = script{file, web.Forever}
	}
	return all
})

func serveSDK(w http.ResponseWriter, r *web.Request) error {
	s, ok := scripts()[r.Param("file")]
	if !ok {
		return web.ErrNoPath
	}
	s.Serve(w, r, s.caching)
	return nil
}
