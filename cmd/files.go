package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/platform"
)

func (p *program) filesCommand() *cobra.Command {
	return group("files", "Manage the files of a project", p.filesUpload(), p.filesList(), p.filesRemove(), p.filesAdopt())
}

// remote holds the flags that select a server by its URL instead of by its data directory.
type remote struct {
	url, key string
}

// addRemote adds the flags --url, --key and --json, and the flags that select the data directory,
// to a command.
func addRemote(c *cobra.Command, r *remote, asJSON *bool) {
	addData(c, asJSON)
	c.Flags().StringVar(&r.url, "url", os.Getenv("SVC_URL"),
		"address of a running server (SVC_URL); default: the server of the data directory")
	c.Flags().StringVar(&r.key, "key", "", "API key for --url; SVC_KEY keeps it out of the process list")
	c.Flags().Lookup("url").DefValue = ""
}

// withServer calls the function work with a connection to the server in --url. Without that flag,
// it calls work with a connection for the data directory that the flags of c select.
func (p *program) withServer(c *cobra.Command, r remote, work func(connection) error) error {
	if r.url == "" {
		return p.withConnection(c, work)
	}
	base, err := serverAddress(r.url)
	if err != nil {
		return err
	}
	key := cmp.Or(r.key, os.Getenv("SVC_KEY"))
	if key == "" {
		return withCode(exitUsage, errors.New("--url needs an API key: set SVC_KEY"))
	}
	client := &http.Client{
		// Do not follow redirects, which could send the API key to another host.
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the server redirects; give the address that it redirects to")
		},
	}
	defer client.CloseIdleConnections()
	return work(connection{client: client, base: base, key: key})
}

// serverAddress parses the address that a user has given and returns the base URL of the server.
// The user can give the address of the site or the address of the API.
func serverAddress(text string) (string, error) {
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return "", withCode(exitUsage, fmt.Errorf("--url must be an address such as https://svc.example.org"))
	}
	return strings.TrimSuffix(strings.TrimRight(u.String(), "/"), "/api/v1"), nil
}

// fileAnswer is the server's JSON form of a file.
type fileAnswer struct {
	ID           string   `json:"id"`
	Filename     string   `json:"filename"`
	Size         int64    `json:"size"`
	SHA256       *string  `json:"sha256"`
	Status       string   `json:"status"`
	Error        *string  `json:"error"`
	Path         string   `json:"path"`
	URL          *string  `json:"url"`
	Storage      string   `json:"storage_backend_name"`
	ReferencedBy []string `json:"referenced_by"`
	CreatedAt    int64    `json:"created_at"`
}

// link returns the direct link to the file. If the server has no distribution address, the link
// begins with the parameter site, a base URL. If that is "" too, link returns "".
func (f *fileAnswer) link(site string) string {
	switch {
	case f.URL != nil:
		return *f.URL
	case site != "":
		return site + f.Path
	}
	return ""
}

func projectFiles(project string) string {
	return "/api/v1/admin/projects/" + url.PathEscape(project) + "/files"
}

// filesOptions are the flags of "svc files upload".
type filesOptions struct {
	remote
	project, storage, version, platform string
	json                                bool
}

func (p *program) filesUpload() *cobra.Command {
	var o filesOptions
	c := &cobra.Command{
		Use:   "upload --project KEY FILE…",
		Short: "Upload files and print their links",
		Long: `Upload files in chunks and print the direct link of each one, which never changes. An
interrupted upload is resumed if the command is repeated within a day.

With --version, the links are added to that version, which is created if it does not
exist: one command publishes a release with its files. A link to a file of
the same name in that version is replaced.

Without --url, the files are sent to the server of the data directory, or stored in it
if no server is running. The API key needs the scope files:write, and versions:write for
--version.`,
		Example: "  svc files upload --project my-app --version 2.1.0 dist/*\n" +
			"  SVC_KEY=… svc files upload --url https://svc.example.org --project my-app app.zip",
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return p.uploadFiles(c, args, o) },
	}
	addRemote(c, &o.remote, &o.json)
	c.Flags().StringVar(&o.project, "project", "", "key or alias of the project")
	c.Flags().StringVar(&o.storage, "storage", "", "id of the storage (default: that of the project)")
	c.Flags().StringVar(&o.version, "version", "", "version to which links to the files are added")
	c.Flags().StringVar(&o.platform, "platform", "", "with --version: platform of the links, such as "+string(platform.All[0]))
	_ = c.MarkFlagRequired("project") // fails only for an unknown flag
	return c
}

