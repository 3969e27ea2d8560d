//go:build !linux

// Package systemd notifies the service manager of the state of the server. On this system
// it does nothing, because there is no such service manager.
package systemd

// Ready does nothing on this system.
func Ready(string) error { return nil }

// Reloading does nothing on this system.
func Reloading() error { return nil }

// Stopping does nothing on this system.
func Stopping() error { return nil }
