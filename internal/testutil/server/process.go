package server

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Process is the ID of a process on this machine. Its methods return its resource usage,
// which is known only on Linux. On other systems they return 0.
type Process int

// clockTick is the unit of the times in /proc. It is the same on all architectures that
// Go supports.
const clockTick = time.Second / 100

// CPU returns the CPU time that the process has used so far.
func (p Process) CPU() time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p))
	if err != nil {
		return 0
	}
	// the second field is the name of the program in parentheses, which may contain any
	// characters
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	var user, system int64
	_, _ = fmt.Sscan(fields[11], &user)
	_, _ = fmt.Sscan(fields[12], &system)
	return time.Duration(user+system) * clockTick
}

// Memory is an amount of memory in bytes. Resident is all resident memory of a process,
// and Own the part of it that is not mapped from files.
type Memory struct{ Resident, Own int64 }

// Memory returns the amount of memory that the process uses now.
func (p Process) Memory() (m Memory) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p))
	if err != nil {
		return m
	}
	for line := range strings.Lines(string(text)) {
		var n int64
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			_, _ = fmt.Sscan(value, &n)
			m.Resident = n << 10
		}
		if value, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			_, _ = fmt.Sscan(value, &n)
			m.Own = n << 10
		}
	}
	return m
}

// Written returns the number of bytes that the process has written to disk.
func (p Process) Written() (bytes int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", p))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "write_bytes:"); ok {
			_, _ = fmt.Sscan(value, &bytes)
		}
	}
	return bytes
}

// WatchMemory begins to sample the memory of the process. peak stops the sampling and
// returns the highest values.
func (p Process) WatchMemory() (peak func() Memory) {
	stop := make(chan struct{})
	var wait sync.WaitGroup
	var most Memory
	wait.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			now := p.Memory()
			most.Resident, most.Own = max(most.Resident, now.Resident), max(most.Own, now.Own)
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	})
	return func() Memory {
		close(stop)
		wait.Wait()
		return most
	}
}
