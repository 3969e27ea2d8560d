package backup

import "io/fs"

// private is the mode of all files: here it says nothing.
func private(fs.FileMode) Mode { return 0o600 }
