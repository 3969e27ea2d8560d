package asset

import (
	"strings"

	"svc/internal/platform"
)

// Arch is a processor architecture.
type Arch string

// The architectures. A Universal asset runs on all architectures of its platform.
const (
	X64       Arch = "x64"
	ARM64     Arch = "arm64"
	X86       Arch = "x86"
	ARMv7     Arch = "armv7"
	Universal Arch = "universal"
)

// Archs lists all architectures.
var Archs = []Arch{X64, ARM64, X86, ARMv7, Universal}

var platformWords = map[string]platform.Platform{
	"windows": platform.Windows, "win": platform.Windows, "win32": platform.Windows, "win64": platform.Windows,
	"macos": platform.MacOS, "mac": platform.MacOS, "osx": platform.MacOS, "darwin": platform.MacOS,
	"linux": platform.Linux, "android": platform.Android,
	"ios": platform.IOS, "iphone": platform.IOS, "ipad": platform.IOS,
	"web": platform.Web, "wasm": platform.Web,
}

var archWords = map[string]Arch{
	"x64": X64, "amd64": X64, "win64": X64,
	"arm64": ARM64, "aarch64": ARM64,
	"x86": X86, "i386": X86, "i686": X86, "ia32": X86, "386": X86,
	"armv7": ARMv7, "armv7l": ARMv7, "armhf": ARMv7, "arm": ARMv7,
	"universal": Universal, "universal2": Universal,
}

// platformIn returns the first platform that occurs in the sources, or "" if none of them names
// a platform.
func platformIn(sources []string) platform.Platform {
	for _, source := range sources {
		for _, word := range words(source) {
			if p, ok := platformWords[word]; ok {
				return p
			}
		}
	}
	return ""
}

// archIn returns the first architecture that occurs in the sources, or "" if none of them names
// an architecture. The word win32 means X86 only if its source names no other architecture.
func archIn(sources []string) Arch {
	for _, source := range sources {
		win32 := false
		for _, word := range words(source) {
			if a, ok := archWords[word]; ok {
				return a
			}
			win32 = win32 || word == "win32"
		}
		if win32 {
			return X86
		}
	}
	return ""
}

var joinedArch = strings.NewReplacer("x86_64", "x64", "x86-64", "x64")

// words returns the words of a text in lower case. It splits the text at all characters
// except ASCII letters and digits, as the client libraries do.
func words(text string) []string {
	return strings.FieldsFunc(joinedArch.Replace(strings.ToLower(text)), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}
