package cmd

// privateFiles does nothing: files inherit the access list of their folder.
func privateFiles() {}
