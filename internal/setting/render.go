package setting

import (
	"fmt"
	"strings"
)

// Example is the configuration file in which every line is commented out: one
// block per setting with what it does, why the default is what it is, and the
// default. Taking the mark off a line of values makes it count.
func Example() string {
	var b strings.Builder
	b.WriteString(`# Settings of svc, each with its default. To change one, take the "# " away
# from its line. The file is config.toml in the data directory, or the one that
# --config or SVC_CONFIG names. Flags win over variables, variables over this
# file. A name that is not known here stops the start. See: svc config
`)
	for _, d := range definitions {
		if d.NotInFile {
			continue
		}
		fmt.Fprintf(&b, "\n# %s\n# %s\n", d.Help, d.Why)
		if d.Default == "" {
			fmt.Fprintf(&b, "# Without a value: %s.\n", d.Unset)
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

// Markdown is the reference of all settings for people.
func Markdown() string {
	var b strings.Builder
	b.WriteString(`# Configuration

The server needs no configuration. Each setting can come from four places; an
earlier one wins over a later one:

1. a flag, such as ` + "`--log-level debug`" + `
2. an environment variable, such as ` + "`SVC_LOG_LEVEL=debug`" + `
3. the file ` + "`config.toml`" + ` in the data directory, or the one that ` + "`--config`" + ` or
   ` + "`SVC_CONFIG`" + ` names
4. the default

A blank value counts as none. A value that cannot be read, or a name in the file
that is not known, stops the start with one line per problem and exit code 2.
` + "`svc config`" + ` shows what counts and where each value came from,
` + "`svc config --check FILE`" + ` examines a file, and ` + "`svc config example`" + ` prints
the file with every setting commented out.

Secrets are masked in everything that is shown. For each of them a second
variable, with ` + "`_FILE`" + ` behind the name, can name a file that holds the value, as
container and service managers provide it. A secret given by flag works, with a
warning: everybody who can list processes sees it. The session secret and the
salt that nobody gives are generated at the first start and kept in
` + "`secrets.toml`" + ` in the data directory.

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
