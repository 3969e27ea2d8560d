// Package browser contains the client library for web pages, which the server delivers
// and build.mjs makes from the sources in clients/typescript.
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

// File is one form of the library, or a part of it. It is encoded in UTF-8.
type File struct {
	Name   string // such as svc-sdk.js
	Text   string
	Brotli string // Text compressed with brotli
}

// Files returns both forms, the ES module and the one for a script tag, and the part that both load
// under its pinned name when they download or upload a file.
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

// PinnedName returns a name that is unique to this text: svc-sdk-HASH.js, svc-sdk-HASH.global.js or
// svc-sdk-HASH.transfers.js.
func (f File) PinnedName() string {
	return strings.Replace(f.Name, "svc-sdk", "svc-sdk-"+f.Hash(), 1)
}