func (p *program) uploadFiles(c *cobra.Command, names []string, o filesOptions) error {
	if o.platform != "" && o.version == "" {
		return withCode(exitUsage, errors.New("--platform needs --version"))
	}
	// Check all names before the first byte is sent.
	for _, name := range names {
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a file", name)
		case info.Size() == 0:
			return fmt.Errorf("%s is empty", name)
		}
	}
	return p.withServer(c, o.remote, func(to connection) error {
		site, err := p.site(c, to)
		if err != nil {
			return err
		}
		if o.version != "" && site == "" {
			if err := to.needLinks(c.Context()); err != nil {
				return err
			}
		}
		u := &uploader{connection: to, project: o.project, storage: o.storage, bar: p.newBar()}
		var done []*fileAnswer
		for _, name := range names {
			f, err := u.upload(c.Context(), name)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if !o.json {
				_, _ = fmt.Fprintln(p.stdout, cmp.Or(f.link(site), f.Path))
			}
			done = append(done, f)
		}
		if o.version != "" {
			if err := to.publish(c.Context(), o, site, done); err != nil {
				return fmt.Errorf("the files are uploaded, but version %s does not link to them: %w", o.version, err)
			}
		}
		if o.json {
			return printJSON(p.stdout, done)
		}
		return nil
	})
}

// site returns the base URL of direct links for a server without a distribution address. It is the
// address in --url, or else the site URL in the settings, which may be "".
func (p *program) site(c *cobra.Command, to connection) (string, error) {
	if to.base != "" {
		return to.base, nil
	}
	s, err := p.load(c)
	if err != nil {
		return "", err
	}
	return s.SiteURL, nil
}

// needLinks returns an error if the server cannot build absolute URLs for files. The links of a
// version must be absolute.
func (to connection) needLinks(ctx context.Context) error {
	var overview struct {
		Base *string `json:"dist_base_url"`
	}
	if err := to.call(ctx, http.MethodGet, "/api/v1/admin/storage", nil, &overview); err != nil {
		return err
	}
	if overview.Base == nil {
		return errors.New("the links of a version need the address of the server: set site_url (SVC_SITE_URL) or dist.base_url " +
			"(SVC_DIST_BASE_URL), or use --url")
	}
	return nil
}

// versionLink is a download link of a version.
type versionLink struct {
	URL      string `json:"url"`
	Name     string `json:"name,omitempty"`
	Platform string `json:"platform,omitempty"`
}

// publish adds download links for the given files to a version. It creates the version if it does
// not exist, and replaces an existing link with the same name. The parameter site is the base URL
// of the links if the server has no distribution address.
func (to connection) publish(ctx context.Context, o filesOptions, site string, list []*fileAnswer) error {
	links, err := to.versionLinks(ctx, o.project, o.version)
	if err != nil {
		return err
	}
	for _, f := range list {
		link := versionLink{URL: f.link(site), Name: f.Filename, Platform: o.platform}
		at := len(links)
		for i, known := range links {
			if known.Name == link.Name {
				at = i
			}
		}
		if at == len(links) {
			links = append(links, link)
			continue
		}
		link.Platform = cmp.Or(link.Platform, links[at].Platform)
		links[at] = link
	}
	return to.call(ctx, http.MethodPut, "/api/v1/admin/projects/"+url.PathEscape(o.project)+"/versions/by-version/"+url.PathEscape(o.version),
		map[string]any{"download_links": links}, nil)
}

