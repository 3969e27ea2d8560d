package doctor

import "golang.org/x/sys/unix"

// filesystem is the kind of file system that the data folder is on, as mount
// calls it.
func (p *Installation) filesystem() (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(p.Settings.Data, &s); err != nil {
		return "", err
	}
	return unix.ByteSliceToString(s.Fstypename[:]), nil
}
