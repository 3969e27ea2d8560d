package doctor

// filesystem returns the type of the data folder's file system. The type is spelled as in the
// output of mount.
func (p *Installation) filesystem() (string, error) {
	path, err := p.realPath()
	if err != nil {
		return "", err
	}
	m, err := mountOf(p.Machine, path)
	return m.kind, err
}
