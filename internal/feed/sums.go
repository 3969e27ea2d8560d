package feed

import (
	"cmp"
	"fmt"
	"slices"

	"svc/internal/asset"
)

// Sums returns the file SHA256SUMS of the stored assets of a version, as sha256sum reads it. It is
// empty if there are none.
func Sums(assets []asset.Asset) (body []byte) {
	stored := slices.DeleteFunc(slices.Clone(assets), func(a asset.Asset) bool { return a.FileID == "" || a.SHA256 == "" })
	slices.SortFunc(stored, func(a, b asset.Asset) int { return cmp.Compare(a.Name, b.Name) })
	for _, a := range stored {
		body = fmt.Appendf(body, "%s  %s\n", a.SHA256, a.Name)
	}
	return body
}
