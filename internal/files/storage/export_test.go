package storage

// SetDiskPath replaces files.DiskPath, which changes names only on Windows.
func (l *Local) SetDiskPath(diskPath func(key string) string) { l.diskPath = diskPath }
