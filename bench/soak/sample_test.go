package soak

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
)

// sample holds the resources used by an idle server. Values that are only available on Linux are 0
// on other systems.
type sample struct {
	memory     int64 // bytes of memory, without mapped files
	files      int64 // bytes in the data directory
	open       int64 // open files and connections
	goroutines int64
	readers    int64 // open read transactions of both databases
}

func (s sample) String() string {
	return fmt.Sprintf("%d MiB of memory, %d MiB of files, %d open files, %d goroutines, %d read transactions", s.memory>>20, s.files>>20, s.open, s.goroutines, s.readers)
}

// sample returns the resources that the server uses now.
func (s *soak) sample() (now sample, err error) {
	now.memory = s.server.Memory().Own
	for _, m := range []struct {
		into *int64
		name string
	}{
		{&now.goroutines, "go_goroutines"}, {&now.open, "process_open_fds"},
		{&now.readers, "svc_store_read_transactions"}, {&now.readers, "svc_events_read_transactions"},
	} {
		value, err := s.server.Metric(s.ctx, m.name)
		if err != nil {
			return now, err
		}
		*m.into += int64(value)
	}
	err = filepath.WalkDir(s.data, func(_ string, d fs.DirEntry, err error) error {
		var info fs.FileInfo
		if err == nil {
			info, err = d.Info()
		}
		if errors.Is(err, fs.ErrNotExist) { // the index has removed the file since the folder was read
			return nil
		}
		if err == nil && info.Mode().IsRegular() {
			now.files += info.Size()
		}
		return err
	})
	return now, err
}

// peak returns the maximum of each value in samples.
func peak(samples []sample) (most sample) {
	for _, s := range samples {
		most.memory, most.files = max(most.memory, s.memory), max(most.files, s.files)
		most.open, most.goroutines = max(most.open, s.open), max(most.goroutines, s.goroutines)
		most.readers = max(most.readers, s.readers)
	}
	return most
}

// grown returns the names of the values that are larger in the last third of the samples than in
// the second third. The first third is for warming up. Without growth, a value still varies, so an
// increase counts only if it exceeds a quarter plus a constant.
func grown(samples []sample) (all []string) {
	third := len(samples) / 3
	before, after := peak(samples[third:2*third]), peak(samples[2*third:])
	for _, c := range []struct {
		what                 string
		before, after, slack int64
	}{
		{"memory in bytes", before.memory, after.memory, 32 << 20},
		{"data directory in bytes", before.files, after.files, 32 << 20},
		{"open files", before.open, after.open, 16},
		{"goroutines", before.goroutines, after.goroutines, 16},
		{"read transactions", before.readers, after.readers, 2},
	} {
		if limit := c.before*5/4 + c.slack; c.after > limit {
			all = append(all, fmt.Sprintf("%s: up to %d in the second third of the time and %d in the last one, want at most %d", c.what, c.before, c.after, limit))
		}
	}
	return all
}

// TestGrowthIsFound checks that grown reports a value that grows with every sample, and does not
// report one that only varies.
func TestGrowthIsFound(t *testing.T) {
	t.Parallel()
	var steady, growing []sample
	for n := range int64(300) {
		steady = append(steady, sample{memory: (80 + n%7*5) << 20, files: (200 + n%5*20) << 20, open: 40 + n%3, goroutines: 30 + n%9, readers: n % 2})
		growing = append(growing, sample{memory: n << 20, files: n << 20, open: n, goroutines: n, readers: n})
	}
	if got := grown(steady); len(got) > 0 {
		t.Errorf("steady: got %q", got)
	}
	if got := grown(growing); len(got) != 5 {
		t.Errorf("growing: got %q, want all five", got)
	}
}
