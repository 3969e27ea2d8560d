// Package systemd notifies the service manager of the state of the server. If the server
// does not run under a service manager, it does nothing.
package systemd

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Ready notifies the service manager that the server is ready, after a start or a reload.
// status is a text of one line for display.
func Ready(status string) error { return notify("READY=1\nSTATUS=" + status) }

// Reloading notifies the service manager that the server is reloading its settings. The
// caller must call Ready afterwards.
func Reloading() error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return fmt.Errorf("read the monotonic clock: %w", err)
	}
	return notify(fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", now.Nano()/1000))
}

// Stopping notifies the service manager that the server is stopping.
func Stopping() error { return notify("STOPPING=1\nSTATUS=stopping") }

// notify sends a message to the socket that NOTIFY_SOCKET names, as sd_notify(3)
// describes.
func notify(message string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(message)); err != nil {
		return fmt.Errorf("notify the service manager: %w", err)
	}
	return nil
}
