package doctor

import "golang.org/x/sys/unix"

// filesystem returns the type of the data folder's file system. The type is spelled as in the
// output of mount.
func (p *Installation) filesystem() (string, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(p.Settings.Data, &s); err != nil {
		return "", err
	}
	return unix.ByteSliceToString(s.Fstypename[:]), nil
}
