// Package clients contains only tests of the client libraries together. Every library plays the
// same stories against a recording server, and its requests are compared with a model of the
// contract and with the other libraries. Every library is also killed while it tracks events.
package clients
