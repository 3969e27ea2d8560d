package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"svc/docs"
)

// topics lists the documentation pages that the program contains. "svc help NAME" shows a page.
var topics = []struct{ name, page, short string }{
	{"install", "install.md", "Install, upgrade, uninstall: systemd, containers"},
	{"proxy", "proxy.md", "Run behind Caddy, nginx or another reverse proxy"},
	{"tls", "tls.md", "HTTPS without a reverse proxy"},
	{"operations", "operations.md", "Diagnose, upgrade, move, recover; sizing and exit codes"},
	{"metrics", "metrics.md", "Monitor: health, metrics, alerts, scheduled jobs"},
	{"security", "security.md", "What is stored where, and who has access"},
}

// topicCommands returns a command for each help topic. In cobra, a help topic is a command that
// only has a long description. The last command lists the topics.
func topicCommands() []*cobra.Command {
	var list strings.Builder
	list.WriteString("Documentation pages in this program:\n\n")
	var commands []*cobra.Command
	for _, t := range topics {
		text, err := docs.Pages.ReadFile(t.page)
		if err != nil {
			panic(err) // embedded, so the page always exists
		}
		commands = append(commands, &cobra.Command{Use: t.name, Short: t.short, Long: string(text)})
		fmt.Fprintf(&list, "  svc help %-10s %s\n", t.name, t.short)
	}
	return append(commands, &cobra.Command{Use: "topics", Short: "List documentation pages", Long: list.String()})
}
