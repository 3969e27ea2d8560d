package cmd

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/internal/typo"
)

// explainMistakes replaces cobra's errors about the command lines of c and its subcommands with
// errors that name the missing argument or flag, or suggest the nearest known word.
func explainMistakes(c *cobra.Command) {
	c.DisableSuggestions = true // unknownCommand makes better suggestions
	c.SetFlagErrorFunc(flagMistake)
	if check := c.Args; check != nil {
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return argumentMistake(c, args)
			}
			return missingFlags(c)
		}
	}
	for _, sub := range c.Commands() {
		explainMistakes(sub)
	}
}

// mistypedCommand returns an error if words, the arguments of a command line, do not begin with a
// command.
func mistypedCommand(root *cobra.Command, words []string) error {
	found, rest, err := root.Find(words)
	if err == nil || found != root {
		return nil
	}
	at := slices.IndexFunc(rest, func(word string) bool { return !strings.HasPrefix(word, "-") })
	return unknownCommand(root, rest[max(at, 0)])
}

// unknownCommand returns an error about a word that is not a subcommand of c.
func unknownCommand(c *cobra.Command, word string) error {
	text := fmt.Sprintf("unknown command %q", word)
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			names = append(names, sub.Name())
		}
	}
	if name := typo.Nearest(word, names); name != "" {
		return errors.New(text + "; did you mean " + runnable(c.CommandPath()+" "+name) + "?")
	}
	if c.HasParent() {
		text += "\nits commands are: " + strings.Join(names, ", ")
	}
	return errors.New(text)
}

// explainHelp makes "svc help" return an error about a word that is neither a command nor a topic.
func explainHelp(root *cobra.Command) {
	help, _, err := root.Find([]string{"help"})
	if err != nil {
		return
	}
	show := help.Run
	help.Run = nil
	help.RunE = func(c *cobra.Command, words []string) error {
		if err := mistypedCommand(root, words); err != nil {
			return withCode(exitUsage, err)
		}
		show(c, words)
		return nil
	}
}

// argumentMistake returns an error about missing or superfluous arguments. It takes the names of
// the arguments from the usage line of c.
func argumentMistake(c *cobra.Command, args []string) error {
	wanted, name := argumentNames(c.Use), pathOf(c)
	switch {
	case len(wanted) == 0 && c.HasAvailableSubCommands():
		return unknownCommand(c, args[0])
	case len(wanted) == 0:
		return fmt.Errorf("%s takes no arguments; %q is one too many", name, args[0])
	case len(args) < len(wanted):
		return errors.New(name + " needs " + wanted[len(args)] + exampleOf(c))
	}
	return fmt.Errorf("%s takes only %s; %q is one too many%s", name, strings.Join(wanted, " "), args[len(wanted)], exampleOf(c))
}

// argumentNames returns the names of the arguments in a usage line, without flags and the values of
// flags.
func argumentNames(use string) (names []string) {
	words := strings.Fields(use)[1:]
	for i, word := range words {
		if !strings.HasPrefix(word, "--") && (i == 0 || !strings.HasPrefix(words[i-1], "--")) {
			names = append(names, strings.ReplaceAll(word, "|", " or "))
		}
	}
	return names
}

// exampleOf returns the first example of a command, as a line to append to an error.
func exampleOf(c *cobra.Command) string {
	line, _, _ := strings.Cut(strings.TrimSpace(c.Example), "\n")
	if line == "" {
		line = c.Parent().CommandPath() + " " + c.Use
	}
	return "\nfor example: " + runnable(line)
}

// pathOf returns the names of a command and the commands above it, without the name of the program.
func pathOf(c *cobra.Command) string { return strings.TrimPrefix(c.CommandPath(), "svc ") }

// missingFlags returns an error that names the required flags that were not given.
func missingFlags(c *cobra.Command) error {
	var missing []string
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Equal(f.Annotations[cobra.BashCompOneRequiredFlag], []string{"true"}) && !f.Changed {
			missing = append(missing, "--"+f.Name)
		}
	})
	if len(missing) == 0 {
		return nil
	}
	return errors.New(pathOf(c) + " needs " + strings.Join(missing, " and ") + exampleOf(c))
}

// flagMistake returns an error about a flag that could not be parsed.
func flagMistake(c *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		if unknown.GetSpecifiedShortnames() != "" { // all flags have long names only
			return fmt.Errorf("unknown flag: -%s; flags begin with two dashes", unknown.GetSpecifiedShortnames())
		}
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if nearest := typo.Nearest(name, names); nearest != "" {
			return fmt.Errorf("unknown flag: --%s; did you mean --%s?", name, nearest)
		}
		return fmt.Errorf("unknown flag: --%s", name)
	}
	if empty, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return fmt.Errorf("--%s needs a value, such as --%[1]s %s", empty.GetSpecifiedName(), strings.ToUpper(empty.GetFlag().Value.Type()))
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if kind, ok := kinds[bad.GetFlag().Value.Type()]; ok {
			return fmt.Errorf("--%s must be %s, not %q", bad.GetFlag().Name, kind, bad.GetValue())
		}
	}
	return err
}

// kinds describes the values of flags to users, by the name of their type in pflag.
var kinds = map[string]string{
	"int":      "a whole number",
	"uint64":   "a whole number of at least 0",
	"bool":     "true or false",
	"duration": "a duration such as 30s or 5m",
}
