package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/api/web"
	"svc/internal/auth"
	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/fault"
	"svc/internal/instance"
	"svc/internal/replica"
	"svc/internal/setting"
)

// textFlag is the value of a flag that keeps its text unparsed. Package setting parses the text
// later, together with the other sources of settings.
type textFlag struct{ text, kind string }

func (f *textFlag) String() string { return f.text }
func (f *textFlag) Type() string   { return f.kind }

func (f *textFlag) Set(text string) error {
	f.text = text
	return nil
}

// addSettings adds the flags of all settings to a command.
func addSettings(c *cobra.Command) {
	for _, d := range setting.Definitions() {
		addSetting(c.Flags(), d)
	}
	c.SetUsageFunc(settingsUsage)
}

// addData adds the flag --json and the flags that select the data directory. It also adds the flags
// that determine how the data is opened when no server is running, and hides them from the help.
func addData(c *cobra.Command, asJSON *bool) {
	addFolder(c, asJSON)
	for _, d := range setting.Definitions() {
		if d.Offline {
			addSetting(c.Flags(), d)
			c.Flags().Lookup(d.Flag()).Hidden = true
		}
	}
}

// addFolder adds the flag --json and the flags that select the data directory to a command that
// never opens the data.
func addFolder(c *cobra.Command, asJSON *bool) {
	for _, d := range setting.Definitions() {
		if d.NotInFile {
			addSetting(c.Flags(), d)
		}
	}
	addJSON(c, asJSON)
}

func addSetting(flags *pflag.FlagSet, d setting.Definition) {
	usage := strings.TrimSuffix(d.Help, ".") + " ($" + d.Variable + ")"
	if d.Unset != "" {
		usage += " (default: " + d.Unset + ")"
	}
	flags.Var(&textFlag{d.Default, d.Kind}, d.Flag(), usage)
}

// warn prints the warnings of the settings.
func (p *program) warn(s *setting.Settings) {
	for _, warning := range s.Warnings {
		say(p.stderr, "warning: %s", warning)
	}
}

// load reads the settings from the flags of a command, the environment and the configuration file.
// The caller must print the warnings.
func (p *program) load(c *cobra.Command) (*setting.Settings, error) {
	s, err := loadShown(c)
	if errors.Is(err, fs.ErrPermission) {
		// If the folder belongs to another user, saying so is more helpful than naming a file in
		// it.
		if owner, ok := errors.AsType[*control.OwnerError](instance.CheckFolder(s.Data)); ok {
			return nil, owner
		}
	}
	if err != nil {
		return nil, err
	}
	return s, settleLife(s)
}

// loadShown reads the settings like load. If it returns an error, it also returns incomplete
// settings, which are only good for display.
func loadShown(c *cobra.Command) (*setting.Settings, error) {
	return setting.Load(setting.Sources{
		Flag: func(name string) (string, bool) {
			f := c.Flags().Lookup(name)
			if f == nil || !f.Changed {
				return "", false
			}
			return f.Value.String(), true
		},
		Env:      os.LookupEnv,
		ReadFile: os.ReadFile,
	})
}

// settleLife replaces an invalid token lifetime with the default. An invalid token lifetime, unlike
// other invalid settings, does not prevent a start, because clients rely on this behaviour.
func settleLife(s *setting.Settings) error {
	v := s.Value("jwt_expires_in")
	if _, ok := auth.ParseLife(strings.TrimSpace(s.JWTExpiresIn)); ok {
		return nil
	}
	s.Warnings = append(s.Warnings, v.Name+" must be a number of seconds or a number with s, m, h or d; "+v.Default+" is used instead")
	return s.Put(v.Key, v.Default, setting.FromDefault, "")
}

// answerLimit is the maximum time that a command waits for the response to a request.
const answerLimit = 30 * time.Second

