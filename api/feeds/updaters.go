package feeds

import (
	"strings"

	"svc/internal/asset"
	"svc/internal/feed"
)

// versionInPath sets the caller's version to the text from the path. Clients that send their
// version in the path use SemVer. ok is false if the text is not a version.
func (a *asking) versionInPath(text string) (ok bool) {
	text, _, _ = strings.Cut(text, "+")
	if at := a.native(text, false); at >= 0 {
		a.runs(a.registered(at), text)
	} else {
		q, ok := a.match(text)
		if !ok {
			return false
		}
		a.runs(q, text)
	}
	a.by(nil)
	return true
}

func (h *Handlers) tauriDynamic(a *asking) error {
	if !a.on(a.Param("two")) {
		return a.missing()
	}
	if !a.versionInPath(a.Param("five")) {
		return a.refuse()
	}
	target, known := feed.NewTauriTarget(a.Param("three"), a.Param("four"), a.Query("bundle_type"))
	if !known {
		return a.nothing()
	}
	v := a.offer(target.Selection(), true)
	if v == nil {
		return a.nothing()
	}
	rules := a.rules()
	return a.send(jsonType, rules.TauriDynamic(v, rules.Tauri(v, target)))
}

func (h *Handlers) tauriStatic(a *asking) error {
	if !a.on(a.Param("two")) {
		return a.missing()
	}
	a.by(nil)
	v := a.offer(feed.TauriStaticSelection(), true)
	if v == nil {
		return a.nothing()
	}
	body, _ := a.rules().TauriStatic(v)
	return a.send(jsonType, body)
}

func (h *Handlers) electron(a *asking) error {
	channel, file, ok := feed.ParseElectronFile(a.Param("two"))
	if !ok || !a.on(channel) {
		return a.missing()
	}
	a.by(a.Header["X-User-Staging-Id"])
	a.w.Header()["Vary"] = varyByStaging // also of the response if no version is offered
	v := a.offer(file.Selection(a.Param("k")), true)
	if v == nil {
		return a.missing()
	}
	return a.sendAs(!a.personal(), varyByStaging, yamlType, feed.ElectronYAML(v, a.rules().Electron(v, file, a.Param("k"))))
}

func (h *Handlers) velopack(a *asking) error {
	if !a.on(a.Param("two")) {
		return a.missing()
	}
	channel, ok := feed.ParseVelopackFile(a.Param("three"))
	if !ok {
		return h.packageFile(a, a.Param("three"), false)
	}
	a.by([]string{a.Query("stagingId")}, a.Query("localVersion"))
	list := a.chain(feed.Package{ID: a.Query("id"), Channel: channel}, true)
	return a.send(jsonType, feed.Velopack(list))
}

// chain returns the packages to list for the version that is offered: its full package and the
// delta packages that lead to it. It returns nil if no version is offered.
func (a *asking) chain(p feed.Package, downgrade bool) []feed.Listed {
	v := a.offer(p.Selection(), downgrade)
	if v == nil {
		return nil
	}
	return a.rules().Chain(a.versions(), v, p)
}

func (h *Handlers) squirrel(a *asking) error {
	arch, ok := feed.ParseSquirrelArch(a.Param("three"))
	if !ok || !a.on(a.Param("two")) {
		return a.missing()
	}
	if a.Param("four") != "RELEASES" {
		return h.packageFile(a, a.Param("four"), true)
	}
	a.by(nil, a.Query("localVersion"))
	list := a.chain(feed.Package{Arch: arch}, false)
	if len(list) == 0 {
		return a.missing()
	}
	return a.send(plainType, feed.Squirrel(list))
}

func (h *Handlers) squirrelMac(a *asking) error {
	arch := asset.Arch(a.Param("three"))
	if arch != asset.X64 && arch != asset.ARM64 || !a.on(a.Param("two")) {
		return a.missing()
	}
	if !a.versionInPath(a.Param("four")) {
		return a.refuse()
	}
	v := a.offer(feed.SquirrelMacSelection(arch), true)
	if v == nil {
		return a.nothing()
	}
	rules := a.rules()
	return a.send(jsonType, rules.SquirrelMacJSON(v, rules.SquirrelMac(v, arch)))
}

// appcast prepares the response to Sparkle or WinSparkle. ok is false if the project has no such
// channel.
func (a *asking) appcast(windows bool) (head feed.Appcast, arch asset.Arch, ok bool) {
	if !a.on(a.Param("two")) {
		return head, "", false
	}
	a.by(nil)
	switch word := asset.Arch(a.Query("arch")); word {
	case asset.X64, asset.ARM64:
		arch = word
	case asset.X86:
		if windows {
			arch = word
		}
	}
	return feed.Appcast{Title: a.snap.Project.Name, Link: a.page()}, arch, true
}

func (h *Handlers) sparkle(a *asking) error {
	head, arch, ok := a.appcast(false)
	if !ok {
		return a.missing()
	}
	return a.send(xmlType, a.rules().SparkleXML(head, a.sparkleItems(arch)))
}

// sparkleItems returns the versions that the feed for Sparkle lists.
func (a *asking) sparkleItems(arch asset.Arch) feed.SparkleItems {
	selection := feed.SparkleSelection(arch)
	in := feed.SparkleItems{Versions: a.versions(), Arch: arch}
	offered := a.snap.Catalog.Offered(a.query(selection))
	for at := range a.snap.Catalog.Len() {
		if item := a.snap.Catalog.Item(at); !item.Deprecated && offered(at) {
			in.Offered = append(in.Offered, a.release(at))
		}
	}
	if a.known() {
		in.Target = a.offer(selection, false)
		if in.Target == nil {
			in.Offered = nil
		}
	}
	return in
}

func (h *Handlers) winSparkle(a *asking) error {
	head, arch, ok := a.appcast(true)
	if !ok {
		return a.missing()
	}
	v := a.offer(feed.WinSparkleSelection(arch), false)
	return a.send(xmlType, a.rules().WinSparkleXML(head, v, arch))
}
