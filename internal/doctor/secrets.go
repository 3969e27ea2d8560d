package doctor

import (
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
		// the first start generates these secrets, so they must exist afterwards
		if v.Offline && v.Text == "" && p.hasData() {
			findings = append(findings, problem("secret_missing", messagef("%s is missing: it is neither in secrets.toml nor in the environment",
				v.Variable),
				messagef("restore secrets.toml from a backup; the next start would generate a new one, and existing logins and API keys would stop "+
					"working")))
		}
		if v.Origin == setting.FromFlag || p.onCommandLine(v.Flag()) {
			findings = append(findings, warning("secret_in_flag", messagef("--%s shows a secret to everyone who can list processes", v.Flag()),
				messagef("use %s or %s instead, and change the secret", v.Variable, v.FileVariable())))
		}
		if v.Origin == setting.FromFile {
			findings = append(findings,
				p.checkSecrecy(p.Settings.Config, "secret_readable", messagef("others can read %s in %s", v.Key, p.Settings.Config))...)
		}
	}
	return findings
}

// hasData reports whether a server has used the data folder before: it then contains a
// database.
func (p *Installation) hasData() bool {
	_, err := os.Stat(filepath.Join(p.Settings.Data, datadir.Database))
	return err == nil
}

// onCommandLine reports whether a flag was given on the command line of the running
// server.
func (p *Installation) onCommandLine(flag string) bool {
	if p.Server == nil {
		return false
	}
	line, err := fs.ReadFile(p.Machine, path.Join("proc", strconv.Itoa(p.Server.PID), "cmdline"))
	return err == nil && slices.ContainsFunc(strings.Split(string(line), "\x00"), func(arg string) bool {
		return arg == "--"+flag || strings.HasPrefix(arg, "--"+flag+"=")
	})
}

// checkSecrecy returns a finding with the given code and description if too many users
// can read a file that contains a secret. If the file is outside of the data folder, read
// access for its group is accepted, because such a file can belong to root and have the
// group of the service.
func (p *Installation) checkSecrecy(name, code string, what message) []Finding {
	others, rights := fs.FileMode(0o007), "o="
	if within, err := filepath.Rel(p.Settings.Data, name); err == nil && filepath.IsLocal(within) {
		others, rights = 0o077, "go="
	}
	info, err := os.Stat(name)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&others == 0 { // Windows uses ACLs
		return nil
	}
	return []Finding{warning(code, what, messagef("chmod %s %s", rights, name))}
}

// firstLogin is the time after which a generated password that has not been used causes a
// warning.
const firstLogin = 7 * 24 * time.Hour

func checkBootstrap(p *Installation) []Finding {
	name := filepath.Join(p.Settings.BootstrapSecretDir, datadir.Bootstrap)
	info, err := os.Stat(name)
	if err != nil {
		return nil
	}
	repair := messagef("log in, which deletes the file, and change the password")
	if age := p.Now.Sub(info.ModTime()); age > firstLogin {
		return []Finding{warning("password_unused_long",
			messagef("the generated password has not been used for %d days; it is in %s", days(age), name), repair)}
	}
	return []Finding{note("password_unused", messagef("the generated password has not been used yet; it is in %s", name), repair)}
}
