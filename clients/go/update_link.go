package svcsdk

import (
	"net/url"
	"path"
	"strings"
)

// platformWords maps words that occur in links to platforms.
var platformWords = map[string]string{
	"windows": "windows", "win": "windows", "win32": "windows", "win64": "windows",
	"macos": "macos", "mac": "macos", "osx": "macos", "darwin": "macos",
	"linux": "linux", "android": "android",
	"ios": "ios", "iphone": "ios", "ipad": "ios",
	"web": "web", "wasm": "web",
}

// platformExtensions maps a file name extension to the only platform that uses it.
var platformExtensions = map[string]string{
	"exe": "windows", "msi": "windows", "msix": "windows",
	"dmg": "macos", "pkg": "macos",
	"deb": "linux", "rpm": "linux", "appimage": "linux", "flatpak": "linux", "snap": "linux",
	"apk": "android", "aab": "android",
	"ipa": "ios",
}

// archWords maps words that occur in links to architectures, in addition to the names in archNames.
var archWords = map[string]string{
	"win64":     "amd64",
	"universal": everyArch, "universal2": everyArch, "noarch": everyArch, "all": everyArch,
}

const everyArch = "every"

// pickLink returns the link that fits the platform and the architecture best, or nil if none fits.
// arch is "" if it is not known.
func pickLink(platform, arch string, links []DownloadLink) *DownloadLink {
	if platform == "" {
		return nil
	}
	var best *DownloadLink
	bestRank := 0
	for i := range links {
		if rank := linkRank(platform, arch, &links[i]); rank > bestRank {
			best, bestRank = &links[i], rank
		}
	}
	return best
}

// linkRank rates how well a link fits the platform and the architecture. A higher number is better,
// and 0 means that the link does not fit.
func linkRank(platform, arch string, link *DownloadLink) int {
	file := linkFileName(link.URL)
	sources := [][]string{words(link.Platform), words(link.Name), words(file)}
	platforms, named := linkPlatforms(link, sources, file)
	if named && !platforms[platform] {
		return 0
	}
	const ofPlatform = 10
	rank := 1
	if named {
		rank += ofPlatform
	}
	if arch == "" {
		return rank
	}
	switch archs := linkArchs(sources); {
	case archs == nil:
		return rank
	case archs[arch]:
		return rank + 2
	case archs[everyArch]:
		return rank + 1
	}
	return 0
}

// linkPlatforms returns the platforms that a link names in sources, or else by the extension of its
// file name. named reports whether the link names any platform, even an unknown one.
func linkPlatforms(link *DownloadLink, sources [][]string, file string) (platforms map[string]bool, named bool) {
	for i, source := range sources {
		platforms = known(source, platformWords)
		if platforms != nil || i == 0 && strings.TrimSpace(link.Platform) != "" {
			return platforms, true
		}
	}
	extension := lowerASCII(strings.TrimPrefix(path.Ext(file), "."))
	if p, ok := platformExtensions[extension]; ok {
		return map[string]bool{p: true}, true
	}
	return nil, false
}

// linkArchs returns the architectures that a link names, or nil if it names none. Each element of
// sources holds the words of one text of the link. The first element that names an architecture
// decides.
func linkArchs(sources [][]string) map[string]bool {
	for _, source := range sources {
		archs := known(source, archWords)
		for name := range known(source, archNames) {
			if archs == nil {
				archs = map[string]bool{}
			}
			archs[name] = true
		}
		if archs != nil {
			return archs
		}
		if known(source, map[string]string{"win32": "386"}) != nil {
			return map[string]bool{"386": true}
		}
	}
	return nil
}

// known looks up the words of source in names and returns the set of values found, or nil if names
// has none of the words.
func known(source []string, names map[string]string) map[string]bool {
	var found map[string]bool
	for _, word := range source {
		if name, ok := names[word]; ok {
			if found == nil {
				found = map[string]bool{}
			}
			found[name] = true
		}
	}
	return found
}

var joinedArch = strings.NewReplacer("x86_64", "amd64", "x86-64", "amd64")

// words converts a text to lower case and splits it at characters other than letters and digits.
func words(text string) []string {
	return strings.FieldsFunc(joinedArch.Replace(lowerASCII(text)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// linkFileName returns the last path segment of a link.
func linkFileName(link string) string {
	link, _, _ = strings.Cut(link, "#")
	link, _, _ = strings.Cut(link, "?")
	name := link[strings.LastIndexByte(link, '/')+1:]
	if decoded, err := url.PathUnescape(name); err == nil {
		return decoded
	}
	return name
}

// isOwnLink reports whether a link has the form of a svc server's download links:
// .../f/{project}/{12 characters}/{name}. For such a link, the server also provides the SHA-256 of
// the file.
func isOwnLink(link string) bool {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	segments := strings.Split(u.EscapedPath(), "/")
	n := len(segments)
	if n < 5 || segments[n-4] != "f" || segments[n-3] == "" || segments[n-1] == "" {
		return false
	}
	const length = 12
	id := segments[n-2]
	return len(id) == length && strings.Trim(id, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}
