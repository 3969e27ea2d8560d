// Package cdn purges cached copies of files from a CDN. The providers are aliyun (aliyun.go) and
// cloudflare (cloudflare.go).
package cdn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"svc/internal/outbound"
)

// The supported providers.
const (
	Aliyun     = "aliyun"
	Cloudflare = "cloudflare"
)

const (
	timeLimit  = 15 * time.Second // time limit of a call
	maxAnswer  = 256 << 10        // maximum size of a response, in bytes
	maxMessage = 300              // maximum length, in characters, of an error that is shown
)

// Credentials are the credentials for an account at a provider.
type Credentials struct {
	Provider string
	KeyID    string // access key id; for Cloudflare, the zone
	Secret   string // access key secret; for Cloudflare, a token
}

// Refreshed is the result of Client.Refresh.
type Refreshed struct {
	TaskIDs []string // ids that the provider has assigned to the calls
	Failed  []string // the addresses that were passed in calls that failed
	Error   string   // error of the first call that failed; "" if all were accepted
}

// Tested is the result of Client.Test.
type Tested struct {
	Remain, Quota *int64 // numbers of refreshes: left today, and allowed per day; nil if not reported
	Latency       time.Duration
	Error         string // "" if the credentials work
}

// Client calls the APIs of the CDN providers.
type Client struct {
	http *http.Client
	base map[string]string // address of each provider's API, without a trailing slash
	now  func() time.Time
}

// NewClient returns a client. aliyunURL and cloudflareURL are the addresses of the
// providers' APIs, without a path. client must come from package outbound.
func NewClient(client *http.Client, aliyunURL, cloudflareURL string) *Client {
	return &Client{client, map[string]string{Aliyun: aliyunURL, Cloudflare: cloudflareURL}, time.Now}
}

// provider contains the operations of a provider.
type provider struct {
	atOnce  int // maximum number of addresses in a call
	refresh func(ctx context.Context, c *Client, who Credentials, urls []string) (taskID string, err error)
	test    func(ctx context.Context, c *Client, who Credentials) (remain, quota *int64, err error)
}

var providers = map[string]provider{
	Aliyun:     {100, refreshAliyun, quotaOfAliyun},
	Cloudflare: {30, purgeCloudflare, readZone},
}

// Refresh purges the files with the given addresses from the CDN, in as many calls as
// necessary. If a call fails, it still makes the others, unless ctx has ended.
func (c *Client) Refresh(ctx context.Context, who Credentials, urls []string) Refreshed {
	done := Refreshed{TaskIDs: []string{}}
	p, ok := providers[who.Provider]
	if !ok {
		done.Failed, done.Error = urls, noProvider(who.Provider).Error()
		return done
	}
	for batch := range slices.Chunk(urls, p.atOnce) {
		id, err := p.refresh(ctx, c, who, batch)
		switch {
		case err != nil:
			done.Failed, done.Error = append(done.Failed, batch...), cmp.Or(done.Error, shown(err))
		case id != "":
			done.TaskIDs = append(done.TaskIDs, id)
		}
	}
	return done
}

// Test verifies credentials without changing anything.
func (c *Client) Test(ctx context.Context, who Credentials) (t Tested) {
	p, ok := providers[who.Provider]
	if !ok {
		return Tested{Error: noProvider(who.Provider).Error()}
	}
	begun := time.Now()
	var err error
	t.Remain, t.Quota, err = p.test(ctx, c, who)
	t.Latency, t.Error = time.Since(begun), shown(err)
	return t
}

func noProvider(name string) error { return fmt.Errorf("there is no CDN provider %q", name) }

// answerError is an error that a provider has reported.
type answerError struct{ code, message string }

// Error returns the code and, if there is one, the message.
func (e answerError) Error() string {
	if e.message == "" {
		return e.code
	}
	return e.code + ": " + e.message
}

// shown returns the text of an error as a single line that can be shown to users.
func shown(err error) string {
	if err == nil {
		return ""
	}
	text := []rune(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(err.Error(), "�")))
	return string(text[:min(len(text), maxMessage)])
}

// call sends a request and decodes the JSON response into answer. It returns the HTTP
// status. The response to an unsuccessful call need not be JSON.
func (c *Client) call(
	ctx context.Context, method, address, contentType string, header http.Header, body string, answer any,
) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return 0, outbound.Explain(err)
	}
	for name := range header {
		r.Header.Set(name, header.Get(name))
	}
	r.Header.Set("Accept", "application/json")
	if body != "" {
		r.Header.Set("Content-Type", contentType)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return 0, outbound.Explain(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return 0, outbound.Explain(err)
	}
	if ok := response.StatusCode/100 == 2; ok && !json.Valid(text) {
		return 0, answerError{code: "the answer of the provider is not JSON"}
	} else if err := json.Unmarshal(text, answer); ok && err != nil {
		return 0, errForm
	}
	return response.StatusCode, nil
}

// errForm reports that a JSON response has an unexpected form.
var errForm = answerError{code: "the answer of the provider has another form than expected"}

// statusError returns the error for an unsuccessful response that contains no reason.
func statusError(status int) error {
	return answerError{fmt.Sprintf("status %d", status), http.StatusText(status)}
}
