// Package clients contains tests that run all client libraries. Every library plays the same
// stories against a recording server. Its requests are compared with a model of the contract and
// with those of the other libraries. In another test, every library is killed while it tracks
// events.
package clients
