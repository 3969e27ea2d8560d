package cmd

import (
	"io"
	"log/slog"

	"svc/internal/logging"
	"svc/internal/setting"
)

// newLog returns the log of a server from a level on: text on a terminal, JSON elsewhere, unless
// the settings choose a format. flush writes buffered lines.
func newLog(w io.Writer, s *setting.Settings, level slog.Leveler) (log *slog.Logger, flush func()) {
	text := s.LogFormat == "text" || s.LogFormat == "auto" && isTerminal(w)
	return logging.New(w, !text, level)
}

// commandLog returns the log of commands that open the data themselves: warnings and errors only.
func commandLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
