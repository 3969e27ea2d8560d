// Package upstream checks for updates of this program. It asks another instance of svc,
// which publishes the program as one of its projects.
package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"svc/internal/outbound"
	"svc/internal/release"
)

const (
	project   = "svc"            // key of the project as which the program is published
	timeLimit = 10 * time.Second // time limit of a whole check
	maxAnswer = 1 << 20          // number of bytes of a response that are read

	keptFor        = time.Hour        // time for which the result of a check is used
	failureKeptFor = time.Minute      // time for which the result of a failed check is used
	pause          = 10 * time.Second // minimum interval between two checks that were requested
)

// Config configures a Client.
type Config struct {
	HTTP    *http.Client // client with the profile outbound.Fixed
	Origin  string       // scheme, host and port of the instance that publishes the program
	Version string       // version of this program
	Now     func() time.Time
	Log     *slog.Logger
}

// Release is a published version of this program.
type Release struct {
	Version     string  `json:"version"`
	Title       *string `json:"title"`
	Content     *string `json:"content"`      // release notes as Markdown
	PublishedAt int64   `json:"published_at"` // Unix seconds
}

// Check is the result of an update check.
type Check struct {
	At      time.Time
	Failure string   // error of the check, as a text for administrators; "" if there is none
	Running *Release // release of the running version; nil = it is not published

	ShouldUpdate bool     `json:"should_update"`
	Required     bool     `json:"required"`
	Reasons      []string `json:"reason_codes"`
	Latest       *Release `json:"latest_version"`
	Target       *Release `json:"target_version"` // the version to install; nil = there is no newer one
}

// Client checks for updates of this program, which another instance publishes, and caches
// the result.
type Client struct {
	Config
	mu   sync.Mutex // held while a check is made
	last *Check     // result of the last check; nil = there was none; guarded by mu
}

// New returns a Client. It makes no request before Check is called.
func New(c Config) *Client { return &Client{Config: c} }

// Page returns the URL of the other instance's public page about a version.
func (c *Client) Page(version string) string {
	return c.Origin + "/projects/" + project + "?version=" + url.QueryEscape(version)
}

// Check returns the result of the last check. If that result is too old, Check makes a
// new check, which takes up to ten seconds. If again is true, a result is too old after
// ten seconds.
func (c *Client) Check(ctx context.Context, again bool) Check {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.Now()
	if c.last != nil {
		limit := keptFor
		switch {
		case again:
			limit = pause
		case c.last.Failure != "":
			limit = failureKeptFor
		}
		if age := now.Sub(c.last.At); age >= 0 && age < limit {
			return *c.last
		}
	}
	// continue even if the context of this caller is cancelled, because other callers wait
	// for the result
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeLimit)
	defer cancel()
	check, err := c.ask(ctx)
	if err != nil {
		c.Log.Warn("check for updates failed", "upstream", c.Origin, "error", err, "cause", errors.Unwrap(err))
		check = Check{Failure: err.Error()}
	}
	check.At = now
	c.last = &check
	return check
}

func (c *Client) ask(ctx context.Context) (check Check, err error) {
	input := map[string]any{"current_version": c.Version}
	if _, ok := release.Parse(c.Version); ok {
		input["current_comparable_version"] = c.Version
		input["include_preview"] = strings.Contains(c.Version, "-")
	}
	body, err := json.Marshal(input)
	if err != nil {
		return check, err
	}
	status, err := c.call(ctx, http.MethodPost, "/versions/check-update", body, &check)
	switch {
	case err != nil:
		return check, err
	case status == http.StatusNotFound:
		return check, errors.New("it publishes no version of " + project)
	case status == http.StatusBadRequest:
		return check, fmt.Errorf("it does not know version %s", c.Version)
	case status != http.StatusOK:
		return check, unexpected(status)
	case check.Latest == nil:
		return check, errForm
	}
	var running Release
	status, err = c.call(ctx, http.MethodGet, "/versions/by-version/"+url.PathEscape(c.Version), nil, &running)
	switch {
	case err != nil:
		return check, err
	case status == http.StatusOK:
		check.Running = &running
	case status != http.StatusNotFound:
		return check, unexpected(status)
	}
	return check, nil
}

var errForm = errors.New("its answer has an unexpected form")

func unexpected(status int) error { return fmt.Errorf("it answered with status %d", status) }

// call sends a request. If the status is 200, it decodes the response into v. The text of
// the error is for administrators; the wrapped error is for the log.
func (c *Client) call(ctx context.Context, method, path string, body []byte, v any) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, method, c.Origin+"/api/v1/public/"+project+path, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Accept", "application/json")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := c.HTTP.Do(r)
	if err != nil {
		return 0, outbound.Explain(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return answer.StatusCode, nil
	}
	raw, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer+1))
	switch {
	case err != nil:
		return 0, outbound.Explain(err)
	case len(raw) > maxAnswer || json.Unmarshal(raw, v) != nil:
		return 0, errForm
	}
	return http.StatusOK, nil
}
