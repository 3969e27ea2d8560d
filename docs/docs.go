// Package docs has the pages that the program itself can show.
package docs

import "embed"

// Pages are those about running the server.
//
//go:embed install.md proxy.md tls.md operations.md metrics.md security.md
var Pages embed.FS
