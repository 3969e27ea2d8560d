package machine

import (
	"testing"
	"testing/fstest"
)

func TestMemoryLimit(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		files map[string]string
		want  int64 // 0 = no limit
	}{
		{"no control groups", map[string]string{}, 0},
		{"version 2, without a limit", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n"}, 0},
		{"version 2, of a service", map[string]string{"proc/self/cgroup": "0::/system.slice/svc.service\n", "sys/fs/cgroup/system.slice/svc.service/memory.max": "268435456\n"}, 268435456},
		{"version 2, of a container", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "268435456\n"}, 268435456},
		{"version 2, of the slice above", map[string]string{"proc/self/cgroup": "0::/a.slice/b\n", "sys/fs/cgroup/a.slice/b/memory.max": "max\n", "sys/fs/cgroup/a.slice/memory.max": "1000\n"}, 1000},
		{"version 2, the least of several", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "2000\n", "sys/fs/cgroup/a/memory.max": "3000\n"}, 2000},
		{"version 1", map[string]string{"proc/self/cgroup": "9:cpu,cpuacct:/x\n4:memory:/docker/1\n", "sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes": "4000\n"}, 4000},
		{"version 1, with several controllers", map[string]string{"proc/self/cgroup": "4:cpu,memory:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "4000\n"}, 4000},
		{"version 1, without a limit", map[string]string{"proc/self/cgroup": "4:memory:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		{"version 1, seen from inside a container", map[string]string{"proc/self/cgroup": "4:memory:/docker/1\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "5000\n"}, 5000},
		{"version 1, no memory controller", map[string]string{"proc/self/cgroup": "9:cpu:/x\n", "sys/fs/cgroup/memory/memory.limit_in_bytes": "5000\n"}, 0},
		{"both versions", map[string]string{"proc/self/cgroup": "4:memory:/x\n0::/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "6000\n"}, 6000},
		{"a path that climbs", map[string]string{"proc/self/cgroup": "0::/../../a\n", "sys/fs/cgroup/a/memory.max": "7000\n"}, 7000},
		{"lines that mean nothing", map[string]string{"proc/self/cgroup": "x\n\n0:\n"}, 0},
		{"a limit that means nothing", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "-1\n"}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			root := fstest.MapFS{}
			for name, text := range tc.files {
				root[name] = &fstest.MapFile{Data: []byte(text)}
			}
			got, found := MemoryLimit(root, "self")
			if got != tc.want || found != (tc.want > 0) {
				t.Errorf("got %d %t, want %d", got, found, tc.want)
			}
		})
	}
}

func TestContainerGateway(t *testing.T) {
	t.Parallel()
	const routes = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\n" +
		"eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\n" +
		"eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\n"
	for _, tc := range []struct {
		name  string
		files []string
		want  string
	}{
		{"Docker", []string{".dockerenv"}, "172.17.0.1"},
		{"Podman", []string{"run/.containerenv"}, "172.17.0.1"},
		{"no container", nil, "invalid IP"},
	} {
		machine := fstest.MapFS{"proc/net/route": &fstest.MapFile{Data: []byte(routes)}}
		for _, name := range tc.files {
			machine[name] = &fstest.MapFile{}
		}
		if got := ContainerGateway(machine).String(); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
	if got := ContainerGateway(fstest.MapFS{".dockerenv": &fstest.MapFile{}}); got.IsValid() {
		t.Errorf("without routes: got %s, want none", got)
	}
}

// FuzzMachine checks that no content of the files makes a function panic.
func FuzzMachine(f *testing.F) {
	f.Add("0::/a/b\n", "eth0\t00000000\t010011AC\t0003\n", "1000")
	f.Add("1:memory:../..\n::\n", "a 00000000 0", "max")
	f.Fuzz(func(t *testing.T, groups, routes, limit string) {
		root := fstest.MapFS{
			".dockerenv":               &fstest.MapFile{},
			"proc/self/cgroup":         &fstest.MapFile{Data: []byte(groups)},
			"proc/net/route":           &fstest.MapFile{Data: []byte(routes)},
			"sys/fs/cgroup/memory.max": &fstest.MapFile{Data: []byte(limit)},
		}
		if gateway := ContainerGateway(root); gateway.IsValid() && !gateway.Is4() {
			t.Errorf("got gateway %s", gateway)
		}
		if n, ok := MemoryLimit(root, "self"); ok && n <= 0 {
			t.Errorf("got a limit of %d bytes", n)
		}
	})
}
