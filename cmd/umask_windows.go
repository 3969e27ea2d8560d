package cmd

// privateFiles has nothing to do: files take the access list of their folder.
func privateFiles() {}
