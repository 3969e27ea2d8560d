// Package soak contains only a test: a server runs under mixed load for a configurable time, and
// its use of resources must not keep growing.
package soak
