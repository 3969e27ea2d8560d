package cmd

import (
	"io"
	"log/slog"
	"os"

	"golang.org/x/term"

	"svc/internal/logging"
	"svc/internal/setting"
)

// isTerminal reports whether a person reads what is written to w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// newLog is the log of a server from a level on: text for people, JSON for
// programs. flush writes what waits in it.
func newLog(w io.Writer, s *setting.Settings, level slog.Leveler) (log *slog.Logger, flush func()) {
	text := s.LogFormat == "text" || s.LogFormat == "auto" && isTerminal(w)
	return logging.New(w, !text, level)
}

// commandLog is for commands that open the data themselves: only what a person
// must know.
func commandLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
