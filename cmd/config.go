package cmd

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"svc/internal/instance"
	"svc/internal/setting"
)

func (p *program) configCommand() *cobra.Command {
	var asJSON bool
	var check string
	c := &cobra.Command{
		Use:   "config",
		Short: "Show effective settings and their sources",
		Long: `Show the value of every setting as "svc serve" would use it with the same flags,
environment variables and file, and where the value comes from. Secrets are masked.

--check validates one configuration file instead: it rejects a file that "svc serve"
would reject, and opens the files that the configuration names.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if check != "" {
				return p.checkConfig(check, asJSON)
			}
			return p.showConfig(c, asJSON)
		},
	}
	addSettings(c)
	addJSON(c, &asJSON)
	c.Flags().StringVar(&check, "check", "", "validate this configuration file instead")
	c.AddCommand(p.configExampleCommand())
	return c
}

func (p *program) configExampleCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "example",
		Short: "Print a configuration file that explains every setting",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := io.WriteString(p.stdout, setting.Example())
			return err
		},
	}
}

// configCheck is the output of "svc config --check --json".
type configCheck struct {
	File     string   `json:"file"`
	OK       bool     `json:"ok"`
	Problems []string `json:"problems"`
	Warnings []string `json:"warnings"`
}

// checkConfig returns an error for a file that "svc serve" would reject. It also opens the files
// that the configuration names.
func (p *program) checkConfig(path string, asJSON bool) error {
	s, err := setting.Load(setting.Sources{
		Flag:     func(name string) (string, bool) { return path, name == "config" },
		ReadFile: os.ReadFile,
	})
	if err == nil {
		var n named
		if n, err = openNamed(s, slog.New(slog.DiscardHandler)); err == nil {
			err = n.geo.Close()
		}
	}
	problems, settings := errors.AsType[setting.Errors](err)
	if err != nil && !settings {
		return err
	}
	if asJSON {
		check := configCheck{File: path, OK: err == nil, Problems: []string{}, Warnings: append([]string{}, s.Warnings...)}
		for _, problem := range problems {
			check.Problems = append(check.Problems, problem.Error())
		}
		return errors.Join(err, printJSON(p.stdout, check))
	}
	p.warn(s)
	if err == nil {
		say(p.stderr, "%s is valid", path)
	}
	return err
}

func (p *program) showConfig(c *cobra.Command, asJSON bool) error {
	s, err := p.load(c)
	if err != nil {
		return err
	}
	if _, _, err := instance.ReadSecrets(s); err != nil {
		return err
	}
	p.warn(s)
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

// configView is one setting in the output of "svc config --json".
type configView struct {
	Key    string         `json:"key"`
	Value  *string        `json:"value"` // null if there is no value; secrets are masked
	Source setting.Origin `json:"source"`
	Name   string         `json:"name"` // name of the flag, variable or file; "" for defaults
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
