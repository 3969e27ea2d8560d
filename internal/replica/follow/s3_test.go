package follow_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/internal/files/storage"
	"svc/internal/files/storage/storagetest"
	"svc/internal/outbound"
	"svc/internal/replica/target"
)

// realPace is the pace by a real clock, for a target in the same machine.
var realPace = pace{
	every: 100 * time.Millisecond, syncTimeout: time.Second, lease: 500 * time.Millisecond, write: 10 * time.Millisecond,
	delay: 10 * time.Millisecond, late: 500 * time.Millisecond, loss: 100, before: 400 * time.Millisecond, cut: 800 * time.Millisecond,
	apart: 100 * time.Millisecond, after: 500 * time.Millisecond, patience: time.Minute, slack: time.Second,
}

// sideBySide is the number of races on an S3 server at the same time. They mostly wait.
const sideBySide = 16

// racesOnS3 runs promotion races on an S3 server, each in a folder of its own, and returns what was wrong with the
// first one that was wrong.
func racesOnS3(t *testing.T, server storage.Config, seeds []uint64, inSync bool, fault plant) (wrong []string) {
	t.Helper()
	client := outbound.New(outbound.Config{Profile: outbound.Operator, Version: "test"})
	var mu sync.Mutex
	var ended atomic.Bool
	queue := make(chan uint64)
	var workers sync.WaitGroup
	for range min(sideBySide, len(seeds)) {
		dir := t.TempDir()
		workers.Go(func() {
			for seed := range queue {
				if ended.Load() {
					continue
				}
				r := newRace(seed, realPace, inSync)
				r.dir = filepath.Join(dir, fmt.Sprint(seed))
				prefix := fmt.Sprintf("%s/%d", strings.ReplaceAll(t.Name(), "/", "-"), seed)
				r.client = func() target.Target {
					to, err := target.Open(target.Location{
						Kind: target.KindS3, BaseURL: server.BaseURL, Bucket: server.Bucket, Prefix: prefix, PathStyle: server.PathStyle,
					}, target.Credentials{User: server.Username, Password: server.Password}, client)
					r.check("open the target", err)
					return to
				}
				fault(r)
				found := r.run(t.Context())
				if err := os.RemoveAll(r.dir); err != nil {
					found = append(found, err.Error())
				}
				mu.Lock()
				if len(found) > 0 && !ended.Swap(true) {
					wrong = append(found, fmt.Sprintf("race %d, which logged:\n%s", seed, r.log.text.String()))
				}
				mu.Unlock()
			}
		})
	}
	for _, seed := range seeds {
		queue <- seed
	}
	close(queue)
	workers.Wait()
	return wrong
}

// TestRacesOnS3 is TestRaces on an S3 server and by a real clock.
func TestRacesOnS3(t *testing.T) {
	server := storagetest.VersityGW(t) // before t.Parallel, see TestRacesOnS3FindFaults
	t.Parallel()
	for _, mode := range []string{"async", "sync"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			begun, all := time.Now(), seeds(2, 500)
			if wrong := racesOnS3(t, server, all, mode == "sync", func(*race) {}); len(wrong) > 0 {
				t.Error(strings.Join(wrong, "\n"))
			}
			t.Logf("%d races in %s", len(all), time.Since(begun).Round(time.Millisecond))
		})
	}
}

// TestRacesOnS3FindFaults is TestRacesFindFaults on an S3 server. It runs only with SVC_LONG=1. The server is started before
// other tests run: a child process holds the locks of files that are open while it begins, and the fake clock of other tests
// does not wait for it.
func TestRacesOnS3FindFaults(t *testing.T) {
	if os.Getenv("SVC_LONG") == "" {
		t.Skip("takes a minute: set SVC_LONG=1")
	}
	server := storagetest.VersityGW(t)
	t.Parallel()
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			isFound(t, racesOnS3(t, server, seeds(50, 50), true, func(r *race) {
				r.patience = 5 * time.Second
				fault(r)
			}))
		})
	}
}
