package crash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// errGone means that no response arrived. The server may or may not have processed the request.
var errGone = errors.New("the server is gone")

// client sends requests to a server.
type client struct {
	base  string
	token string // token of the administrator
	http  *http.Client
	asked atomic.Int64
}

func newClient(url, token string) *client {
	return &client{base: url + "/api/v1", token: token, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}}
}

// do sends a request. If body is nil, the request has no body. do varies the source address,
// because some routes limit requests by address.
func (c *client) do(method, path string, body any) (status int, answer []byte, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	if body == nil {
		text = nil
	}
	return c.send(method, c.base+path, text)
}

// send sends a request with an arbitrary body to a full URL.
func (c *client) send(method, url string, body []byte) (status int, answer []byte, err error) {
	r, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	n := c.asked.Add(1)
	r.Header.Set("X-Forwarded-For", net.IPv4(198, byte(n>>16), byte(n>>8), byte(n)).String())
	r.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(r)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: %w", errGone, err)
	}
	defer response.Body.Close()
	if answer, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, fmt.Errorf("%w: %w", errGone, err)
	}
	return response.StatusCode, answer, nil
}

// site returns the URL prefix of paths outside of the API.
func (c *client) site() string { return strings.TrimSuffix(c.base, "/api/v1") }

// must sends a request and returns an error if the status is not want.
func (c *client) must(want int, method, path string, body any) ([]byte, error) {
	status, answer, err := c.do(method, path, body)
	if err == nil && status != want {
		err = fmt.Errorf("%s %s: got %d %.300s, want %d", method, path, status, answer, want)
	}
	return answer, err
}

// get requests a path and decodes the response into the value that into points to.
func (c *client) get(path string, into any) error {
	answer, err := c.must(http.StatusOK, "GET", path, nil)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("GET %s: %w", path, err)
	}
	return nil
}

// pages returns the entries of all pages of a list.
func pages[V any](c *client, path string) ([]V, error) {
	var all []V
	for {
		var page struct {
			Total int
			Data  []V
		}
		if err := c.get(path+"limit=100&offset="+strconv.Itoa(len(all)), &page); err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if len(all) >= page.Total || len(page.Data) == 0 {
			if len(all) != page.Total {
				return nil, fmt.Errorf("GET %s: the list has %d entries and a total of %d", path, len(all), page.Total)
			}
			return all, nil
		}
	}
}

// logIn requests an administrator token and stores it in the client.
func (c *client) logIn() error {
	answer, err := c.must(http.StatusCreated, "POST", "/auth/login", map[string]string{"username": "admin", "password": password})
	if err != nil {
		return err
	}
	var got struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(answer, &got); err != nil {
		return err
	}
	c.token = got.Token
	return nil
}

// valueOf returns the number in a response to a metrics query.
func valueOf(answer []byte) (int, error) {
	var got struct{ Result float64 }
	if err := json.Unmarshal(answer, &got); err != nil {
		return 0, err
	}
	return int(got.Result), nil
}
