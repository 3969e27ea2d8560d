//go:build unix

package backup

import "io/fs"

// private is what the owner may do with a file.
func private(mode fs.FileMode) Mode { return Mode(mode.Perm() & 0o700) }
