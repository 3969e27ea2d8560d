package cmd

import (
	"io"
	"log/slog"

	"svc/internal/logging"
	"svc/internal/setting"
)

// newLog returns the log of a server, with the given minimum level. Unless the settings choose a
// format, the log is text if w is a terminal, and JSON otherwise. flush writes buffered lines.
func newLog(w io.Writer, s *setting.Settings, level slog.Leveler) (log *slog.Logger, flush func()) {
	text := s.LogFormat == "text" || s.LogFormat == "auto" && isTerminal(w)
	return logging.New(w, !text, level)
}

// failuresOnly reports whether the log contains only those requests that failed with a 5xx status.
// That is the case if the log goes to a terminal, where a person reads it, and no log level is
// configured.
func failuresOnly(w io.Writer, s *setting.Settings) bool {
	return isTerminal(w) && s.Value("log.level").Origin == setting.FromDefault
}

// commandLog returns the log of commands that open the data themselves. It contains only warnings
// and errors.
func commandLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelWarn}))
}
