package cmd

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/internal/auth"
	"svc/internal/control"
	"svc/internal/instance"
	"svc/internal/setting"
)

// textFlag is a flag that stores its text unparsed. The setting package parses it.
type textFlag struct{ text, kind string }

func (f *textFlag) String() string { return f.text }
func (f *textFlag) Type() string   { return f.kind }

func (f *textFlag) Set(text string) error {
	f.text = text
	return nil
}

// addSettings adds the flags of all settings to a flag set.
func addSettings(flags *pflag.FlagSet) {
	for _, d := range setting.Definitions() {
		addSetting(flags, d)
	}
}

// addData adds the flags that select the data directory. It also adds, hidden from the help, the
// flags that decide how the data is opened when no server is running.
func addData(c *cobra.Command, asJSON *bool) {
	addFolder(c, asJSON)
	for _, d := range setting.Definitions() {
		if d.Offline {
			addSetting(c.Flags(), d)
			c.Flags().Lookup(d.Flag()).Hidden = true
		}
	}
}

// addFolder adds the flags that select the data directory to a command that never opens the data.
func addFolder(c *cobra.Command, asJSON *bool) {
	for _, d := range setting.Definitions() {
		if d.NotInFile {
			addSetting(c.Flags(), d)
		}
	}
	addJSON(c, asJSON)
}

func addSetting(flags *pflag.FlagSet, d setting.Definition) {
	usage := strings.TrimSuffix(d.Help, ".") + " ($" + d.Variable + ")"
	if d.Unset != "" {
		usage += " (default: " + d.Unset + ")"
	}
	flags.Var(&textFlag{d.Default, d.Kind}, d.Flag(), usage)
}

// warn prints the warnings of the settings.
func (p *program) warn(s *setting.Settings) {
	for _, warning := range s.Warnings {
		say(p.stderr, "warning: %s", warning)
	}
}

// load reads the settings from the flags of a command, the environment and the configuration file.
// The caller must print the warnings.
func (p *program) load(c *cobra.Command) (*setting.Settings, error) {
	s, err := loadShown(c)
	if errors.Is(err, fs.ErrPermission) {
		// That the folder belongs to another user explains more than an unreadable file in it.
		if owner, ok := errors.AsType[*control.OwnerError](instance.CheckFolder(s.Data)); ok {
			return nil, owner
		}
	}
	if err != nil {
		return nil, err
	}
	return s, settleLife(s)
}

// loadShown reads the settings like load. Settings returned with an error are only for display.
func loadShown(c *cobra.Command) (*setting.Settings, error) {
	return setting.Load(setting.Sources{
		Flag: func(name string) (string, bool) {
			f := c.Flags().Lookup(name)
			if f == nil || !f.Changed {
				return "", false
			}
			return f.Value.String(), true
		},
		Env:      os.LookupEnv,
		ReadFile: os.ReadFile,
	})
}

// settleLife replaces an invalid token lifetime by the default. It is the one invalid setting that
// does not prevent a start, because clients rely on that.
func settleLife(s *setting.Settings) error {
	v := s.Value("jwt_expires_in")
	if _, ok := auth.ParseLife(strings.TrimSpace(s.JWTExpiresIn)); ok {
		return nil
	}
	s.Warnings = append(s.Warnings, v.Name+" must be a number of seconds or a number with s, m, h or d; "+v.Default+" is used instead")
	return s.Put(v.Key, v.Default, setting.FromDefault, "")
}
