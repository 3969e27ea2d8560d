package cmd

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"svc/internal/datadir"
	"svc/internal/event"
	"svc/store"
)

// buildInfo is the build information of this program.
type buildInfo struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"`   // "" if built outside a repository
	Modified bool   `json:"modified"` // built from source files that differ from the commit
	Go       string `json:"go"`
	Platform string `json:"platform"`
	// Formats maps the name of each data file to the number of the format that this program writes.
	// The program migrates older formats and rejects newer ones.
	Formats map[string]int `json:"formats"`
}

func readBuild() buildInfo {
	b := buildInfo{
		Version:  version,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Formats:  map[string]int{datadir.Database: store.Format, datadir.Events: event.Format},
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

func (b buildInfo) String() string {
	commit := b.Commit
	switch {
	case commit == "":
		commit = "unknown"
	case b.Modified:
		commit += " (modified)"
	}
	return fmt.Sprintf("svc %s\ncommit    %s\ngo        %s\nplatform  %s\nformats   %s %d, %s %d\n", b.Version, commit, b.Go, b.Platform,
		datadir.Database, b.Formats[datadir.Database], datadir.Events, b.Formats[datadir.Events])
}

func (p *program) versionCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long: `Print the version, commit, Go version and platform of this program, and the data
formats that it writes. Older data is migrated at the start; newer data is refused.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return printJSON(p.stdout, readBuild())
			}
			_, err := io.WriteString(p.stdout, readBuild().String())
			return err
		},
	}
	addJSON(c, &asJSON)
	return c
}
