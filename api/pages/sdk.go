package pages

import (
	"net/http"
	"strings"
	"sync"

	"svc/api/web"
	"svc/clients/browser"
)

// sdkPrefix is the prefix of the paths of the client library for web pages.
const sdkPrefix = "/sdk/"

// SDKRoutes returns the route of the client library, which openapi.yaml describes.
func SDKRoutes() []web.Route {
	return []web.Route{{Method: http.MethodGet, Path: sdkPrefix + ":file", Access: web.Anyone(), Handler: serveSDK}}
}

// IsSDK reports whether a decoded path belongs to the client library.
func IsSDK(path string) bool { return strings.HasPrefix(path, sdkPrefix) }

// anyPage is a header value that permits pages of all origins to load the client library, even
// pages that are isolated from other origins.
var anyPage = []string{"cross-origin"}

// SetSDKHeaders sets the headers of every response below the path of the client library.
func SetSDKHeaders(header http.Header, r *http.Request) {
	web.AllowEveryOrigin(header, r)
	header["Cross-Origin-Resource-Policy"] = anyPage
	header["Vary"] = web.VaryByEncoding
}

// script is a file of the client library that is served under one of its names.
type script struct {
	*web.File
	caching []string
}

// scripts maps names to files of the client library. The content of a file with a pinned name never
// changes.
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
