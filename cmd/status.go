package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/doctor"
	"svc/internal/replica"
)

func (p *program) statusCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Show the state of the server",
		Long: `Show the main figures of the server that runs on the data directory: uptime,
requests, events, search index, jobs, memory and file sizes. Counters start at zero
when the server starts. If no server is running, only file sizes are shown.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return p.status(c, asJSON) },
	}
	addFolder(c, &asJSON)
	return c
}

// statusReport is the output of "svc status".
type statusReport struct {
	Running bool               `json:"running"`
	Server  *apicontrol.Status `json:"server"` // null if no server is running
	Files   []fileSize         `json:"files"`
}

type fileSize struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

func (p *program) status(c *cobra.Command, asJSON bool) error {
	s, err := p.load(c)
	if err != nil {
		return err
	}
	if err := needFolder(s.Data); err != nil {
		return err
	}
	var r statusReport
	if r.Files, err = fileSizes(s.Data); err != nil {
		return err
	}
	client := control.Client(s.Data)
	defer client.CloseIdleConnections()
	if _, err := askVersion(c.Context(), client); err == nil {
		if err := (connection{client: client}).call(c.Context(), http.MethodGet, "/control/status", nil, &r.Server); err != nil {
			return err
		}
		r.Running = true
	}
	if asJSON {
		return printJSON(p.stdout, r)
	}
	if !r.Running {
		say(p.stderr, "no server runs on %s", s.Data)
	}
	return r.print(p.stdout)
}

// fileSizes returns the sizes of svc's files and folders in a data directory. The size of a folder
// is the total size of its files.
func fileSizes(dir string) ([]fileSize, error) {
	sizes := []fileSize{}
	for _, name := range []string{datadir.Database, datadir.Events, datadir.Index, datadir.Files, datadir.Backups} {
		bytes, err := bytesBelow(filepath.Join(dir, name))
		switch {
		case err == nil:
			sizes = append(sizes, fileSize{name, bytes})
		case !errors.Is(err, os.ErrNotExist):
			return nil, err
		}
	}
	return sizes, nil
}

// bytesBelow returns the size of a file, or the total size of all files in a folder.
func bytesBelow(root string) (bytes int64, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil && !entry.IsDir() {
			if info, err = entry.Info(); err == nil {
				bytes += info.Size()
			}
		}
		if path != root && errors.Is(err, os.ErrNotExist) { // the index may rename its files at any time
			return nil
		}
		return err
	})
	return bytes, err
}

func (r *statusReport) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(name, format string, args ...any) {
		_, _ = fmt.Fprintf(w, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	if s := r.Server; s != nil {
		line("server", "svc %s, pid %d, since %s", s.Version, s.PID, time.Unix(s.StartedAt, 0).Format(time.DateTime))
		line("answers on", "%s", strings.Join(s.Addresses, ", "))
		line("ready", "%s", cmp.Or(strings.Join(s.Problems, "; "), "yes"))
		line("requests", "%d, now %d; %d succeeded, %d were refused, %d failed", s.Requests.Total, s.Requests.InFlight,
			s.Requests.ByClass["2xx"]+s.Requests.ByClass["3xx"], s.Requests.ByClass["4xx"], s.Requests.ByClass["5xx"])
		line("commits", "%d to svc.db, %d to events.db; %d failed", s.Store.Commits, s.Events.Commits, s.Store.Failures+s.Events.Failures)
		line("records", "%d feedback, %d logs stored", s.Store.Feedback, s.Store.Logs)
		line("events", "%d stored in %d batches, %.1f a second in the last minute", s.Events.Stored, s.Events.Batches, s.Events.PerSecond)
		line("", "%d in memory (%s), %d blocks of %d hours", s.Events.HeadEvents, doctor.Size(int64(s.Events.HeadBytes)), s.Events.Blocks,
			s.Events.Hours)
		line("waiting", "%d submissions, %d batches of events", s.Store.Waiting, s.Events.Waiting)
		line("search", "%s", searchText(s.Search))
		line("memory", "%s held, %s in use; %d goroutines", doctor.Size(int64(s.Memory.TotalBytes)), doctor.Size(int64(s.Memory.HeapBytes)),
			s.Memory.Goroutines)
		if s.Backup != nil {
			line("backup", "%s", backupText(*s.Backup))
		}
		if s.Replication != nil {
			line("replication", "%s", replicationText(s.Replication))
		}
		for _, j := range s.Jobs {
			line("job "+j.Name, "%s", jobText(j))
		}
	}
	for _, f := range r.Files {
		line(f.Name, "%s", doctor.Size(f.Bytes))
	}
	return w.Flush()
}

func backupText(b apicontrol.BackupStatus) string {
	text := "there is none"
	if b.LastAt > 0 {
		text = "the newest is of " + time.Unix(b.LastAt, 0).Format(time.DateTime) + ", " + doctor.Size(b.Bytes)
	}
	if b.Failure != "" {
		text += "; the last attempt failed: " + b.Failure
	}
	return text
}

// replicationText describes the state of a primary or a standby in one line.
func replicationText(r *replica.Status) string {
	text := fmt.Sprintf("%s of epoch %d, ", r.Role, r.Epoch)
	if r.Target != "" { // otherwise no server is running
		text = fmt.Sprintf("%s of epoch %d at %s, ", r.Role, r.Epoch, r.Target)
	}
	switch {
	case r.Fenced:
		text += "fenced: another server has become the primary"
	case r.Role == replica.RoleStandby:
		text += fmt.Sprintf("%.0f seconds behind the primary", r.LagSeconds)
	case r.LagSeconds > 0:
		text += fmt.Sprintf("%s wait, the oldest change for %.1f seconds", doctor.Size(r.LagBytes), r.LagSeconds)
	case r.Target == "" && r.Position > r.Shipped:
		text += "changes wait for the next start"
	default:
		text += "everything is there"
	}
	if r.FailingSince > 0 {
		text += "; it has failed since " + time.Unix(r.FailingSince, 0).Format(time.DateTime) + ": " + r.Failure
	}
	return text
}

// differenceText describes which part of its history only a fenced primary has.
func differenceText(r *replica.Status) string {
	switch {
	case r.DiffersAfter == nil:
		return "it is not known yet from which position it differs from the new primary"
	case r.Position <= *r.DiffersAfter:
		return "the new primary has everything that is here"
	}
	return fmt.Sprintf("it differs from the new primary from position %d on", *r.DiffersAfter+1)
}

func searchText(s apicontrol.SearchStatus) string {
	switch {
	case s.Failure != "":
		return fmt.Sprintf("%d changes behind: %s", s.Lag, s.Failure)
	case !s.Ready:
		return "there is no index yet"
	}
	return fmt.Sprintf("%d changes behind", s.Lag)
}

// logStatus writes the state of a server to its log.
func logStatus(log *slog.Logger, s *apicontrol.Status) {
	log.Info("state",
		"ready", s.Ready, "problems", s.Problems, "uptime_seconds", s.UptimeSeconds,
		"requests", s.Requests.Total, "in_flight", s.Requests.InFlight, "failed", s.Requests.ByClass["5xx"],
		"commits", s.Store.Commits, "waiting_submissions", s.Store.Waiting,
		"events", s.Events.Stored, "events_per_second", s.Events.PerSecond, "waiting_batches", s.Events.Waiting, "head_events",
		s.Events.HeadEvents,
		"search_lag", s.Search.Lag, "heap_bytes", s.Memory.HeapBytes, "goroutines", s.Memory.Goroutines)
}