// connection sends a command's requests to the running server or, if there is none, to a handler in
// this process. Commands need not distinguish the two cases.
type connection struct {
	client *http.Client
	base   string // prefix of all paths; control.BaseURL when empty
	key    string // an API key, if the client alone does not authenticate the caller
}

// connected returns a command function that calls the function work with a connection.
func (p *program) connected(work func(c *cobra.Command, args []string, to connection) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return p.withConnection(c, func(to connection) error { return work(c, args, to) })
	}
}

// withConnection calls the function work with a connection for the data directory that the flags of
// c select.
func (p *program) withConnection(c *cobra.Command, work func(connection) error) error {
	s, lock, server, err := p.findOrLock(c)
	if err != nil {
		return err
	}
	if server != nil {
		client := control.Client(s.Data)
		defer client.CloseIdleConnections()
		return work(connection{client: client})
	}
	if err := p.finishRestore(s.Data); err != nil {
		return errors.Join(err, lock.Release())
	}
	if !instance.Has(s.Data, datadir.Database) {
		return errors.Join(noData(s.Data), lock.Release())
	}
	replication, err := offline(s)
	if err != nil {
		return errors.Join(err, lock.Release())
	}
	i, err := openService(lock, s, nil, nil, replication, commandLog(p.stderr))
	if err != nil {
		return err
	}
	return errors.Join(work(connection{client: control.InProcess(i.handler)}), i.Close())
}

// findOrLock calls connectOrLock for the data directory that the flags of c select. It returns an
// error if the directory does not exist.
func (p *program) findOrLock(c *cobra.Command) (s *setting.Settings, lock *control.Lock, server *runningServer, err error) {
	if s, err = p.load(c); err != nil {
		return nil, nil, nil, err
	}
	p.warn(s)
	if err := needFolder(s.Data); err != nil {
		return nil, nil, nil, err
	}
	privateFiles()
	lock, server, err = connectOrLock(c.Context(), s.Data)
	if lock != nil && isChanging(c) {
		if err := refuseStandby(s.Data); err != nil {
			return nil, nil, nil, errors.Join(err, lock.Release())
		}
	}
	if server != nil && server.version != version {
		say(p.stderr, "note: the running server is svc %s, this is svc %s", server.version, version)
	}
	return s, lock, server, err
}

// call sends a request and decodes the response into answer, unless answer is nil. The server must
// respond within answerLimit. If the status is 400 or above, call returns an error with the
// server's message.
func (c connection) call(ctx context.Context, method, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return c.callUnlimited(ctx, method, path, body, answer)
}

