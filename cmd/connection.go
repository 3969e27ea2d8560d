package cmd

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"svc/internal/control"
	"svc/internal/datadir"
	"svc/internal/instance"
	"svc/internal/setting"
)

// answerLimit is how long a command waits for the answer to one request.
const answerLimit = 30 * time.Second

// connection is the way of a command to the data: the server that runs, or the
// same handler in this process. The command need not know which.
type connection struct {
	client *http.Client
	base   string // where paths begin; control.BaseURL when empty
	key    string // an API key, where the client alone does not say who asks
}

// connected makes a command of work that needs a connection.
func (p *program) connected(work func(c *cobra.Command, args []string, to connection) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return p.withConnection(c, func(to connection) error { return work(c, args, to) })
	}
}

// withConnection runs work on the data directory that the flags of c name.
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
	i, err := openService(lock, s, nil, nil, commandLog(p.stderr))
	if err != nil {
		return err
	}
	return errors.Join(work(connection{client: control.InProcess(i.handler)}), i.Close())
}

// findOrLock is connectOrLock for the data directory that the flags of c name, which
// must be there.
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
	if server != nil && server.version != version {
		say(p.stderr, "note: the running server is svc %s, this is svc %s", server.version, version)
	}
	return s, lock, server, err
}

// call asks for something that takes a moment, and decodes the answer unless it is
// nil. An answer of 400 and above is an error with the server's text.
func (c connection) call(ctx context.Context, method, path string, body, answer any) error {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	return c.callUnlimited(ctx, method, path, body, answer)
}

// callUnlimited is call without a time limit.
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

// open is callUnlimited for an answer that the caller reads, and closes.
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
	return nil, &answerError{response.StatusCode, refused}
}

// answerError is an error that the server answered with.
type answerError struct {
	status int
	error
}

// Unwrap is the text of the server.
func (e *answerError) Unwrap() error { return e.error }

// send sends a request with a body: an io.Reader as it is, nil for none, or a value as
// JSON.
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
	// Of what it says by itself the address of the server is of interest, not that of the
	// request.
	if failed, ok := errors.AsType[*url.Error](err); ok && c.base != "" && ctx.Err() == nil {
		return nil, fmt.Errorf("no answer from %s: %w", c.base, failed.Err)
	}
	return response, err
}

// refusal is the text of an error answer, whose message is one or a list.
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
	// connectTimeout is how long anything waits for the lock or for an answer of who
	// has it.
	connectTimeout = 3 * time.Second
	retryInterval  = 50 * time.Millisecond
)

// runningServer is a server that answers on the control socket.
type runningServer struct {
	held    *control.HeldError // who it is
	version string
}

// connectOrLock takes the lock of a data directory, or finds the server that has it;
// exactly one of lock and server is then not nil. Another command holds the
// lock for a moment only, and a server that is starting does not answer yet, so
// both are waited for, but never longer than patience.
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

// needFolder is for commands, which never make a data directory.
func needFolder(dir string) error {
	found, err := instance.FindFolder(dir)
	if err == nil && !found {
		return noData(dir)
	}
	return err
}

func noData(dir string) error {
	return withCode(exitNoData, fmt.Errorf("there is no data in %s\n"+
		"name the data directory of the server with --data or SVC_DATA, or make one: svc serve --data %s", dir, dir))
}
