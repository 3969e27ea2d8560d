package codehost

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	maxIssues = 1000 // maximum number of issues that FindIssue examines
	// clockDifference is the greatest difference that is assumed between the code host's
	// clock and the local clock.
	clockDifference = 10 * time.Minute
	maxIssueURL     = 2048
)

// NewIssue describes an issue to be created.
type NewIssue struct {
	Title  string   `json:"title"`
	Body   string   `json:"body"`
	Labels []string `json:"labels,omitempty"`
}

// Issue is a created issue. Number is nil and URL is "" if the code host did not return them.
type Issue struct {
	Number *int64
	URL    string
}

// issueOf parses an issue as the API returns it.
func issueOf(o object) *Issue {
	found := &Issue{}
	if number := o.number("number"); number > 0 {
		found.Number = &number
	}
	address := o.text("html_url")
	if u, err := url.Parse(address); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && len(address) <= maxIssueURL {
		found.URL = address
	}
	return found
}

// CreateIssue creates an issue. If it returns an *Error with Unclear set, the issue may exist
// nevertheless. FindIssue can then look for it.
func (r *Repo) CreateIssue(ctx context.Context, n NewIssue) (*Issue, error) {
	_, answer, err := r.call(ctx, http.MethodPost, "/issues", writeIssues, n)
	if err != nil {
		return nil, err
	}
	return issueOf(objectOf(answer.body)), nil // whatever the response contains, the issue exists
}

// FindIssue looks for an open or closed issue that contains marker in its body and was
// created after the given time. It returns nil if there is none. It lists the issues
// instead of using the search of the API, because that finds new issues only after a
// delay.
func (r *Repo) FindIssue(ctx context.Context, marker string, since time.Time) (*Issue, error) {
	since = since.Add(-clockDifference)
	query := url.Values{
		"state": {"all"}, "sort": {"created"}, "direction": {"desc"}, "per_page": {pageSize},
		"since": {since.UTC().Format(time.RFC3339)}, // selects by the last change, so it excludes no issue that was created later
	}
	var found *Issue
	seen := 0
	err := r.pages(ctx, "/issues", query, readIssues, func(page []json.RawMessage) (bool, error) {
		for _, raw := range page {
			one := objectOf(raw)
			if strings.Contains(one.text("body"), marker) {
				found = issueOf(one)
				return false, nil
			}
			if created := one.time("created_at"); created != nil && created.Before(since) {
				return false, nil
			}
		}
		if seen += len(page); seen >= maxIssues {
			return false, &Error{Call: "GET /issues", Err: errPages}
		}
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Dispatch starts a workflow on the branch or tag ref. The workflow is identified by its file name
// or number.
func (r *Repo) Dispatch(ctx context.Context, workflow, ref string, inputs map[string]string) error {
	if strings.Trim(workflow, ". ") == "" {
		return ErrNotFound // such a path would address another resource
	}
	return r.post(ctx, "/actions/workflows/"+url.PathEscape(workflow)+"/dispatches", writeWorkflow,
		map[string]any{"ref": ref, "inputs": inputs})
}

// Reply adds a comment to an issue.
func (r *Repo) Reply(ctx context.Context, issue int64, body string) error {
	return r.post(ctx, fmt.Sprintf("/issues/%d/comments", issue), writeIssues, map[string]string{"body": body})
}

// React adds a reaction to a comment. The reaction is +1, -1, laugh, confused, heart, hooray,
// rocket or eyes.
func (r *Repo) React(ctx context.Context, comment int64, reaction string) error {
	return r.post(ctx, fmt.Sprintf("/issues/comments/%d/reactions", comment), writeIssues, map[string]string{"content": reaction})
}

func (r *Repo) post(ctx context.Context, suffix string, p permission, body any) error {
	_, _, err := r.call(ctx, http.MethodPost, suffix, p, body)
	return err
}
