package backup

import "io/fs"

// private returns the same mode for every file, readable and writable by its owner. On Windows,
// modes have no effect.
func private(fs.FileMode) Mode { return 0o600 }
