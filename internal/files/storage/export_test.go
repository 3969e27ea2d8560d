package storage

// SetDiskPath replaces files.DiskPath, which does nothing but on Windows.
func (l *Local) SetDiskPath(diskPath func(key string) string) { l.diskPath = diskPath }
