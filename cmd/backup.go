package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	apicontrol "svc/api/control"
	"svc/internal/backup"
	"svc/internal/doctor"
	"svc/internal/durable"
	"svc/internal/jobs"
	"svc/internal/setting"
)

// backupOptions are the flags of "svc backup".
type backupOptions struct {
	recipients  []string
	files       bool
	force, json bool
}

func (p *program) backupCommand() *cobra.Command {
	var o backupOptions
	c := &cobra.Command{
		Use:   "backup FILE|-",
		Short: "Back up everything to one file",
		Long: `Write one archive with a consistent copy of both databases, the secrets, the
configuration and local files. The server keeps running. FILE is either complete or
absent; - writes the archive to the standard output.

The archive contains the secrets of the server: keep it private. --recipient
encrypts it with age for the holder of that key.`,
		Example: "  svc backup /mnt/nas/svc.tar.zst --data ./data\n" +
			"  svc backup - --data ./data --recipient age1… | ssh nas 'cat > svc.tar.zst.age'\n" +
			"  docker exec svc /svc backup - > svc.tar.zst",
		Args: cobra.ExactArgs(1),
		RunE: p.connected(func(c *cobra.Command, args []string, to connection) error {
			return p.backup(c.Context(), to, args[0], o)
		}),
	}
	addData(c, &o.json)
	c.Flags().StringArrayVar(&o.recipients, "recipient", nil, "age public key to encrypt the archive for; repeatable")
	c.Flags().BoolVar(&o.files, "files", true, "include local files; --files=false backs up databases, secrets and configuration only")
	c.Flags().BoolVar(&o.force, "force", false, "overwrite FILE if it exists")
	c.AddCommand(p.backupVerifyCommand())
	return c
}

// backupReport is the JSON output of "svc backup".
type backupReport struct {
	File string `json:"file"` // "-" for the standard output
	Size int64  `json:"size"` // size of the archive in bytes
	apicontrol.BackupResult
	Encrypted bool    `json:"encrypted"`
	Seconds   float64 `json:"seconds"`
}

func (p *program) backup(ctx context.Context, to connection, file string, o backupOptions) error {
	begun := time.Now()
	r := backupReport{File: file, Encrypted: len(o.recipients) > 0}
	fetch := func(w io.Writer) (err error) {
		r.BackupResult, err = p.fetchBackup(ctx, to, w, &r.Size, backup.Options{Recipients: o.recipients, Files: o.files})
		return err
	}
	if err := p.writeArchive(file, o.force, fetch); err != nil {
		return err
	}
	r.Seconds = time.Since(begun).Seconds()
	if o.json {
		if file == "-" {
			return printJSON(p.stderr, r)
		}
		return printJSON(p.stdout, r)
	}
	p.reportBackup(r)
	return nil
}

// writeArchive creates a file and calls the function write with a writer that writes to this file.
// For the name "-", it passes the standard output. If write fails, the file is neither created nor
// changed.
func (p *program) writeArchive(file string, force bool, write func(io.Writer) error) error {
	if file == "-" {
		if isTerminal(p.stdout) {
			return withCode(exitUsage, errors.New("the standard output is a terminal\nredirect it to a file or a program, or name a FILE"))
		}
		return write(p.stdout)
	}
	info, err := os.Lstat(file)
	switch {
	case err == nil && info.IsDir():
		return withCode(exitUsage, fmt.Errorf("%s is a directory\nname a file in it", file))
	case err == nil && !info.Mode().IsRegular():
		return withCode(exitUsage, fmt.Errorf("%s is not a regular file\nname another file, or - for the standard output", file))
	case err == nil && !force:
		return withCode(exitUsage, fmt.Errorf("%s already exists\nname another file, or use --force to overwrite it", file))
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return durable.Write(file, 0o600, write)
}

// fetchBackup requests a backup archive from the server and writes it to w as it arrives. It sets
// *size to the number of bytes written, even if it fails.
func (p *program) fetchBackup(
	ctx context.Context, to connection, w io.Writer, size *int64, o backup.Options,
) (result apicontrol.BackupResult, err error) {
	response, err := to.open(ctx, http.MethodPost, "/control/backup", o)
	if err != nil {
		return result, err
	}
	defer response.Body.Close()
	out := &progress{to: w, say: p.progressLine("written"), told: time.Now()}
	defer func() { *size = out.bytes }()
	if _, err := io.CopyBuffer(out, response.Body, make([]byte, 256<<10)); err != nil {
		return result, fmt.Errorf("the backup was interrupted after %s: %w", doctor.Size(out.bytes), err)
	}
	if err := json.Unmarshal([]byte(response.Trailer.Get(apicontrol.BackupTrailer)), &result); err != nil {
		return result, fmt.Errorf("the backup was interrupted after %s", doctor.Size(out.bytes))
	}
	if result.Error != "" {
		return result, fmt.Errorf("the backup was interrupted after %s: %s", doctor.Size(out.bytes), result.Error)
	}
	return result, nil
}

func (p *program) reportBackup(r backupReport) {
	name := r.File
	if name == "-" {
		name = "the archive"
	}
	sealed := "it holds the secrets of the server: keep it private"
	if r.Encrypted {
		sealed = "encrypted; only the identity of a recipient opens it"
	}
	say(p.stderr, "%s contains all data of %s: %d files of %s in %s, after %.1f s; %s",
		name, r.CreatedAt.Local().Format(time.DateTime), r.Members, doctor.Size(r.Bytes), doctor.Size(r.Size), r.Seconds, sealed)
	if !r.Files {
		say(p.stderr, "note: local files are not in it")
	}
	p.noteElsewhere(r.SecretsElsewhere)
}

// noteElsewhere prints the names of the environment variables that hold secrets. The archive does
// not contain these secrets, so the user must keep them elsewhere.
func (p *program) noteElsewhere(variables []string) {
	if len(variables) > 0 {
		say(p.stderr, "note: %s was given to the server and is not in the archive; keep it, the data needs it", strings.Join(variables, ", "))
	}
}

// schedule returns the backup schedule that the settings specify, or an error if a recipient key is
// invalid.
func schedule(s *setting.Settings) (jobs.Schedule, error) {
	if _, err := backup.ParseRecipients(s.BackupRecipient); err != nil {
		return jobs.Schedule{}, setting.Errors{fmt.Errorf("%s: %w", s.Value("backup.recipient").Name, err)}
	}
	return jobs.Schedule{Every: s.BackupEvery, Keep: s.BackupKeep, Dir: s.BackupDir, Recipients: s.BackupRecipient}, nil
}
