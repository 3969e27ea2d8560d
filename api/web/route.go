// Package web is common to all handlers of the interface: the router and the entries of its table,
// access control, decoding and validation of requests, and the format of answers. It does not
// depend on any resource.
//
//	route.go      Route, and the handlers it can have
//	router.go     finding the route of a path
//	request.go    Request: parameters, query
//	client.go     Client: platform, version, place and clock of the caller
//	body.go       bodies: reading them, limits for callers without a credential
//	access.go     Access of a route, Caller
//	admission.go  Gate: checks the credential
//	decode.go     decoding of JSON bodies, fields by name
//	fields.go     reading an object without copying it
//	problems.go   Problems of a request, all reported together
//	record.go     fields that all imported records have
//	span.go       ranges of time in queries and bodies
//	paging.go     pages of lists
//	state.go      entity tags of records, If-Match
//	settings.go   reading and saving settings
//	repeat.go     changes that are made once (Idempotency-Key)
//	respond.go    bodies, errors and their statuses
//	list.go       lists, written record by record
//	answers.go    the memory that large answers share
//	file.go       files that do not change, in several encodings
//	cors.go       requests from other origins
//	accesslog.go  the log of requests
//	metrics.go    counters of requests
package web

import "net/http"

// Handler answers a request.
type Handler func(http.ResponseWriter, *Request) error

// OK answers with the body that answer returns.
func OK[V any](answer func(*Request) (V, error)) Handler { return withStatus(http.StatusOK, answer) }

// Created answers 201 with the body of the record that create returns.
func Created[V any](create func(*Request) (V, error)) Handler {
	return withStatus(http.StatusCreated, create)
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

// Done answers that a deletion or a change has succeeded.
func Done(change func(*Request) error) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		if err := change(r); err != nil {
			return err
		}
		return Respond(w, http.StatusOK, deletedView{Success: true})
	}
}

// Route is an entry of the table from which the router, access checks, body limits and the
// comparison with openapi.yaml are derived.
type Route struct {
	Method, Path string
	Access       Access
	Handler      Handler

	BodyLimit       int64
	Bodies          *Bodies  // limits of callers without a credential; nil = the route asks for one
	Answers         *Answers // the memory of large answers
	Clients         *Clients // resolves facts about clients
	Rate            RateClass
	Counts          string // what its requests are called in request statistics; "" = not counted
	FiltersPlatform bool   // platform in the query is a filter, not what the client has
	Private         bool   // answers must not be kept by caches
	Submits         bool   // it stores what anyone sends, unless the disk is nearly full
	Quiet           bool   // no line in the access log
	EventSender     bool   // the caller is a sender of events: its address is logged as it is stored with them
}

// RateClass is the limit of the requests of one address to a route.
type RateClass uint8

// The rate classes.
const (
	Unlimited  RateClass = iota
	PublicRate           // as often a minute as the settings say
	HourlyRate           // ten times an hour
)

// V1 is where the interface begins.
const V1 = "/api/v1"

// ModuleStatus answers that a part of the interface exists in this program.
func ModuleStatus(module string) Handler {
	return OK(func(*Request) (moduleView, error) { return moduleView{module, true}, nil })
}

type moduleView struct {
	Module      string `json:"module"`
	Implemented bool   `json:"implemented"`
}

// LimitedAddresses bounds the tables of the rate limits: about 20 MiB when
// full.
const LimitedAddresses = 100_000
