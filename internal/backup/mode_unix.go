//go:build unix

package backup

import "io/fs"

// private returns the permissions of the owner and removes all others.
func private(mode fs.FileMode) Mode { return Mode(mode.Perm() & 0o700) }
