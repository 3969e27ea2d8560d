package load

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Memory is what a process used at most, in bytes: all that was resident, and of
// that what is not mapped from files. Zero is not known; only Linux tells.
type Memory struct{ Resident, Own int64 }

// String is for reports.
func (m Memory) String() string {
	if m.Resident == 0 {
		return "memory unknown"
	}
	return fmt.Sprintf("peak %d MiB resident, %d MiB without mapped files", m.Resident>>20, m.Own>>20)
}

// WatchMemory looks at the memory of this process until the returned function is
// called, which tells the peaks.
func WatchMemory() (peak func() Memory) {
	stop := make(chan struct{})
	var wait sync.WaitGroup
	var m Memory
	wait.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			resident, own := resident()
			m.Resident, m.Own = max(m.Resident, resident<<10), max(m.Own, own<<10)
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
		return m
	}
}

// resident is the resident memory in KiB.
func resident() (all, anonymous int64) {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "VmRSS:"); ok {
			_, _ = fmt.Sscan(text, &all)
		}
		if text, ok := strings.CutPrefix(lines.Text(), "RssAnon:"); ok {
			_, _ = fmt.Sscan(text, &anonymous)
		}
	}
	return all, anonymous
}
