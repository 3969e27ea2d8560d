package codehost

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// Release requests the release with the given tag. It returns ErrNotFound for drafts.
func (r *Repo) Release(ctx context.Context, tag string) (*Release, error) {
	if strings.Trim(tag, ". ") == "" {
		return nil, ErrNotFound // such a path would address another resource
	}
	return r.release(ctx, "/releases/tags/"+url.PathEscape(tag))
}

// LatestRelease requests the newest release that is neither a draft nor a preview.
func (r *Repo) LatestRelease(ctx context.Context) (*Release, error) {
	return r.release(ctx, "/releases/latest")
}

func (r *Repo) release(ctx context.Context, suffix string) (*Release, error) {
	var found Release
	if err := r.read(ctx, suffix, readContents, &found); err != nil {
		return nil, err
	}
	return &found, nil
}

// EachPage reads at most the given number of releases, newest first, and calls visit with each page
// of at most 100 releases. If a release is malformed, only the fields that could be parsed are set.
// If visit returns an error, EachPage stops and returns that error.
func (r *Repo) EachPage(ctx context.Context, limit int, visit func([]Release) error) error {
	return r.pages(ctx, "/releases", url.Values{"per_page": {pageSize}}, readContents, func(page []json.RawMessage) (bool, error) {
		releases := make([]Release, 0, len(page))
		for _, raw := range page[:min(len(page), limit)] {
			var found Release
			_ = json.Unmarshal(raw, &found) // malformed releases are allowed
			releases = append(releases, found)
		}
		limit -= len(releases)
		return limit > 0, visit(releases)
	})
}

// errPages reports that a list has an unreasonable number of pages.
var errPages = errors.New("the list has too many pages")

// pages calls visit for the pages of a list until visit returns false or the last page
// has been read. Of a link to the next page it uses only the query, so that a response
// cannot direct the client to another address.
func (r *Repo) pages(
	ctx context.Context, path string, query url.Values, p permission, visit func([]json.RawMessage) (more bool, err error),
) error {
	for range maxPages {
		k, answer, err := r.call(ctx, http.MethodGet, path+"?"+query.Encode(), p, nil)
		if err != nil {
			return err
		}
		var page []json.RawMessage
		if err := answer.decode(k, &page); err != nil {
			return err
		}
		more, err := visit(page)
		if err != nil || !more {
			return err
		}
		if query = nextPage(answer.header.Values("Link")); query == nil {
			return nil
		}
	}
	return &Error{Call: "GET " + path, Err: errPages}
}

var linkNext = regexp.MustCompile(`<([^<>]*)>\s*;[^,<]*\brel="?next\b`)

// nextPage finds the link to the next page in the given Link headers (RFC 8288) and returns the
// query of that link. It returns nil if there is no such link.
func nextPage(headers []string) url.Values {
	for _, header := range headers {
		if m := linkNext.FindStringSubmatch(header); m != nil {
			if next, err := url.Parse(m[1]); err == nil {
				return next.Query()
			}
		}
	}
	return nil
}
