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

// textFlag is a flag whose text the setting package reads.
type textFlag struct{ text, kind string }

func (f *textFlag) String() string { return f.text }
func (f *textFlag) Type() string   { return f.kind }

func (f *textFlag) Set(text string) error {
	f.text = text
	return nil
}

// addSettings gives a command the flags of all settings.
func addSettings(flags *pflag.FlagSet) {
	for _, d := range setting.Definitions() {
		addSetting(flags, d)
	}
}

// addData gives a command on the data the flags of the settings that decide which
// data directory it uses and, out of sight in the help, how it opens it when no
// server runs.
func addData(c *cobra.Command, asJSON *bool) {
	addFolder(c, asJSON)
	for _, d := range setting.Definitions() {
		if d.Offline {
			addSetting(c.Flags(), d)
			c.Flags().Lookup(d.Flag()).Hidden = true
		}
	}
}

// addFolder gives a command that never opens the data the flags that say where
// they are.
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

// warn prints the warnings of settings.
func (p *program) warn(s *setting.Settings) {
	for _, warning := range s.Warnings {
		say(p.stderr, "warning: %s", warning)
	}
}

// load reads the settings from the flags of a command, the environment and the
// configuration file. Warnings are in the settings, for the caller to say.
func (p *program) load(c *cobra.Command) (*setting.Settings, error) {
	s, err := loadShown(c)
	if errors.Is(err, fs.ErrPermission) {
		// A folder of somebody else says more than a file in it.
		if owner, ok := errors.AsType[*control.OwnerError](instance.CheckFolder(s.Data)); ok {
			return nil, owner
		}
	}
	if err != nil {
		return nil, err
	}
	return s, settleLife(s)
}

// loadShown reads the settings, too; those that come with an error are only good
// for showing.
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

// settleLife puts the default in place of a lifetime that cannot be read. It is
// the one setting that does not stop the start: clients rely on that.
func settleLife(s *setting.Settings) error {
	v := s.Value("jwt_expires_in")
	if _, ok := auth.ParseLife(strings.TrimSpace(s.JWTExpiresIn)); ok {
		return nil
	}
	s.Warnings = append(s.Warnings, v.Name+" must be a number of seconds or a number with s, m, h or d; "+v.Default+" is used instead")
	return s.Put(v.Key, v.Default, setting.FromDefault, "")
}
