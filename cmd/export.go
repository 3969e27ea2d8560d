package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/transfer"
)

// exportOptions are the flags of "svc export".
type exportOptions struct {
	project string
	files   bool
	force   bool
	json    bool
}

func (p *program) exportCommand() *cobra.Command {
	var o exportOptions
	c := &cobra.Command{
		Use:   "export --project KEY FILE",
		Short: "Export a project to a portable file",
		Long: `Write a consistent snapshot of everything in a project to FILE, or to the standard
output if FILE is "-". The archive is a zip file of JSON lines and of the project's
files, also those on remote storage. "svc import" creates a project from it, on this
server or another; docs/moving.md describes the format for other programs.

API keys belong to the installation and are not exported. To save the whole
installation, use "svc backup".`,
		Example: "  svc export --data ./data --project my-app my-app.zip\n" +
			"  svc export --data ./data --project my-app - | ssh other svc import --data ./data -",
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return p.export(c, args[0], o) },
	}
	addData(c, &o.json)
	c.Flags().StringVar(&o.project, "project", "", "key or alias of the project")
	c.Flags().BoolVar(&o.files, "files", true, "include the contents of files; --files=false lists them only")
	c.Flags().BoolVar(&o.force, "force", false, "overwrite FILE if it exists")
	_ = c.MarkFlagRequired("project") // fails only for an unknown flag
	return c
}

// exportSummary is the output of "svc export --json".
type exportSummary struct {
	File    string  `json:"file"`
	Bytes   int64   `json:"bytes"`
	Seconds float64 `json:"seconds"`
	transfer.Manifest
	Contents exportedContents `json:"contents"`
}

// exportedContents counts the contents of files that an archive contains and those that are missing
// from it.
type exportedContents struct {
	Files   int64    `json:"files"`   // files with their content
	Bytes   int64    `json:"bytes"`   // total size of these contents
	Omitted int64    `json:"omitted"` // files whose content could not be read or was not available
	Which   []string `json:"which"`   // ids of the first omitted files
}

func (p *program) export(c *cobra.Command, file string, o exportOptions) error {
	return p.withConnection(c, func(to connection) error {
		begin := time.Now()
		summary := exportSummary{File: file}
		err := p.writeArchive(file, o.force, func(w io.Writer) (err error) {
			counted := &progress{to: w, say: p.progressLine("received"), told: begin}
			err = to.download(c.Context(), o, counted, &summary)
			summary.Bytes = counted.bytes
			return err
		})
		if c.Context().Err() != nil {
			return c.Context().Err()
		}
		if err != nil {
			return err
		}
		summary.Seconds = time.Since(begin).Seconds()
		if omitted := summary.Contents; omitted.Omitted > 0 {
			more := ""
			if omitted.Omitted > int64(len(omitted.Which)) {
				more = " …"
			}
			say(p.stderr, "warning: %d files are in the archive without their content, see files.jsonl for the reasons: %s%s", omitted.Omitted,
				strings.Join(omitted.Which, ", "), more)
		}
		switch {
		case !o.json:
			p.tellExport(summary)
			return nil
		case file == "-":
			return printJSON(p.stderr, summary)
		}
		return printJSON(p.stdout, summary)
	})
}

func (p *program) tellExport(s exportSummary) {
	where, records := s.File, int64(0)
	if where == "-" {
		where = "the standard output"
	}
	for _, f := range s.Files {
		records += f.Records
	}
	contents := ""
	if s.Contents.Files > 0 {
		contents = fmt.Sprintf(" and %d contents of files", s.Contents.Files)
	}
	say(p.stderr, "project %s is in %s: %d records in %d files%s, %s, in %.1f s", s.ProjectKey, where, records, len(s.Files), contents,
		mebibytes(s.Bytes), s.Seconds)
}

// download requests the archive of a project, writes it to w, and stores the manifest and the file
// counts in summary. It returns an error if the archive is incomplete.
func (to connection) download(ctx context.Context, o exportOptions, w io.Writer, summary *exportSummary) error {
	response, err := to.open(ctx, http.MethodGet, "/control/export/"+url.PathEscape(o.project)+"?files="+strconv.FormatBool(o.files), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(w, response.Body); err != nil {
		return fmt.Errorf("the export was interrupted: %w", err)
	}
	if text := response.Trailer.Get("Svc-Error"); text != "" {
		return fmt.Errorf("the export was interrupted: %s", text)
	}
	err = errors.Join(
		json.Unmarshal([]byte(response.Trailer.Get("Svc-Manifest")), &summary.Manifest),
		json.Unmarshal([]byte(response.Trailer.Get("Svc-Contents")), &summary.Contents),
	)
	if err != nil {
		return errors.New("the export was interrupted: its end is missing")
	}
	return nil
}
