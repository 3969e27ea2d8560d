package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"svc/internal/datadir"
)

// TestChangingCommands checks that every command is known to change data or not to.
func TestChangingCommands(t *testing.T) {
	t.Parallel()
	// serve, demo, restore and check --repair refuse the directory of a standby on their own.
	others := []string{
		"apikey list", "backup", "backup verify", "check", "compact", "config", "config example", "demo", "doctor", "export",
		"feeds check", "files list", "health", "hooks list", "job list", "openapi", "promote", "reindex", "replicate points", "replicate snapshot", "replicate status",
		"replicate verify", "restore", "serve", "standby", "standby token", "status", "version",
	}
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		_, path, _ := strings.Cut(c.CommandPath(), " ")
		word, _, _ := strings.Cut(path, " ")
		if c.HasParent() && c.RunE != nil && !c.HasSubCommands() && word != "completion" && word != "help" &&
			!isChanging(c) && !slices.Contains(others, path) {
			t.Errorf("svc %s is in neither list", path)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit((&program{}).root())
}

func TestRefuseStandby(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := refuseStandby(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, datadir.Standby), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := exitCode(refuseStandby(dir)); got != exitStandby {
		t.Errorf("got exit code %d, want %d", got, exitStandby)
	}
}
