package cmd

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"

	"svc/internal/datadir"
	"svc/internal/httpserver"
	"svc/internal/instance"
	"svc/internal/setting"
)

// startReport describes a server that has started. It is the basis of the messages to the user.
type startReport struct {
	settings  *setting.Settings
	public    *httpserver.Listeners
	newFolder bool
	newAdmin  bool
	password  string // "" unless this start generated it
	self      string // how users run this program, such as "svc"
	inside    string // how to run this program in its container; "" outside a container
}

// announce tells the user how to continue. On a terminal, it prints a summary with the first
// password. Otherwise it writes log lines without the password, because logs are stored. It writes
// these lines regardless of the log level, because they contain the server's address.
func (p *program) announce(r startReport) {
	if isTerminal(p.stderr) {
		_, _ = fmt.Fprint(p.stderr, r.screen())
		return
	}
	log, flush := newLog(p.stderr, r.settings, slog.LevelInfo)
	defer flush()
	file := absolute(bootstrapFile(r.settings))
	switch {
	case r.password != "":
		log.Info("administrator created", "user", "admin", "password_file", file)
	case r.newAdmin:
		log.Info("administrator created with the configured password", "user", "admin")
	case instance.Has(r.settings.BootstrapSecretDir, datadir.Bootstrap):
		log.Info("the generated password has not been used yet", "user", "admin", "password_file", file)
	}
	if r.inside != "" { // users see only the container's log
		log.Info("command to replace a lost password", "command", r.command("admin reset-password"))
	}
	log.Info("listening", "url", strings.Join(r.public.URLs, " "), "address", r.public.Addresses(), "data", absolute(r.settings.Data),
		"version", version)
}

func (r startReport) screen() string {
	data := absolute(r.settings.Data)
	file := absolute(bootstrapFile(r.settings))
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s "+format+"\n", append([]any{name}, args...)...)
	}
	fmt.Fprintf(&b, "svc %s (%s/%s)\n", version, runtime.GOOS, runtime.GOARCH)
	switch {
	case r.newFolder:
		line("data", "%s (new)", data)
	default:
		line("data", "%s", data)
	}
	for i, url := range r.public.URLs {
		line([]string{"listen", ""}[min(i, 1)], "%s", url)
	}
	for i, url := range r.consoles() {
		line([]string{"console", ""}[min(i, 1)], "%s", url)
	}
	switch {
	case r.password != "":
		line("login", "admin / %s   also in %s", r.password, file)
	case r.newAdmin:
		line("login", "admin / the password from %s", r.settings.Value("admin_password").Name)
	case instance.Has(r.settings.BootstrapSecretDir, datadir.Bootstrap):
		line("login", "admin / the password in %s", file)
	default:
		line("login", "admin   password lost? %s", r.command("admin reset-password"))
	}
	line("next", "a key for CI: %s", r.command("apikey create --name ci"))
	return b.String()
}

// consoles returns the URLs of the console at the first listen address and at the site URL.
func (r startReport) consoles() (urls []string) {
	for _, url := range append(slices.Clone(r.public.URLs[:min(1, len(r.public.URLs))]), r.settings.SiteURL) {
		if url = strings.TrimSuffix(url, "/") + "/admin"; strings.HasPrefix(url, "http") && !slices.Contains(urls, url) {
			urls = append(urls, url)
		}
	}
	return urls
}

// command returns the command line that runs svc with the given words on this data directory. If
// this process runs in a container, the command line begins with the command that enters the
// container.
func (r startReport) command(words string) string {
	data := r.settings.Value("data")
	if r.inside == "" {
		return r.self + " " + words + " --data " + quoted(absolute(r.settings.Data))
	}
	if data.Origin == setting.FromEnvironment { // the environment already selects the data directory
		return r.inside + " " + words
	}
	return r.inside + " " + words + " --data " + quoted(absolute(r.settings.Data))
}

// container returns the beginning of a command line that runs this program in its container. It
// returns "" outside a container. machine is the root of the file system. The container is
// identified by its host name, which is correct unless the user has changed the host name.
func container(machine fs.FS) string {
	engine := ""
	for mark, of := range map[string]string{".dockerenv": "docker", "run/.containerenv": "podman"} {
		if _, err := fs.Stat(machine, mark); err == nil {
			engine = of
		}
	}
	name, err := os.Hostname()
	if err != nil || name == "" {
		name = "NAME"
	}
	program, err := os.Executable()
	if err != nil {
		program = "/svc"
	}
	if engine == "" {
		return ""
	}
	return engine + " exec " + name + " " + quoted(program)
}
