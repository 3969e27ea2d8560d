// Package browser contains the client library for web pages. The server delivers it, and build.mjs
// builds it from the sources in clients/typescript.
package browser

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"strings"
)

var (
	//go:embed svc-sdk.js
	module string
	//go:embed svc-sdk.js.br
	moduleBrotli string
	//go:embed svc-sdk.global.js
	script string
	//go:embed svc-sdk.global.js.br
	scriptBrotli string
	//go:embed svc-sdk.transfers.js
	transfers string
	//go:embed svc-sdk.transfers.js.br
	transfersBrotli string
)

// File is a file of the library.
type File struct {
	Name   string // such as svc-sdk.js
	Text   string // encoded in UTF-8
	Brotli string // Text, compressed with brotli
}

// Files returns the two forms of the library, an ES module and a classic script. It also returns
// the module for file transfers, which both forms load by its pinned name when they need it.
func Files() []File {
	return []File{
		{"svc-sdk.js", module, moduleBrotli},
		{"svc-sdk.global.js", script, scriptBrotli},
		{"svc-sdk.transfers.js", transfers, transfersBrotli},
	}
}

// Hash returns the first 16 hexadecimal digits of the SHA-256 of the text.
func (f File) Hash() string {
	sum := sha256.Sum256([]byte(f.Text))
	return hex.EncodeToString(sum[:8])
}

// PinnedName returns a name that is unique to this text, such as svc-sdk-HASH.js,
// svc-sdk-HASH.global.js or svc-sdk-HASH.transfers.js.
func (f File) PinnedName() string {
	return strings.Replace(f.Name, "svc-sdk", "svc-sdk-"+f.Hash(), 1)
}
