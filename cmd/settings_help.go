package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/internal/setting"
)

// settingsUsage prints the usage of a command that has a flag for every setting. It lists the
// command's own flags first, then the settings grouped by purpose, with one short line for each.
func settingsUsage(c *cobra.Command) error {
	if c.Flags().Lookup("listen") == nil { // subcommands inherit this function, but do not have these flags
		return new(cobra.Command).UsageFunc()(c)
	}
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	settings := map[string]setting.Definition{}
	for _, d := range setting.Definitions() {
		settings[d.Flag()] = d
	}
	width := 0
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if d, ok := settings[f.Name]; ok {
			width = max(width, len(flagHead(d)))
		} else {
			own.AddFlag(f)
		}
	})
	var b strings.Builder
	fmt.Fprintf(&b, "Usage:\n  %s\n", c.UseLine())
	for _, sub := range c.Commands() {
		fmt.Fprintf(&b, "  %s   %s\n", sub.CommandPath(), sub.Short)
	}
	if c.HasExample() {
		fmt.Fprintf(&b, "\nExamples:\n%s\n", c.Example)
	}
	fmt.Fprintf(&b, "\nFlags:\n%s", own.FlagUsages())
	for _, group := range setting.Groups() {
		fmt.Fprintf(&b, "\n%s:\n", group.Title)
		for _, item := range group.Items {
			d := settingOf(item.Key)
			f := c.Flags().Lookup(d.Flag())
			fmt.Fprintf(&b, "  %-*s  %s%s\n", width, flagHead(d), item.Brief, flagTail(d, f.DefValue))
		}
	}
	b.WriteString("\nEach of these is also a variable: --log-level is SVC_LOG_LEVEL, unless a line names another\n" +
		"one. \"svc config example\" explains them all.\n")
	_, err := fmt.Fprint(c.OutOrStderr(), b.String())
	return err
}

func settingOf(key string) setting.Definition {
	for _, d := range setting.Definitions() {
		if d.Key == key {
			return d
		}
	}
	panic("no setting " + key)
}

// flagHead returns the beginning of a setting's line: the flag and the form of its value.
func flagHead(d setting.Definition) string { return "--" + d.Flag() + " " + d.Kind }

// flagTail returns the end of a setting's line: the default in the parameter standard, preceded by
// the environment variable if its name does not follow from the name of the flag.
func flagTail(d setting.Definition, standard string) string {
	var notes []string
	if d.Variable != "SVC_"+strings.ToUpper(strings.ReplaceAll(d.Flag(), "-", "_")) {
		notes = append(notes, "$"+d.Variable)
	}
	if standard != "" {
		notes = append(notes, standard)
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, ", ") + ")"
}
