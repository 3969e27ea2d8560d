package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// watchMemory looks at the resident memory of this process until the returned
// function is called, which tells the peaks: all of it, and what is not mapped
// from files. Only Linux tells.
func watchMemory() (peak func() string) {
	stop := make(chan struct{})
	var wait sync.WaitGroup
	var all, own int
	wait.Go(func() {
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			rss, anonymous := resident()
			all, own = max(all, rss), max(own, anonymous)
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	})
	return func() string {
		close(stop)
		wait.Wait()
		if all == 0 {
			return "memory unknown"
		}
		return fmt.Sprintf("peak %d MiB resident, %d MiB without mapped files", all>>10, own>>10)
	}
}

// resident is the resident memory in KiB.
func resident() (all, anonymous int) {
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
