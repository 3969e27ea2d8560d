//go:build unix

package backup

import "io/fs"

// private returns the owner's permissions in mode, without those of other users.
func private(mode fs.FileMode) Mode { return Mode(mode.Perm() & 0o700) }
