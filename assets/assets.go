// Package assets embeds what browsers are sent: the console, which make console builds
// into console/dist, and what the public pages and the API reference are made of.
package assets

import "embed"

// Console is the console as built, below ConsoleDir. A file that is worth it is there in two
// compressed forms, with .br and .gz at the end of its name, and not as it is.
//
//go:embed all:console/dist
var Console embed.FS

// ConsoleDir is where Console has its files.
const ConsoleDir = "console/dist"

// Pages are the templates, the style sheet and the icon of the public pages, in the
// folder pages.
//
//go:embed pages
var Pages embed.FS

// Reference holds the other files of the API reference, in the folder reference.
//
//go:embed reference
var Reference embed.FS
