// Package systemd tells the service manager how the server is doing. Without
// one it does nothing.
package systemd

import (
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// Ready says that requests are answered, after a start or a reload, and in one
// line for people how.
func Ready(status string) error { return notify("READY=1\nSTATUS=" + status) }

// Reloading says that settings are read again; Ready ends it.
func Reloading() error {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return fmt.Errorf("read the monotonic clock: %w", err)
	}
	return notify(fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", now.Nano()/1000))
}

// Stopping says that the end has begun.
func Stopping() error { return notify("STOPPING=1\nSTATUS=stopping") }

// notify sends one message to the socket that the service manager has named, as
// sd_notify(3) describes it.
func notify(message string) error {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return fmt.Errorf("tell the service manager: %w", err)
	}
	defer c.Close()
	if _, err := c.Write([]byte(message)); err != nil {
		return fmt.Errorf("tell the service manager: %w", err)
	}
	return nil
}
