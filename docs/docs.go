// Package docs embeds the pages that the program itself can show.
package docs

import "embed"

// Pages holds the pages about running the server.
//
//go:embed install.md proxy.md tls.md operations.md metrics.md security.md
var Pages embed.FS
