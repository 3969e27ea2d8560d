package feed

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"svc/internal/asset"
)

// squirrelArchs lists the architectures that have a feed for Squirrel.Windows.
var squirrelArchs = []asset.Arch{asset.X64, asset.X86, asset.ARM64}

// ParseSquirrelArch returns the architecture that a part of a feed's address names. It returns
// false if no feed for Squirrel.Windows has that architecture.
func ParseSquirrelArch(word string) (asset.Arch, bool) {
	a := asset.Arch(word)
	return a, slices.Contains(squirrelArchs, a)
}

// squirrelVersion matches the versions that Squirrel.Windows can read in file names: one to four
// numbers, followed by an optional tag without a dot.
var squirrelVersion = regexp.MustCompile(`^[0-9]+(\.[0-9]+){0,3}(-[A-Za-z][0-9A-Za-z-]*)?$`)

// squirrelReads reports whether Squirrel.Windows can read the file name of a package, from which it
// takes the version of the package.
func (r Rules) squirrelReads(v *Release, a *asset.Asset) bool {
	ending := "-" + a.Package.Version + "-full.nupkg"
	if a.Kind == asset.NupkgDelta {
		ending = "-" + a.Package.Version + "-delta.nupkg"
	}
	switch {
	case strings.ContainsFunc(a.Name, unicode.IsSpace):
		r.report(v, a, NameHasSpace)
	case !squirrelVersion.MatchString(a.Package.Version) || !strings.HasSuffix(a.Name, ending):
		r.report(v, a, NameVersionMismatch)
	default:
		return true
	}
	return false
}

// Squirrel returns the file RELEASES, which is the feed for Squirrel.Windows. list is a result of
// Chain.
func Squirrel(list []Listed) []byte {
	var b []byte
	for _, l := range slices.Backward(list) {
		b = fmt.Appendf(b, "%s %s %d\n", strings.ToUpper(l.Asset.SHA1), l.Asset.Name, *l.Asset.Size)
	}
	return b
}
