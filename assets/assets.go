// Package assets embeds the files that are sent to browsers. These are the console, which
// make console builds into console/dist, and the files for the public pages and the API
// reference.
package assets

import "embed"

// Console holds the built console, below ConsoleDir. Files that are worth compressing are
// only present in two compressed forms. The suffix .br or .gz is appended to their names.
//
//go:embed all:console/dist
var Console embed.FS

// ConsoleDir is the directory of the files in Console.
const ConsoleDir = "console/dist"

// Pages holds the templates, the style sheet and the icon of the public pages, in the
// directory pages.
//
//go:embed pages
var Pages embed.FS

// Reference holds the other files of the API reference, in the directory reference.
//
//go:embed reference
var Reference embed.FS
