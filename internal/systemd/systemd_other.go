//go:build !linux

// Package systemd tells the service manager how the server is doing. Here there
// is none.
package systemd

// Ready does nothing here.
func Ready(string) error { return nil }

// Reloading does nothing here.
func Reloading() error { return nil }

// Stopping does nothing here.
func Stopping() error { return nil }
