package feed

import (
	"cmp"
	"fmt"
	"slices"

	"svc/internal/asset"
)

// Sums returns the file SHA256SUMS of a version, in the format that sha256sum reads. It contains
// the stored assets, and is empty if there are none.
func Sums(assets []asset.Asset) (body []byte) {
	stored := slices.DeleteFunc(slices.Clone(assets), func(a asset.Asset) bool { return a.FileID == "" || a.SHA256 == "" })
	slices.SortFunc(stored, func(a, b asset.Asset) int { return cmp.Compare(a.Name, b.Name) })
	for _, a := range stored {
		body = fmt.Appendf(body, "%s  %s\n", a.SHA256, a.Name)
	}
	return body
}
