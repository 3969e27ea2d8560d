package cmd

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"svc/internal/setting"
)

// TestSettingsHelpIsShort checks that the help of commands with a flag for each setting names every
// setting under its purpose, in lines that fit on a terminal.
func TestSettingsHelpIsShort(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"serve", "demo", "config"} {
		c, _, err := (&program{}).root().Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		c.SetOut(&out)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(line); n > 101 {
				t.Errorf("%s: %d characters in: %s", name, n, line)
			}
		}
		for _, d := range setting.Definitions() {
			if n := strings.Count(out.String(), "\n  --"+d.Flag()+" "); n != 1 {
				t.Errorf("%s: --%s is described %d times", name, d.Flag(), n)
			}
		}
	}
}
