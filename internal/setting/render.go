package setting

import (
	"fmt"
	"strings"
)

// Example is a configuration file in which every line is commented out: one block
// per setting with its meaning, the reason of the default, and the default.
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

// Markdown is the reference of all settings.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Configuration

The server needs no configuration. Each setting can come from four sources; the
first one that has a value is used:

1. a flag, such as ` + "`--log-level debug`" + `
2. an environment variable, such as ` + "`SVC_LOG_LEVEL=debug`" + `
3. the file ` + "`config.toml`" + ` in the data directory, or the file named by ` + "`--config`" + ` or
   ` + "`SVC_CONFIG`" + `
4. the default

An empty value counts as unset. If a value is invalid, or the file has an unknown
name, the server does not start: it prints one line per problem and exits with code 2.
` + "`svc config`" + ` shows the effective settings and their sources. ` + "`svc config --check FILE`" + `
refuses what the server would refuse, and opens the certificates and the database
that the file names; ` + "`--json`" + ` is for programs. ` + "`svc config example`" + ` prints a file that
explains every setting.

Secrets are masked in all output. Each secret has a second variable with the suffix
` + "`_FILE`" + `, which names a file with the value, as container and service managers provide
it. A secret in a flag works, with a warning: everybody who can list processes can
see it. If you set no session secret or salt, the server generates them at the first
start and stores them in ` + "`secrets.toml`" + ` in the data directory.

| Setting | Flag | Variable | Default | Meaning |
|---|---|---|---|---|
`)
	for _, d := range definitions {
		fmt.Fprintf(&b, "| %s | `--%s` | %s | %s | %s |\n", keyCell(d), d.Flag(), variableCell(d), defaultCell(d), d.Help)
	}
	b.WriteString("\n## Why these defaults\n\n")
	for _, d := range definitions {
		fmt.Fprintf(&b, "- `%s`: %s\n", d.Key, d.Why)
	}
	return b.String()
}

func keyCell(d Definition) string {
	if d.NotInFile {
		return "`" + d.Key + "` (not in the file)"
	}
	return "`" + d.Key + "`"
}

func variableCell(d Definition) string {
	if d.Secret {
		return "`" + d.Variable + "`, `" + d.FileVariable() + "`"
	}
	return "`" + d.Variable + "`"
}

func defaultCell(d Definition) string {
	if d.Default == "" {
		return d.Unset
	}
	return "`" + d.Default + "`"
}
