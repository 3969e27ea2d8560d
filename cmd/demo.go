package cmd

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/auth"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/demo"
	"svc/internal/durable"
	"svc/internal/instance"
	"svc/internal/notify"
	"svc/internal/seal"
	"svc/internal/setting"
	"svc/store"
)

// demoOptions are the flags of "svc demo" that "svc serve" does not have.
type demoOptions struct {
	seed    uint64
	until   string
	noServe bool
	json    bool
}

func (p *program) demoCommand() *cobra.Command {
	var o demoOptions
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run a server with sample data",
		Long: `Create three sample projects with 90 days of data up to now, and serve them:
releases, one of them bad and withdrawn, announcements, feedback, logs with an
incident, events, statistics, cards, keys and hooks, which are disabled. The address,
the user name and the password of the administrator are printed.

Without --data everything is in a temporary folder, which is deleted when the server
stops. With --data it is kept: the folder must be empty or missing, or made by this
command; an existing demo is served unchanged. Any other folder is rejected.

The same --seed produces the same data for the same day. The settings of "svc serve"
apply.`,
		Example: "  svc demo\n  svc demo --data ./demo --listen :4000\n  svc demo --data ./demo --no-serve && svc serve --data ./demo",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return p.demo(c, o) },
	}
	addSettings(c)
	data := c.Flags().Lookup("data")
	data.DefValue, data.Usage = "", "folder of the demo (default: a temporary one)"
	c.Flags().Uint64Var(&o.seed, "seed", 1, "seed of the sample data")
	c.Flags().StringVar(&o.until, "until", "", "end of the data, in the form 2006-01-02T15:04:05Z (default: now)")
	c.Flags().BoolVar(&o.noServe, "no-serve", false, "create the folder named by --data and exit")
	addJSON(c, &o.json)
	return c
}

// demoView is the output of "svc demo --json". It is a single line, which is written when the
// server accepts requests or, with --no-serve, when the data has been created.
type demoView struct {
	URL      string   `json:"url,omitempty"`
	User     string   `json:"user,omitempty"`
	Password string   `json:"password,omitempty"` // "" if the generated password is no longer known, because it has been used
	Data     string   `json:"data"`
	Projects []string `json:"projects"`
	Seconds  float64  `json:"seconds"` // time taken to make the data; 0 if it existed
}

// demo creates the demo data unless it already exists, then serves it.
func (p *program) demo(c *cobra.Command, o demoOptions) (err error) {
	until := time.Now()
	if o.until != "" {
		if until, err = time.Parse(time.RFC3339, o.until); err != nil || until.After(time.Now()) {
			return withCode(exitUsage, fmt.Errorf("--until must be a time in the form 2006-01-02T15:04:05Z, not in the future, not %q", o.until))
		}
	}
	temporary, err := temporaryData(c, o.noServe)
	if err != nil {
		return err
	}
	if temporary != "" {
		defer func() { err = errors.Join(err, os.RemoveAll(temporary)) }()
	}
	s, err := p.load(c)
	if err != nil {
		return err
	}
	view := demoView{Data: absolute(s.Data), Projects: demo.Keys()}
	begin := time.Now()
	made, err := p.makeDemo(c.Context(), s, demo.Config{Seed: o.seed, Now: until, BaseURL: demoLinks(s), Program: "svc " + version})
	if err != nil {
		return err
	}
	if made {
		view.Seconds = time.Since(begin).Seconds()
	}
	if o.noServe {
		if o.json {
			return json.NewEncoder(p.stdout).Encode(view)
		}
		say(p.stderr, "%s has a demo; serve it with: %s serve --data %s", view.Data, self, quoted(view.Data))
		return nil
	}
	tell := func(r startReport) {
		if !isTerminal(p.stderr) { // write log lines, like "svc serve" does
			p.announce(r)
		}
		view.URL, view.User, view.Password = r.public.URLs[0], "admin", r.knownPassword()
		if o.json {
			_ = json.NewEncoder(p.stdout).Encode(view) // an error has no consequences, as for a log line
			return
		}
		p.tellDemo(view, temporary != "")
	}
	return p.serve(c.Context(), s, func() (*setting.Settings, error) { return p.load(c) }, tell)
}

// temporaryData creates a temporary folder and sets --data to its path. If the user has chosen a
// data directory, it does nothing and returns "".
func temporaryData(c *cobra.Command, keep bool) (dir string, err error) {
	if c.Flags().Changed("data") || os.Getenv("SVC_DATA") != "" {
		return "", nil
	}
	if keep {
		return "", withCode(exitUsage, errors.New("--no-serve needs a folder: name it with --data"))
	}
	if dir, err = os.MkdirTemp("", "svc-demo-"); err != nil {
		return "", err
	}
	return dir, c.Flags().Set("data", dir)
}

// tellDemo prints how to sign in. Even if the output is not a terminal, it prints the password,
// because demo data is not secret.
func (p *program) tellDemo(v demoView, temporary bool) {
	password := v.Password
	if password == "" {
		password = "the password that you used before, or: " + self + " admin reset-password --data " + quoted(v.Data)
	}
	end := "Ctrl C ends it"
	if temporary {
		end += " and deletes the data"
	}
	_, _ = fmt.Fprintf(p.stdout, "  demo     %s\n  console  %s/admin\n  login    admin / %s\n  data     %s\n  stop     %s\n",
		strings.Join(v.Projects, ", "), v.URL, password, v.Data, end)
}

// knownPassword returns the administrator's password if this process has set it or the bootstrap
// file contains it. Otherwise it returns "".
func (r startReport) knownPassword() string {
	if r.newAdmin && r.password == "" {
		return r.settings.AdminPassword
	}
	if r.password != "" {
		return r.password
	}
	raw, err := os.ReadFile(bootstrapFile(r.settings))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		if text, ok := strings.CutPrefix(line, "password: "); ok {
			return strings.TrimSpace(text)
		}
	}
	return ""
}

