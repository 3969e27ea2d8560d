// Package codehost speaks with the code host: the REST API of GitHub and of those that
// have a compatible one, and what they send to webhooks.
//
// Its errors are for the log. They may contain what the code host answered, which must
// not reach a visitor.
//
//	codehost.go   the client and the bounds of its calls
//	call.go       one call: headers, redirects, time, conditional requests
//	etag.go       answers that are kept for conditional requests
//	limits.go     rate limits: when they end, and short waits
//	errors.go     why a call failed
//	address.go    addresses and names of repositories
//	app.go        the app: its key, its tokens, its registration
//	token.go      installations and their narrowed access tokens
//	repo.go       a repository and its files
//	releases.go   releases and paging through them
//	issues.go     issues, comments, reactions, workflows
//	release.go    Release, read leniently
//	mapping.go    a release as a version of ours
//	signature.go  signatures of deliveries
//	delivery.go   what webhooks are sent
//	template.go   templates of issues
//	escape.go     texts of visitors in issues
//	object.go     fields of JSON objects, each on its own
package codehost

import (
	"net/http"
	"time"
)

// RequestTime is what all calls of one request to us may take together. Callers give
// it to their context.
const RequestTime = 20 * time.Second

const (
	callTime   = 10 * time.Second // of one call
	maxAnswer  = 32 << 20         // bytes that are read of an answer: 100 releases with attachments
	maxReceipt = 1 << 20          // of an answer to a call that changes something
	maxKept    = 512 << 10        // bytes of an answer that is kept for conditional requests ...
	maxKeptAll = 8 << 20          // ... and of all of them
	pageSize   = "100"            // entries of a list; some code hosts give fewer
	maxPages   = 40
	maxSlots   = 512 // repositories whose tokens are kept
)

// Config is what a client needs to know.
type Config struct {
	HTTP *http.Client // of profile outbound.Fixed
	API  string       // base address of the REST API, without a slash at the end
	Web  string       // base address in a browser, without a slash at the end
	Now  func() time.Time
}

// Client asks one code host. Its methods may be called from any goroutine.
type Client struct {
	Config
	kept   answers
	limits limits
	slots  slots
}

// New makes a client. It does not connect.
func New(c Config) *Client { return &Client{Config: c} }