// callUnlimited is like call, but has no time limit.
func (c connection) callUnlimited(ctx context.Context, method, path string, body, answer any) error {
	response, err := c.open(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && answer != nil {
		err = json.Unmarshal(text, answer)
	}
	if err != nil {
		return fmt.Errorf("read response: %w", err)
	}
	return nil
}

// open is like callUnlimited, but returns the response. The caller must read and close its body.
func (c connection) open(ctx context.Context, method, path string, body any) (*http.Response, error) {
	response, err := c.send(ctx, method, path, body)
	if err != nil || response.StatusCode < http.StatusBadRequest {
		return response, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read response: %w", err)
	}
	refused := refusal(response.Status, answer)
	if response.Header.Get(control.DamagedHeader) != "" {
		refused = withCode(exitDamaged, refused)
	}
	if response.Header.Get(web.OutcomeHeader) == string(fault.OutcomeNone) && c.toStandby(ctx) {
		refused = withCode(exitStandby, refused)
	}
	return nil, &answerError{response.StatusCode, refused}
}

// toStandby reports whether the connection is to the server of a standby. It is called for a server that accepts
// no writes, which can also be a primary that cannot write now.
func (c connection) toStandby(ctx context.Context) bool {
	if c.base != "" { // a server elsewhere, whose directory does not matter to the caller
		return false
	}
	var s replica.Status
	return c.call(ctx, http.MethodGet, "/control/replication", nil, &s) == nil && s.Role == replica.RoleStandby
}

// answerError is an error response: its status and the server's message.
type answerError struct {
	status int
	error
}

// Unwrap returns the error that holds the server's message.
func (e *answerError) Unwrap() error { return e.error }

// send sends a request. The body is an io.Reader, nil, or a value to be encoded as JSON.
func (c connection) send(ctx context.Context, method, path string, body any) (*http.Response, error) {
	content, raw := body.(io.Reader)
	if body != nil && !raw {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, cmp.Or(c.base, control.BaseURL)+path, content)
	if err != nil {
		return nil, err
	}
	if sized, ok := content.(interface{ Size() int64 }); ok {
		request.ContentLength = sized.Size()
	}
	if content != nil && !raw {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.key != "" {
		request.Header.Set("X-Api-Key", c.key)
	}
	response, err := c.client.Do(request)
	// The error of net/http names the URL of the request; the user needs the address of the server.
	if failed, ok := errors.AsType[*url.Error](err); ok && c.base != "" && ctx.Err() == nil {
		return nil, fmt.Errorf("no answer from %s: %w", c.base, failed.Err)
	}
	return response, err
}

// refusal returns the message of an error response as an error. In JSON, the message is a string or
// a list of strings.
func refusal(status string, answer []byte) error {
	var body struct {
		Message json.RawMessage `json:"message"`
	}
	var one string
	var list []string
	if json.Unmarshal(answer, &body) != nil {
		return fmt.Errorf("the server responded with %s", status)
	}
	if json.Unmarshal(body.Message, &one) == nil && one != "" {
		return errors.New(one)
	}
	if json.Unmarshal(body.Message, &list) == nil && len(list) > 0 {
		errs := make([]error, len(list))
		for i, text := range list {
			errs[i] = errors.New(text)
		}
		return errors.Join(errs...)
	}
	return fmt.Errorf("the server responded with %s", status)
}

const (
	// connectTimeout is the maximum time that a command waits for the lock, or for a response from
	// the process that holds the lock.
	connectTimeout = 3 * time.Second
	retryInterval  = 50 * time.Millisecond
)

// runningServer is a server that responds on the control socket.
type runningServer struct {
	held    *control.HeldError // the process that holds the lock
	version string
}

// connectOrLock acquires the lock of a data directory or finds the server that holds the lock. If
// err is nil, exactly one of lock and server is non-nil. Other commands hold the lock only briefly,
// and a server that is starting does not answer yet. connectOrLock therefore retries for up to
// connectTimeout.
func connectOrLock(ctx context.Context, dir string) (lock *control.Lock, server *runningServer, err error) {
	limited, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	client := control.Client(dir)
	defer client.CloseIdleConnections()
	for {
		lock, err := control.Acquire(dir)
		if err == nil {
			return lock, nil, nil
		}
		held, ok := errors.AsType[*control.HeldError](err)
		if !ok {
			return nil, nil, err
		}
		if answer, notYet := askVersion(limited, client); notYet == nil {
			return nil, &runningServer{held, answer}, nil
		}
		select {
		case <-time.After(retryInterval):
		case <-limited.Done():
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			return nil, nil, fmt.Errorf("%w and does not respond on its control socket", held)
		}
	}
}

func askVersion(ctx context.Context, client *http.Client) (version string, err error) {
	var answer struct {
		Version string `json:"version"`
	}
	err = connection{client: client}.call(ctx, http.MethodGet, "/control/version", nil, &answer)
	return answer.Version, err
}

// needFolder returns an error if the data directory does not exist. Commands never create it.
func needFolder(dir string) error {
	found, err := instance.FindFolder(dir)
	if err == nil && !found {
		return noData(dir)
	}
	return err
}

func noData(dir string) error {
	return withCode(exitNoData, fmt.Errorf("there is no data in %s\n"+
		"name the data directory of the server with --data or SVC_DATA, or make one: %s serve --data %s", dir, self, quoted(dir)))
}