// demoLinks returns the base URL of links to files. It is the distribution address, else the site
// address, else the address at which the server will listen. If the server's listen address has
// port 0, the default listen address is used instead.
func demoLinks(s *setting.Settings) string {
	if base := cmp.Or(s.DistBaseURL, s.SiteURL); base != "" {
		return strings.TrimSuffix(base, "/")
	}
	host, port, err := net.SplitHostPort(s.Listen)
	if err != nil || port == "0" {
		return "http://" + setting.DefaultListen
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// demoMark is the content of the file that marks a data directory as demo data.
type demoMark struct {
	Seed    uint64 `json:"seed"`
	Until   int64  `json:"until"` // Unix seconds
	Version string `json:"version"`
}

// makeDemo creates demo data in the data directory. If the directory already contains demo data, it
// does nothing. If the directory has other content, it returns an error. After a failure, it
// removes the incomplete data.
func (p *program) makeDemo(ctx context.Context, s *setting.Settings, c demo.Config) (made bool, err error) {
	if instance.Has(s.Data, datadir.Demo) {
		return false, nil
	}
	list, err := os.ReadDir(s.Data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if len(list) > 0 {
		return false, withCode(exitUsage,
			fmt.Errorf("%s contains data other than a demo, such as %s\nname an empty folder with --data", s.Data, list[0].Name()))
	}
	privateFiles()
	missing, err := instance.MakeFolder(s.Data)
	if err != nil {
		return false, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, emptyFolder(s.Data, missing))
		}
	}()
	i, err := lockAndOpen(ctx, s, nil, nil, nil, commandLog(p.stderr))
	if err != nil {
		return false, err
	}
	if err := errors.Join(p.fillDemo(ctx, i, s, c), i.Close()); err != nil {
		return false, err
	}
	mark, err := json.Marshal(demoMark{c.Seed, c.Now.Unix(), version})
	if err != nil {
		return false, err
	}
	return true, durable.WriteFile(filepath.Join(s.Data, datadir.Demo), append(mark, '\n'), 0o600)
}

// emptyFolder removes the content of a folder. If whole is true, it also removes the folder.
func emptyFolder(dir string, whole bool) error {
	if whole {
		return os.RemoveAll(dir)
	}
	list, err := os.ReadDir(dir)
	for _, entry := range list {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
	}
	return err
}

// fillDemo generates and imports all projects concurrently, then adds the API keys and the hooks.
func (p *program) fillDemo(ctx context.Context, i *service, s *setting.Settings, c demo.Config) error {
	to := connection{client: control.InProcess(i.handler)}
	keys := demo.Keys()
	errs := make([]error, len(keys))
	progress := p.newDemoProgress(len(keys))
	var work sync.WaitGroup
	for at, key := range keys {
		work.Go(func() { errs[at] = importDemo(ctx, to, c, key, func(a *importAnswer) { progress.tell(at, a) }) })
	}
	work.Wait()
	progress.end()
	if err := cmp.Or(ctx.Err(), errors.Join(errs...)); err != nil {
		return err
	}
	return errors.Join(
		addDemoKeys(i.Store, []byte(s.APIKeySalt), demo.APIKeys(c)),
		addDemoHooks(i.Store, seal.NewKeys([]byte(s.JWTSecret)), demo.Hooks()),
	)
}

// importDemo generates a project and imports it.
func importDemo(ctx context.Context, to connection, c demo.Config, key string, tell func(*importAnswer)) error {
	var archive bytes.Buffer
	if err := demo.Write(&archive, c, key); err != nil {
		return err
	}
	response, err := to.open(ctx, http.MethodPost, "/control/import", &archive)
	if err != nil {
		return err
	}
	_, err = followImport(response.Body, tell)
	return errors.Join(err, response.Body.Close())
}

// addDemoKeys stores API keys, which only serve as examples. They cannot be used, because their
// digests are random.
func addDemoKeys(db *store.Store, salt []byte, list []demo.Key) error {
	return db.Update(func(tx *store.Tx) error {
		for _, k := range list {
			key := store.APIKey{
				ID: k.ID, Name: k.Name, Scopes: k.Scopes, AllProjects: len(k.Projects) == 0, Salt: auth.SaltMark(salt),
				ExpiresAt: unlessZero(k.Expires), RevokedAt: unlessZero(k.Revoked), LastUsedAt: unlessZero(k.Used),
			}
			rand.Read(key.Digest[:]) // never fails, see crypto/rand
			for _, name := range k.Projects {
				project, err := tx.Project(name)
				if err != nil {
					return err
				}
				key.Projects = append(key.Projects, project.ID)
			}
			if err := tx.PutAPIKey(&key); err != nil {
				return err
			}
		}
		return nil
	})
}

// addDemoHooks stores hooks. They are disabled, so that the demo sends nothing.
func addDemoHooks(db *store.Store, keys *seal.Keys, list []demo.Hook) error {
	return db.Update(func(tx *store.Tx) error {
		for _, h := range list {
			project, err := tx.Project(h.Project)
			if err != nil {
				return err
			}
			hook := store.Hook{Name: h.Name, Kind: h.Kind, URL: h.URL, Events: h.Events}
			if h.Kind == notify.Webhook {
				hook.Secret, hook.SecretUpdatedAt = keys.Seal(seal.HookSecret, notify.NewSecret()), tx.Now().Unix()
			}
			if err := tx.PutHook(project.ID, &hook); err != nil {
				return err
			}
		}
		return nil
	})
}

func unlessZero(at int64) *int64 {
	if at == 0 {
		return nil
	}
	return &at
}
