// Package codehost speaks with the code host: the REST API of GitHub and of those that
// have a compatible one, and what they send to webhooks.
//
// Its errors are for the log. They may contain what the code host answered, which must
// not reach a visitor.
//
//	codehost.go   Client
//	release.go    Release, read leniently
//	mapping.go    a release as a version of ours
//	signature.go  signatures of deliveries
//	delivery.go   what webhooks are sent
//	object.go     fields of JSON objects, each on its own
package codehost

import (
	"net/http"
	"time"
)

// Config is what a client needs to know.
type Config struct {
	HTTP *http.Client // of profile outbound.Fixed
	API  string       // base address of the REST API, without a slash at the end
	Web  string       // base address in a browser, without a slash at the end
	Now  func() time.Time
}

// Client asks one code host. Its methods may be called from any goroutine.
type Client struct{ Config }

// New makes a client. It does not connect.
func New(c Config) *Client { return &Client{c} }
