package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"svc/internal/setting"
)

func (p *program) configCommand() *cobra.Command {
	var asJSON bool
	var check string
	c := &cobra.Command{
		Use:   "config",
		Short: "Show the settings that count and where each comes from",
		Long: `Show every setting as "svc serve" would use it with the same flags, variables and
file, and where its value comes from. Secrets are masked.

With --check only the file that it names is examined.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if check != "" {
				return p.checkConfig(check)
			}
			return p.showConfig(c, asJSON)
		},
	}
	addSettings(c.Flags())
	addJSON(c, &asJSON)
	c.Flags().StringVar(&check, "check", "", "examine this configuration file instead")
	c.AddCommand(p.configExampleCommand())
	return c
}

func (p *program) configExampleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "example",
		Short: "Print a configuration file with every setting commented out",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(p.stdout, setting.Example())
			return err
		},
	}
}

func (p *program) checkConfig(path string) error {
	_, err := setting.Load(setting.Sources{
		Flag:     func(name string) (string, bool) { return path, name == "config" },
		ReadFile: os.ReadFile,
	})
	if err != nil {
		return err
	}
	say(p.stderr, "%s is fine", path)
	return nil
}

func (p *program) showConfig(c *cobra.Command, asJSON bool) error {
	s, err := p.load(c)
	if err != nil {
		return err
	}
	if _, _, err := readSecrets(s); err != nil {
		return err
	}
	for _, warning := range s.Warnings {
		say(p.stderr, "warning: %s", warning)
	}
	if asJSON {
		return printJSON(p.stdout, viewConfig(s))
	}
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	for _, v := range s.Values() {
		text := v.Shown()
		if text == "" {
			text = "(" + v.Unset + ")"
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", v.Key, text, strings.TrimSpace(string(v.Origin)+" "+v.Name))
	}
	return w.Flush()
}

// configView is one line of "svc config --json".
type configView struct {
	Key    string         `json:"key"`
	Value  *string        `json:"value"` // null without a value; secrets masked
	Source setting.Origin `json:"source"`
	Name   string         `json:"name"` // of the flag, variable or file; "" for defaults
	Secret bool           `json:"secret"`
}

func viewConfig(s *setting.Settings) map[string][]configView {
	values := s.Values()
	views := make([]configView, 0, len(values))
	for _, v := range values {
		view := configView{Key: v.Key, Source: v.Origin, Name: v.Name, Secret: v.Secret}
		if text := v.Shown(); text != "" {
			view.Value = &text
		}
		views = append(views, view)
	}
	return map[string][]configView{"settings": views}
}
