//go:build !linux

// Package systemd notifies the service manager of the state of the server. This system has none.
package systemd

// Ready does nothing here.
func Ready(string) error { return nil }

// Reloading does nothing here.
func Reloading() error { return nil }

// Stopping does nothing here.
func Stopping() error { return nil }
