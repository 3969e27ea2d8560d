package feeds

import (
	"net/http"
	"slices"

	"svc/internal/asset"
	"svc/internal/feed"
	"svc/internal/platform"
)

// latest redirects to an asset of the version that is offered.
func (h *Handlers) latest(a *asking) error {
	on, ok := platform.Parse(a.Param("three"))
	arch, kind := asset.Arch(a.Param("four")), asset.Kind(a.Param("five"))
	if arch == "any" {
		arch = ""
	}
	if !ok || !a.on(a.Param("two")) || arch != "" && !slices.Contains(asset.Archs, arch) || kind != "" && !slices.Contains(asset.Kinds, kind) {
		return a.missing()
	}
	a.by(nil)
	v := a.offer(feed.LatestSelection(on, arch, kind), false)
	if v == nil || a.failed != nil {
		return a.missing()
	}
	rules, header := a.rules(), a.w.Header()
	a.caching(!a.personal())
	header["X-Svc-Version"] = []string{v.Version}
	header["Location"] = []string{rules.URL(rules.Latest(v, on, arch, kind))}
	a.w.WriteHeader(http.StatusFound)
	return nil
}

// sums serves the checksums of a version.
func (h *Handlers) sums(a *asking) error {
	a.on("latest")
	at := a.snap.Catalog.ByVersion(a.Param("two"))
	if at < 0 || !a.snap.Catalog.Item(at).Published() {
		return a.missing()
	}
	body := feed.Sums(a.release(at).Assets)
	if len(body) == 0 {
		return a.missing()
	}
	return a.sendAs(true, varyByEncoding, plainType, body)
}
