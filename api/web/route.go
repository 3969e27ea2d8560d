// Package web contains the code that all handlers of the API share: the router, its table of
// routes, access control, the decoding and validation of requests, and the format of responses. It
// does not depend on any resource.
//
//	route.go        Route, and the handlers it can have
//	router.go       finding the route of a path
//	request.go      Request: parameters, query
//	client.go       Client: platform, version, place and clock of the caller
//	body.go         bodies: reading them, limits for callers without a credential
//	access.go       Access of a route, Caller
//	admission.go    Gate: checks the credential
//	decode.go       decoding of JSON bodies, fields by name
//	fields.go       reading an object without copying it
//	problems.go     Problems of a request, all reported together
//	record.go       fields that all imported records have
//	span.go         ranges of time in queries and bodies
//	paging.go       pages of lists
//	state.go        entity tags of records, If-Match
//	settings.go     reading and saving settings
//	private.go      refusing private keys
//	repeat.go       changes that are made once (Idempotency-Key)
//	replication.go  what a standby and a replicated primary answer, and when
//	respond.go      bodies, errors and their statuses
//	list.go         lists, written record by record
//	answers.go      the memory that large responses share
//	file.go         files that do not change, in several encodings
//	cors.go         requests from other origins
//	accesslog.go    the log of requests
//	metrics.go      counters of requests
package web

import "net/http"

// Handler answers a request.
type Handler func(http.ResponseWriter, *Request) error

// OK returns a handler that answers 200 with the body that the function answer returns.
func OK[V any](answer func(*Request) (V, error)) Handler { return withStatus(http.StatusOK, answer) }

// Created returns a handler that answers 201 with the body that create returns.
func Created[V any](create func(*Request) (V, error)) Handler {
	return withStatus(http.StatusCreated, create)
}

// Accepted returns a handler that answers 202 with the body that start returns.
func Accepted[V any](start func(*Request) (V, error)) Handler {
	return withStatus(http.StatusAccepted, start)
}

func withStatus[V any](status int, answer func(*Request) (V, error)) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		body, err := answer(r)
		if err != nil {
			return err
		}
		return Respond(w, status, body)
	}
}

// Done returns a handler that calls the given function, which deletes or changes a record, and
// reports success to the client.
func Done(change func(*Request) error) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		if err := change(r); err != nil {
			return err
		}
		return Respond(w, http.StatusOK, deletedView{Success: true})
	}
}

// Route is an entry of the route table. The router, access checks, body limits and the comparison
// with openapi.yaml are derived from that table.
type Route struct {
	Method, Path string
	Access       Access
	Handler      Handler
	// Reads means that the route changes nothing that is replicated, although its method is not GET. See
	// ReadOnly.
	Reads bool

	BodyLimit       int64
	Bodies          *Bodies      // limits for callers without a credential; nil = none
	Answers         *Answers     // limits the memory of large responses
	Clients         *Clients     // determines facts about clients
	Replication     *Replication // nil = none
	Rate            RateClass
	Counts          string // name of its requests in request statistics; "" = not counted
	FiltersPlatform bool   // platform in the query is a filter, not the client's platform
	Private         bool   // caches must not store the responses
	Submits         bool   // the route stores data from anonymous clients; its requests are refused if the disk is nearly full
	Quiet           bool   // no line in the access log
	EventSender     bool   // the caller sends events; its address is logged in the form that events store
}

// ReadOnly reports whether the route changes nothing that is replicated, so that a standby can answer
// its requests.
func (r *Route) ReadOnly() bool { return r.Reads || r.Method == http.MethodGet }

// RateClass selects the rate limit of a route, which applies to each client address.
type RateClass uint8

// The rate classes.
const (
	Unlimited  RateClass = iota
	PublicRate           // the number of requests per minute is a setting
	HourlyRate           // ten requests per hour
)

// V1 is the path prefix of the API.
const V1 = "/api/v1"

// ModuleStatus returns a handler for requests that ask whether this program supports the given
// module, which it does.
func ModuleStatus(module string) Handler {
	return OK(func(*Request) (moduleView, error) { return moduleView{module, true}, nil })
}

type moduleView struct {
	Module      string `json:"module"`
	Implemented bool   `json:"implemented"`
}

// LimitedAddresses is the maximum number of addresses in each table of rate limits. A full table
// takes about 20 MiB.
const LimitedAddresses = 100_000
