package feed

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"svc/internal/asset"
)

// squirrelArchs lists the architectures for which there are feeds.
var squirrelArchs = []asset.Arch{asset.X64, asset.X86, asset.ARM64}

// ParseSquirrelArch returns the architecture in the address of a feed of Squirrel. It returns false
// for a word that is none.
func ParseSquirrelArch(word string) (asset.Arch, bool) {
	a := asset.Arch(word)
	return a, slices.Contains(squirrelArchs, a)
}

// squirrelVersion matches the versions that Squirrel.Windows reads in file names: up to four numbers
// and a tag without a dot.
var squirrelVersion = regexp.MustCompile(`^[0-9]+(\.[0-9]+){0,3}(-[A-Za-z][0-9A-Za-z-]*)?$`)

// squirrelReads reports whether Squirrel.Windows can read the name of a package. It takes the
// version from there.
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

// Squirrel returns the file RELEASES with the given packages, which Chain has returned.
func Squirrel(list []Listed) []byte {
	var b []byte
	for _, l := range slices.Backward(list) {
		b = fmt.Appendf(b, "%s %s %d\n", strings.ToUpper(l.Asset.SHA1), l.Asset.Name, *l.Asset.Size)
	}
	return b
}
