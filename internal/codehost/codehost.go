// Package codehost is a client for a code host. It uses the REST API of GitHub or a
// compatible one, and parses the deliveries that a code host sends to webhooks.
//
// Its errors are for the log. They may contain the code host's response, which visitors
// must not see.
//
//	codehost.go   the client and the limits of its calls
//	call.go       one call: headers, redirects, timeouts, conditional requests
//	etag.go       cache of responses for conditional requests
//	limits.go     rate limits, and waiting for their end
//	errors.go     errors of calls
//	address.go    addresses and names of repositories
//	app.go        the app: its key, its tokens, its registration
//	token.go      installations and their access tokens
//	repo.go       a repository and its files
//	releases.go   releases and paging through them
//	issues.go     issues, comments, reactions, workflows
//	release.go    Release, parsed leniently
//	mapping.go    mapping of a release to a version
//	signature.go  signatures of deliveries
//	delivery.go   requests to webhooks
//	template.go   templates of issues
//	escape.go     texts of visitors in issues
//	object.go     fields of JSON objects, parsed separately
package codehost

import (
	"net/http"
	"time"
)

// RequestTime is the time limit for all calls to the code host that one incoming request
// causes. Callers set it on their context.
const RequestTime = 20 * time.Second

const (
	callTime   = 10 * time.Second // timeout of one call
	maxAnswer  = 32 << 20         // maximum bytes of a response: 100 releases with attachments
	maxReceipt = 1 << 20          // maximum bytes of a response to a call that changes data
	maxKept    = 512 << 10        // maximum bytes of a cached response
	maxKeptAll = 8 << 20          // maximum bytes of all cached responses
	pageSize   = "100"            // entries per page of a list; some code hosts return fewer
	maxPages   = 40
	maxSlots   = 512 // maximum number of repositories with cached tokens
)

// Config configures a Client.
type Config struct {
	HTTP *http.Client // a client with the profile outbound.Fixed
	API  string       // base address of the REST API, without a trailing slash
	Web  string       // base address of the web site, without a trailing slash
	Now  func() time.Time
}

// Client makes calls to a code host. It is safe for concurrent use.
type Client struct {
	Config
	kept   answers
	limits limits
	slots  slots
}

// New returns a client. It does not connect to the code host.
func New(c Config) *Client { return &Client{Config: c} }
