// Package soak contains only a test. The test puts a mixed load on a server for a configurable
// time, and checks that the server's use of resources does not keep growing.
package soak
