// Package soak has no code, only a test: a server under mixed load for as long as
// one likes, which must not need more and more of anything.
package soak
