// Package assets embeds the files that are sent to browsers. These are the console, which
// make console builds into console/dist, and the files for the public pages and the API
// reference.
package assets

import "embed"

// Console holds the files of the built console in the directory ConsoleDir. Files that are worth
// compressing are only present in two compressed forms, with .br or .gz appended to their names.
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

// Reference holds the files of the API reference, such as its template and its style sheet, in the
// directory reference.
//
//go:embed reference
var Reference embed.FS
