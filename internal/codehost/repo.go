package codehost

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

// Repo is a repository at the code host. Its methods act as the app if the app is
// installed on the repository, and anonymously otherwise. The context that is passed to a
// method limits the total time of its calls; see RequestTime.
type Repo struct {
	client *Client
	app    *App // nil = all calls are anonymous
	name   string
}

// Repo returns a Repo for the repository with the given name, owner/name. It does not
// connect to the code host. If app is nil, only public repositories can be read.
func (c *Client) Repo(app *App, name string) *Repo { return &Repo{c, app, name} }

// Name returns owner/name.
func (r *Repo) Name() string { return r.name }

// Repository describes a repository.
type Repository struct {
	FullName    string     `json:"full_name"`
	Description string     `json:"description"`
	Homepage    string     `json:"homepage"`
	Website     string     `json:"website"` // Gitea's name for Homepage
	CreatedAt   *time.Time `json:"created_at"`
	Owner       struct {
		AvatarURL string `json:"avatar_url"`
	} `json:"owner"`
}

// Get requests the description of the repository.
func (r *Repo) Get(ctx context.Context) (*Repository, error) {
	var found Repository
	if err := r.read(ctx, "", readMetadata, &found); err != nil {
		return nil, err
	}
	return &found, nil
}

// File returns the content of a text file of at most 1 MB. The ref is a branch, tag or commit. If
// it is "", File uses the default branch. The error is ErrNotFound if path is not a text file.
func (r *Repo) File(ctx context.Context, path, ref string) (text string, err error) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, part := range parts {
		if part == "" || part == "." || part == ".." {
			return "", ErrNotFound
		}
		parts[i] = url.PathEscape(part)
	}
	suffix := "/contents/" + strings.Join(parts, "/")
	if ref != "" {
		suffix += "?ref=" + url.QueryEscape(ref)
	}
	var file struct {
		Type     string `json:"type"`
		Encoding string `json:"encoding"`
		Content  string `json:"content"`
	}
	k, answer, err := r.call(ctx, http.MethodGet, suffix, readContents, nil)
	if err != nil {
		return "", err
	}
	if strings.HasPrefix(strings.TrimSpace(string(answer.body[:min(len(answer.body), 64)])), "[") {
		return "", ErrNotFound // a directory
	}
	if err := answer.decode(k, &file); err != nil {
		return "", err
	}
	if file.Encoding != "base64" || file.Type != "file" && file.Type != "" {
		return "", ErrNotFound
	}
	content, err := base64.StdEncoding.DecodeString(file.Content) // ignores line ends
	if err != nil || !utf8.Valid(content) {
		return "", ErrNotFound
	}
	return string(content), nil
}

// place returns the path of the repository relative to the base address of the API.
func (r *Repo) place() (string, error) {
	if !validName(r.name) {
		return "", ErrNotFound
	}
	return "/repos/" + r.name, nil
}

// read sends a GET request for a path below the repository and decodes the answer into v.
func (r *Repo) read(ctx context.Context, suffix string, p permission, v any) error {
	k, answer, err := r.call(ctx, http.MethodGet, suffix, p, nil)
	if err != nil {
		return err
	}
	return answer.decode(k, v)
}

// call makes a call to a path below the repository. If the app may not read the path, for
// example because the app is suspended, call reads it anonymously instead.
func (r *Repo) call(ctx context.Context, method, suffix string, p permission, body any) (call, *response, error) {
	k, answer, err := r.callAs(ctx, method, suffix, p, body)
	if method == http.MethodGet && r.app != nil && status(err) == http.StatusForbidden {
		everybody := &Repo{client: r.client, name: r.name}
		if k, answer, err := everybody.callAs(ctx, method, suffix, p, body); err == nil {
			return k, answer, nil
		}
	}
	return k, answer, err
}

// callAs makes a call as the app. If the code host rejects the token, or if the token
// gives no access, it removes the token from the cache. After a rejection it repeats the
// call once with a new token.
func (r *Repo) callAs(ctx context.Context, method, suffix string, p permission, body any) (call, *response, error) {
	for attempt := 0; ; attempt++ {
		with, err := r.credential(ctx, p)
		if err != nil {
			return call{}, nil, err
		}
		k := call{method: method, path: with.place + suffix, token: with.token, identity: with.identity, body: body}
		answer, err := r.client.do(ctx, k)
		refused := status(err) == http.StatusUnauthorized && with.token != ""
		if refused || errors.Is(err, ErrNotFound) {
			with.drop()
		}
		if !refused || attempt > 0 {
			return k, answer, err
		}
	}
}
