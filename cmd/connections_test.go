package cmd

import "testing"

func TestMostConnections(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		files uint64
		want  int
	}{
		{0, 10_000}, // no limit is known
		{64, 32},
		{256, 128},
		{1024, 768},
		{4096, 3840},
		{1 << 40, 10_000},
		{1<<64 - 1, 10_000},
	} {
		if got := mostConnections(tc.files); got != tc.want {
			t.Errorf("with %d files: got %d connections, want %d", tc.files, got, tc.want)
		}
	}
}
