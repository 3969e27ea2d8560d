// Package clients has no code, only tests of what holds the client libraries together:
// every library plays the same stories against a recording server, and what it sends is
// compared with a model of the contract, and with the other libraries; and every library
// is killed in the middle of tracking.
package clients
