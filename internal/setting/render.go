package setting

import (
	"fmt"
	"strings"
)

// Example returns an example of a configuration file. Every line is commented out. Each
// setting has a block with its meaning, its default and the reason for the default.
func Example() string {
	var b strings.Builder
	b.WriteString(`# Settings of svc with their defaults. To change one, uncomment its line. The file
# is config.toml in the data directory, or the one named by --config or SVC_CONFIG.
# Flags take precedence over environment variables, and these over this file. The
# server refuses to start with an unknown name. See: svc config
`)
	for _, d := range definitions {
		if d.NotInFile {
			continue
		}
		fmt.Fprintf(&b, "\n# %s\n# %s\n", d.Help, d.Why)
		if d.Default == "" {
			fmt.Fprintf(&b, "# Default: %s.\n", d.Unset)
		}
		fmt.Fprintf(&b, "# %s = %s\n", d.Key, tomlText(d))
	}
	return b.String()
}

func tomlText(d Definition) string {
	switch {
	case d.Kind == "list":
		return "[]"
	case d.Kind == "integer" && d.Default != "", d.Kind == "boolean":
		return d.Default
	}
	return fmt.Sprintf("%q", d.Default)
}
