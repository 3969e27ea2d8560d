package doctor

// filesystem is the kind of file system that the data folder is on, as mount
// calls it.
func (p *Installation) filesystem() (string, error) {
	path, err := p.realPath()
	if err != nil {
		return "", err
	}
	m, err := mountOf(p.Machine, path)
	return m.kind, err
}
