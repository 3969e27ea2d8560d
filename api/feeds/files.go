package feeds

import (
	"net/http"
	"net/url"
	"strings"

	"svc/internal/asset"
	"svc/internal/feed"
)

// electronFile serves a file of electron-updater. Files of all published versions are served,
// because a differential download also reads the block map of the installed version.
func (h *Handlers) electronFile(a *asking) error {
	a.on("latest")
	name, blockMap := strings.CutSuffix(a.Param("four"), ".blockmap")
	for at := range a.snap.Catalog.Len() {
		if !a.snap.Catalog.Item(at).Published() {
			continue
		}
		v := a.release(at)
		if v.SemVer != a.Param("two") {
			continue
		}
		for i := range v.Assets {
			one := &v.Assets[i]
			switch {
			case feed.ElectronArch(one) != a.Param("three"):
			case one.Name == a.Param("four"):
				return h.file(a, one.Path, one.URL)
			case blockMap && one.Name == name && one.BlockMap != nil:
				return h.file(a, one.BlockMap.Path, one.BlockMap.URL)
			}
		}
	}
	return a.missing()
}

// packageFile serves a package of Velopack or Squirrel.Windows.
func (h *Handlers) packageFile(a *asking, name string, squirrel bool) error {
	var published []*feed.Release
	for at := range a.snap.Catalog.Len() {
		if a.includes(at) && a.snap.Catalog.Item(at).Published() {
			published = append(published, a.release(at))
		}
	}
	var one *asset.Asset
	if one = feed.Packages(published, squirrel)[name]; one == nil {
		return a.missing()
	}
	return h.file(a, one.Path, one.URL)
}

// file responds with a stored file. If direct links have a separate host and the request came to
// another host, it redirects the client to that host. If path is "", the file is not stored here,
// and file redirects the client to its address. Statistics count the request as a download but not
// as a request for a feed.
func (h *Handlers) file(a *asking, path, address string) error {
	a.Uncounted = true
	switch {
	case a.failed != nil:
		return a.failed
	case path == "":
		return a.redirect(address)
	case !h.Hosts.Serve(a.Host, true):
		there := url.URL{Path: a.URL.Path, RawPath: a.URL.RawPath}
		return a.redirect(strings.TrimSuffix(h.BaseURL, "/") + there.EscapedPath())
	}
	return h.Files.ServeStored(a.w, a.Request, path, "public, max-age=300")
}

func (a *asking) redirect(address string) error {
	header := a.w.Header()
	header["Location"] = []string{address}
	header["Cache-Control"] = forAMinute
	a.w.WriteHeader(http.StatusFound)
	return nil
}
