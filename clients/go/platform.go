package svcsdk

import (
	"os"
	"runtime"
	"strings"
	"sync"
)

// detectPlatform returns the platform that the process runs on.
func detectPlatform() Platform {
	switch runtime.GOOS {
	case "windows", "linux", "ios", "android":
		return Platform(runtime.GOOS)
	case "darwin":
		return PlatformMacOS
	case "js", "wasip1":
		return PlatformWeb
	}
	return PlatformOthers
}

// detectPlatformVersion returns the version of the operating system, which it detects once. It
// reads at most one small file, or a fallback if that file does not exist.
var detectPlatformVersion = sync.OnceValue(func() string {
	return cleanHeader(systemVersion())
})

// cleanHeader prepares a text for a header. It replaces each run of characters that are not visible
// ASCII with a space, and cuts the result to 32 characters.
func cleanHeader(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return r < 0x21 || r > 0x7e })
	text = strings.Join(words, " ")
	return strings.TrimRight(text[:min(len(text), 32)], " ")
}

// macOSVersion returns the name of a version of macOS. It is the first number, or the first two
// numbers for version 10. Version 10.16 is the number that macOS 11 reports to older programs.
func macOSVersion(product string) string {
	major, rest, _ := strings.Cut(strings.TrimSpace(product), ".")
	if major != "10" {
		return major
	}
	minor, _, _ := strings.Cut(rest, ".")
	switch minor {
	case "":
		return major
	case "16":
		return "11"
	}
	return major + "." + minor
}

// windowsVersion returns the name of a version of Windows.
func windowsVersion(major, minor, build uint32) string {
	switch {
	case major == 10 && minor == 0 && build >= 22000:
		return "11"
	case major == 10 && minor == 0:
		return "10"
	case major == 6 && minor == 3:
		return "8.1"
	case major == 6 && minor == 2:
		return "8"
	case major == 6 && minor == 1:
		return "7"
	}
	return ""
}

// osReleaseVersion returns the name and the number in the content of an os-release file.
func osReleaseVersion(text string) string {
	var id, version string
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		value = strings.Trim(value, `"'`)
		switch key {
		case "ID":
			id = strings.ToLower(value)
		case "VERSION_ID":
			version = value
		}
	}
	return strings.TrimSpace(id + " " + version)
}

// plistString returns the string that follows a key in an XML property list.
func plistString(plist, key string) string {
	_, rest, _ := strings.Cut(plist, "<key>"+key+"</key>")
	_, rest, _ = strings.Cut(rest, "<string>")
	value, _, _ := strings.Cut(rest, "</string>")
	return value
}

// readFirst returns the content of the first readable file in paths.
func readFirst(paths ...string) string {
	for _, path := range paths {
		if text, err := os.ReadFile(path); err == nil {
			return string(text)
		}
	}
	return ""
}

// archNames maps every known name of an architecture to its canonical name.
var archNames = map[string]string{
	"amd64": "amd64", "x64": "amd64", "x86_64": "amd64",
	"arm64": "arm64", "aarch64": "arm64",
	"386": "386", "x86": "386", "i386": "386", "i486": "386", "i586": "386", "i686": "386", "ia32": "386",
	"arm": "arm", "armv6": "arm", "armv6l": "arm", "armv7": "arm", "armv7l": "arm", "armhf": "arm",
	"riscv64": "riscv64",
	"ppc64le": "ppc64le", "powerpc64le": "ppc64le",
	"s390x":   "s390x",
	"loong64": "loong64", "loongarch64": "loong64",
}

// architecture returns the canonical name of an architecture, or "" if it is not known. The
// canonical names are used to find the download link for this architecture.
func architecture(name string) string { return archNames[strings.ToLower(name)] }
