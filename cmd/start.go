package cmd

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"
	"strings"

	"svc/internal/setting"
)

// startReport is what a person wants to know of a server that has started.
type startReport struct {
	settings  *setting.Settings
	front     *front
	newFolder bool
	newAdmin  bool
	password  string // generated just now; "" otherwise
}

// announce says how to go on: on a terminal in one screen with the first
// password, elsewhere in log lines without it, because journals keep them. They
// are written at every level: without them nobody finds the server.
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
		log.Info("administrator created with the password that was given", "user", "admin")
	case exists(r.settings.BootstrapSecretDir, bootstrapName):
		log.Info("a generated password has not been used yet", "user", "admin", "password_file", file)
	}
	log.Info("listening", "url", strings.Join(r.front.urls, " "), "address", r.front.addresses(), "data", absolute(r.settings.Data), "version", version)
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
	for i, url := range r.front.urls {
		line([]string{"listen", ""}[min(i, 1)], "%s%s", url, r.everywhere())
	}
	switch {
	case r.password != "":
		line("login", "admin / %s   also in %s", r.password, file)
	case r.newAdmin:
		line("login", "admin / the password from %s", r.settings.Value("admin_password").Name)
	case exists(r.settings.BootstrapSecretDir, bootstrapName):
		line("login", "admin / the password in %s", file)
	default:
		line("login", "admin   password lost? svc admin reset-password --data %s", quoted(data))
	}
	line("next", "a key for CI: svc apikey create --name ci --data %s", quoted(data))
	return b.String()
}

// everywhere says so when the address is one of many.
func (r startReport) everywhere() string {
	if r.front.every {
		return " and every other address of this machine"
	}
	return ""
}

func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// quoted makes a path one word of a shell's line.
func quoted(path string) string {
	if strings.ContainsAny(path, " '\"$&;()*?<>|`\\#~") && runtime.GOOS != "windows" {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
