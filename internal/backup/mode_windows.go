package backup

import "io/fs"

// private returns the mode of all files. Windows ignores it.
func private(fs.FileMode) Mode { return 0o600 }
