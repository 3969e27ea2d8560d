package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/internal/datadir"
	"svc/internal/setting"
)

func checkSecrets(p *Installation) []Finding {
	var findings []Finding
	for _, v := range p.Settings.Values() {
		if !v.Secret {
			continue
		}
		// What the first start makes must be there from then on.
		if v.Offline && v.Text == "" && p.hasData() {
			findings = append(findings, problem(v.Variable+" is missing: it is neither in secrets.toml nor in the environment",
				"restore secrets.toml from a backup; the next start would generate a new one, and existing logins and API keys would stop working"))
		}
		if v.Origin == setting.FromFlag || p.onCommandLine(v.Flag()) {
			findings = append(findings, warning("--"+v.Flag()+" shows a secret to everyone who can list processes",
				"use "+v.Variable+" or "+v.FileVariable()+" instead, and change the secret"))
		}
		if v.Origin == setting.FromFile {
			findings = append(findings, p.checkSecrecy(p.Settings.Config, v.Key+" in ")...)
		}
	}
	return findings
}

// hasData reports whether the data folder was ever used.
func (p *Installation) hasData() bool {
	_, err := os.Stat(filepath.Join(p.Settings.Data, datadir.Database))
	return err == nil
}

// onCommandLine reports whether the running server was started with a flag.
func (p *Installation) onCommandLine(flag string) bool {
	if p.Server == nil {
		return false
	}
	line, err := fs.ReadFile(p.Machine, path.Join("proc", strconv.Itoa(p.Server.PID), "cmdline"))
	return err == nil && slices.ContainsFunc(strings.Split(string(line), "\x00"), func(arg string) bool {
		return arg == "--"+flag || strings.HasPrefix(arg, "--"+flag+"=")
	})
}

// checkSecrecy examines who can read a file with a secret; what names the secret.
// Outside of the data folder the group may: root gives it that of the service.
func (p *Installation) checkSecrecy(name, what string) []Finding {
	others, rights := fs.FileMode(0o007), "o="
	if within, err := filepath.Rel(p.Settings.Data, name); err == nil && filepath.IsLocal(within) {
		others, rights = 0o077, "go="
	}
	info, err := os.Stat(name)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&others == 0 { // there the access list counts
		return nil
	}
	return []Finding{warning("others can read "+what+name, "chmod "+rights+" "+name)}
}

// firstLogin is how long the first password may wait.
const firstLogin = 7 * 24 * time.Hour

func checkBootstrap(p *Installation) []Finding {
	name := filepath.Join(p.Settings.BootstrapSecretDir, datadir.Bootstrap)
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	f := note(fmt.Sprintf("the generated password has not been used yet; it is in %s", name),
		"log in, which deletes the file, and change the password")
	if age := p.Now.Sub(info.ModTime()); age > firstLogin {
		f.Status = Warning
		f.What = fmt.Sprintf("the generated password has not been used for %d days; it is in %s", days(age), name)
	}
	return []Finding{f}
}
