package feed

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc/internal/asset"
	"svc/internal/platform"
)

// ElectronFile identifies a file of the electron-updater feed by the system for which it lists
// assets.
type ElectronFile struct {
	platform platform.Platform
	arch     asset.Arch // set only on Linux, where each architecture has a file of its own
}

// Platform returns the platform of the system.
func (f ElectronFile) Platform() platform.Platform { return f.platform }

// electronFiles maps the part of a feed file's name between the channel and .yml to the system of
// the file.
var electronFiles = map[string]ElectronFile{
	"":             {platform.Windows, ""},
	"-mac":         {platform.MacOS, ""},
	"-linux":       {platform.Linux, asset.X64},
	"-linux-arm64": {platform.Linux, asset.ARM64},
	"-linux-arm":   {platform.Linux, asset.ARMv7},
	"-linux-ia32":  {platform.Linux, asset.X86},
}

// ParseElectronFile splits the name of a feed file, such as latest-mac.yml, into the channel and
// the system. ok is false if the name has another form.
func ParseElectronFile(name string) (channel string, f ElectronFile, ok bool) {
	stem, isYAML := strings.CutSuffix(name, ".yml")
	channel, system, more := strings.Cut(stem, "-")
	if more {
		system = "-" + system
	}
	f, ok = electronFiles[system]
	return channel, f, ok && isYAML && channel != ""
}

// electronArchs maps architectures to the words that electron-updater looks for in the addresses of
// assets.
var electronArchs = map[asset.Arch]string{
	"": "any", asset.X64: "x64", asset.ARM64: "arm64", asset.X86: "ia32", asset.ARMv7: "arm", asset.Universal: "universal",
}

// ElectronArch returns the word for the architecture of an asset in its ElectronPath.
func ElectronArch(a *asset.Asset) string { return electronArchs[a.Arch] }

// ElectronPath returns the percent-encoded path of an asset, relative to the address of the feed.
// electron-updater looks for the architecture and the version in it.
func ElectronPath(v *Release, a *asset.Asset) string {
	return url.PathEscape(v.SemVer) + "/" + ElectronArch(a) + "/" + url.PathEscape(a.Name)
}

// Electron returns the assets of a version that the file f of the feed lists, in the order of the
// file. project is the key of the project, which is part of the addresses of its assets.
func (r Rules) Electron(v *Release, f ElectronFile, project string) []*asset.Asset {
	kinds, archs, arch := []asset.Kind{asset.Exe}, []asset.Arch{asset.Universal, "", asset.X64, asset.X86, asset.ARM64}, plainArch
	switch f.platform {
	case platform.MacOS:
		kinds, archs = []asset.Kind{asset.AppZip, asset.DMG}, []asset.Arch{asset.Universal, "", asset.X64, asset.ARM64}
	case platform.Linux:
		kinds, archs, arch = []asset.Kind{asset.AppImage, asset.Deb, asset.RPM}, []asset.Arch{f.arch}, archOf
	}
	var all []*asset.Asset
	for _, kind := range kinds {
		for _, wanted := range archs {
			for i := range v.Assets {
				a := &v.Assets[i]
				if a.Kind == kind && arch(a) == wanted && a.Platform == f.platform && r.listed(v, a) && r.comparable(v, v.SemVer, SemVerOrder) &&
					r.electronReads(v, a, project) {
					all = append(all, a)
				}
			}
		}
	}
	return all
}

func (r Rules) electronReads(v *Release, a *asset.Asset, project string) bool {
	switch {
	case a.Arch != asset.ARM64 && (strings.Contains(a.Name, "arm64") || strings.Contains(project, "arm64")):
		r.report(v, a, ArchMarkerConflict)
		return false
	case a.SHA512 == "" || a.Size == nil:
		r.report(v, a, asset.NoDigest)
		return false
	case slices.Contains(a.Problems, asset.NoBlockMap):
		r.report(v, a, asset.NoBlockMap)
	}
	return true
}

// Selection returns the Selection of this file of the feed. project is the key of the project.
func (f ElectronFile) Selection(project string) Selection {
	return Selection{
		Order: SemVerOrder, On: f.platform,
		Fits: func(r Rules, v *Release) bool { return len(r.Electron(v, f, project)) > 0 },
	}
}

// ElectronYAML returns the content of a feed file that lists the given assets of a version. There
// must be at least one asset.
func ElectronYAML(v *Release, assets []*asset.Asset) []byte {
	b := fmt.Appendf(nil, "version: %s\nfiles:\n", yamlText(v.SemVer))
	for _, a := range assets {
		b = fmt.Appendf(b, "  - url: %s\n    sha512: %s\n    size: %d\n", yamlText(ElectronPath(v, a)), yamlText(base64Of(a.SHA512)), *a.Size)
		if a.Kind == asset.AppImage && a.BlockMapSize > 0 {
			b = fmt.Appendf(b, "    blockMapSize: %d\n", a.BlockMapSize)
		}
	}
	b = fmt.Appendf(b, "path: %s\nsha512: %s\n", yamlText(ElectronPath(v, assets[0])), yamlText(base64Of(assets[0].SHA512)))
	b = fmt.Appendf(b, "releaseDate: %s\n", yamlText(utc(v.Date).Format("2006-01-02T15:04:05.000Z")))
	title, notes := v.Text()
	if title != "" {
		b = fmt.Appendf(b, "releaseName: %s\n", yamlText(title))
	}
	if notes != "" {
		b = fmt.Appendf(b, "releaseNotes: %s\n", yamlText(notes))
	}
	return b
}

// base64Of converts a checksum from hexadecimal to base64 with padding. It returns "" if sum is not
// hexadecimal.
func base64Of(sum string) string {
	raw, err := hex.DecodeString(sum)
	if err != nil {
		return ""
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// yamlText returns a text in double quotes, in a form that JSON and YAML read alike. Without
// quotes, YAML would read 2.10 as a number and 2026-01-02 as a date.
func yamlText(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		return strconv.QuoteToASCII(text) // json.Marshal encodes every string
	}
	var b strings.Builder
	for _, c := range string(quoted) {
		if c >= 0x7f && c <= 0x9f || c == 0xfeff || c == 0xfffe || c == 0xffff { // allowed in JSON, but not in YAML
			fmt.Fprintf(&b, `\u%04x`, c)
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
