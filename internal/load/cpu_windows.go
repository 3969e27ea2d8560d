package load

import (
	"fmt"
	"syscall"
	"time"
)

// CPUTime is the processor time of this process so far.
func CPUTime() (time.Duration, error) {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	var created, ended, kernel, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &created, &ended, &kernel, &user); err != nil {
		return 0, fmt.Errorf("read processor time: %w", err)
	}
	return ticks(kernel) + ticks(user), nil
}

// ticks is a span of 100 ns each; Filetime.Nanoseconds is for dates.
func ticks(t syscall.Filetime) time.Duration {
	return time.Duration(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) * 100
}
