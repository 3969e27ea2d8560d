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

// Repo is a repository of the code host. Its methods ask in the name of the app where
// it is installed. Contexts bound all calls of a method together; see RequestTime.
type Repo struct {
	client *Client
	app    *App // nil = anonymous
	name   string
}

// Repo is the repository owner/name. It does not connect. Without an app, public
// repositories can be read.
func (c *Client) Repo(app *App, name string) *Repo { return &Repo{c, app, name} }

// Name is owner/name.
func (r *Repo) Name() string { return r.name }

// Repository is what the code host says about a repository.
type Repository struct {
	FullName    string     `json:"full_name"`
	Description string     `json:"description"`
	Homepage    string     `json:"homepage"`
	Website     string     `json:"website"` // is Homepage in the API of Gitea
	CreatedAt   *time.Time `json:"created_at"`
	Owner       struct {
		AvatarURL string `json:"avatar_url"`
	} `json:"owner"`
}

// Get asks for the repository.
func (r *Repo) Get(ctx context.Context) (*Repository, error) {
	var found Repository
	if err := r.read(ctx, "", readMetadata, &found); err != nil {
		return nil, err
	}
	return &found, nil
}

// File reads a text of at most 1 MB. ref is a branch, tag or commit; "" is the default
// branch. What is no file, or no text, is ErrNotFound.
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
		return "", ErrNotFound // a folder
	}
	if err := answer.decode(k, &file); err != nil {
		return "", err
	}
	if file.Encoding != "base64" || file.Type != "file" && file.Type != "" {
		return "", ErrNotFound
	}
	content, err := base64.StdEncoding.DecodeString(file.Content) // skips line ends
	if err != nil || !utf8.Valid(content) {
		return "", ErrNotFound
	}
	return string(content), nil
}

// place is the path of the repository below the base address of the API.
func (r *Repo) place() (string, error) {
	if !validName(r.name) {
		return "", ErrNotFound
	}
	return "/repos/" + r.name, nil
}

// read asks for what is below the path of the repository.
func (r *Repo) read(ctx context.Context, suffix string, p permission, v any) error {
	k, answer, err := r.call(ctx, http.MethodGet, suffix, p, nil)
	if err != nil {
		return err
	}
	return answer.decode(k, v)
}

// call calls what is below the path of the repository. What the app may not read, for
// example because it is suspended, it reads as everybody may.
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

// callAs makes a call as the app. A token that is not accepted, or that opens nothing, is
// dropped; after the former it tries once more with another.
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