// versionLinks returns the download links of a version, or nil if the version does not exist.
func (to connection) versionLinks(ctx context.Context, project, version string) ([]versionLink, error) {
	var found struct {
		Version string        `json:"version"`
		Links   []versionLink `json:"download_links"`
	}
	err := to.call(ctx, http.MethodGet, "/api/v1/public/"+url.PathEscape(project)+"/versions/by-version/"+url.PathEscape(version), nil, &found)
	if answer, ok := errors.AsType[*answerError](err); ok && answer.status == http.StatusNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if found.Version != strings.TrimSpace(version) { // the server may have found an equal version that is written differently
		return nil, nil
	}
	return found.Links, nil
}

func (p *program) filesList() *cobra.Command {
	var r remote
	var project, search string
	var asJSON bool
	c := &cobra.Command{
		Use:   "list --project KEY",
		Short: "List the files of a project, newest first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			return p.withServer(c, r, func(to connection) error {
				list, err := to.listFiles(c.Context(), project, search)
				if err != nil {
					return err
				}
				if asJSON {
					return printJSON(p.stdout, list)
				}
				site, err := p.site(c, to)
				if err != nil {
					return err
				}
				return p.printFiles(list, site)
			})
		},
	}
	addRemote(c, &r, &asJSON)
	c.Flags().StringVar(&project, "project", "", "key or alias of the project")
	c.Flags().StringVar(&search, "search", "", "only files with this text in the name, id or SHA-256")
	_ = c.MarkFlagRequired("project") // fails only for an unknown flag
	return c
}

// listFiles returns the files of a project that match the parameter search. It reads all pages of
// the list.
func (to connection) listFiles(ctx context.Context, project, search string) (list []fileAnswer, err error) {
	list = []fileAnswer{}
	for {
		query := url.Values{"limit": {"100"}, "offset": {fmt.Sprint(len(list))}, "search": {search}}
		var page struct {
			Total int          `json:"total"`
			Data  []fileAnswer `json:"data"`
		}
		if err := to.call(ctx, http.MethodGet, projectFiles(project)+"?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		list = append(list, page.Data...)
		if len(page.Data) == 0 || len(list) >= page.Total {
			return list, nil
		}
	}
}

func (p *program) printFiles(list []fileAnswer, site string) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "ID\tSTATUS\tSIZE\tUPLOADED\tSTORAGE\tVERSIONS\tLINK")
	for _, f := range list {
		status := f.Status
		if f.Error != nil {
			status += ": " + *f.Error
		}
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", f.ID, status, mebibytes(f.Size),
			time.Unix(f.CreatedAt, 0).Format("2006-01-02 15:04"), f.Storage, strings.Join(f.ReferencedBy, ","), cmp.Or(f.link(site), f.Path))
	}
	return w.Flush()
}

// removedFile describes a deleted file in the output of "svc files rm --json".
type removedFile struct {
	ID  string          `json:"id"`
	CDN json.RawMessage `json:"cdn_refresh"` // result of purging the CDN
}

func (p *program) filesRemove() *cobra.Command {
	var r remote
	var project string
	var asJSON bool
	c := &cobra.Command{
		Use:   "rm --project KEY ID…",
		Short: "Delete files; their links return 404 at once",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, ids []string) error {
			return p.withServer(c, r, func(to connection) error {
				var done []removedFile
				for _, id := range ids {
					answer := removedFile{ID: id}
					if err := to.call(c.Context(), http.MethodDelete, projectFiles(project)+"/"+url.PathEscape(id), nil, &answer); err != nil {
						return fmt.Errorf("%s: %w", id, err)
					}
					done = append(done, answer)
					if !asJSON {
						say(p.stderr, "file %s is deleted", id)
					}
				}
				if asJSON {
					return printJSON(p.stdout, done)
				}
				return nil
			})
		},
	}
	addRemote(c, &r, &asJSON)
	c.Flags().StringVar(&project, "project", "", "key or alias of the project")
	_ = c.MarkFlagRequired("project") // fails only for an unknown flag
	return c
}
