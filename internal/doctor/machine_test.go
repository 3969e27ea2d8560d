package doctor

import (
	"runtime"
	"testing"
	"testing/fstest"
)

func TestFilesystem(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs the mount table in the form of Linux: run this on Linux")
	}
	const root = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
	on := func(kind string) string {
		return root + "40 27 0:50 / /data rw,relatime shared:7 - " + kind + " server:/x rw\n"
	}
	for _, tc := range []struct {
		name, mounts string
		status       Status
		what         string
	}{
		{"a local disk", root, OK, ""},
		{"another local disk", on("xfs"), OK, ""},
		{"NFS", on("nfs4"), Warning, "nfs4: it is a network file system"},
		{"SMB", on("cifs"), Warning, "network file system"},
		{"a folder of the machine around this one", on("9p"), Warning, "shared with another system"},
		{"a folder of Docker Desktop", on("virtiofs"), Warning, "shared with another system"},
		{"SSH over FUSE", on("fuse.sshfs"), Warning, "it is a FUSE file system"},
		{"a folder of Docker Desktop over FUSE", on("fuse.vboxsf"), Warning, "shared with another system"},
		{"NTFS on a disk", on("fuseblk"), OK, ""},
		{"memory", on("tmpfs"), Warning, "in memory and is lost"},
		{"the layer of a container", on("overlay"), Warning, "lost when the container is recreated"},
		{"a memory stick", on("vfat"), Warning, "no permissions"},
		{"a folder beside", root + "40 27 0:50 / /dataset rw - nfs server:/x rw\n", OK, ""},
		{"a folder below", root + "40 27 0:50 / /data/backups rw - nfs server:/x rw\n", OK, ""},
		{"the later of two mounts hides the other", on("nfs") + "41 40 0:51 / /data rw - ext4 /dev/vdb rw\n", OK, ""},
		{"lines that are none", "\nx\n1 2 - \n - a b\n" + root, OK, ""},
		{"nothing", "", Note, "unknown"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			expect(t, checkFilesystem(newInstallation(t, map[string]string{"proc/self/mountinfo": tc.mounts})), tc.status, tc.what)
		})
	}
}

func TestUnescape(t *testing.T) {
	t.Parallel()
	if got, want := unescape(`/my\040data\134x`), `/my data\x`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFastCommit(t *testing.T) {
	t.Parallel()
	const used = "fc stats:\n12 commits\n0 ineligible\n40 numblks\n"
	const unused = "fc stats:\n0 commits\n0 ineligible\n0 numblks\n0us avg_commit_time\n"
	for _, tc := range []struct {
		release, kind, info string
		status              Status
	}{
		{"5.9.16", "ext4", used, OK},
		{"5.10.0", "ext4", used, Warning},
		{"5.10.93-generic", "ext4", used, Warning},
		{"5.10.94", "ext4", used, OK},
		{"5.13.19", "ext4", used, Warning},
		{"5.15.26-1-pve", "ext4", used, Warning},
		{"5.15.27", "ext4", used, OK},
		{"5.16", "ext4", used, Warning},
		{"5.17.0", "ext4", used, OK},
		{"6.10.1", "ext4", used, OK},
		{"5.13.19", "ext4", unused, OK},
		{"5.13.19", "xfs", used, OK},
		{"what", "ext4", used, OK},
	} {
		p := newInstallation(t, map[string]string{
			"proc/sys/kernel/osrelease": tc.release + "\n",
			"proc/self/mountinfo":       "27 1 254:0 / / rw - " + tc.kind + " /dev/vda1 rw\n",
			"proc/fs/ext4/vda1/fc_info": tc.info,
		})
		t.Run(tc.release+" "+tc.kind, func(t *testing.T) {
			t.Parallel()
			expect(t, checkFastCommit(p), tc.status, "can damage databases")
		})
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	const gib = "1073741824\n"
	for _, tc := range []struct {
		name       string
		files      map[string]string
		goMemLimit string
		status     Status
		what       string
	}{
		{"no groups", nil, "", OK, ""},
		{"no limit", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "max\n"}, "64GiB", OK, ""},
		{"enough", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": gib}, "", OK, ""},
		{"too little", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": "134217728\n"}, "", Warning, "the memory limit is 128.0 MiB"},
		{"the group above has less", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/memory.max": gib, "sys/fs/cgroup/a/memory.max": "134217728\n"}, "", Warning, "128.0 MiB"},
		{"in a container", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "134217728\n"}, "", Warning, "128.0 MiB"},
		{"version 1", map[string]string{"proc/self/cgroup": "5:cpu:/\n4:memory:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "134217728\n"}, "", Warning, "128.0 MiB"},
		{"version 1 without a limit", map[string]string{"proc/self/cgroup": "4:memory:/x\n", "sys/fs/cgroup/memory/x/memory.limit_in_bytes": "9223372036854771712\n"}, "1GiB", OK, ""},
		{"Go may take less", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": gib}, "900MiB", OK, ""},
		{"Go may take more", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": gib}, "2GiB", Warning, "GOMEMLIMIT is 2.0 GiB, above"},
		{"Go has no limit", map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": gib}, "off", OK, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := newInstallation(t, tc.files)
			p.Environ = []string{"GOMEMLIMIT=" + tc.goMemLimit}
			expect(t, checkMemory(p), tc.status, tc.what)
		})
	}
	t.Run("of the server", func(t *testing.T) {
		t.Parallel()
		p := newInstallation(t, map[string]string{
			"proc/self/cgroup": "0::/\n", "proc/42/cgroup": "0::/svc\n", "sys/fs/cgroup/svc/memory.max": gib,
			"proc/42/environ": "A=1\x00GOMEMLIMIT=3GiB\x00",
		})
		p.Server = &Server{PID: 42}
		expect(t, checkMemory(p), Warning, "GOMEMLIMIT is 3.0 GiB")
	})
}

func TestHandles(t *testing.T) {
	t.Parallel()
	const head = "Limit                     Soft Limit           Hard Limit           Units     \n"
	for _, tc := range []struct {
		limits string
		status Status
	}{
		{head + "Max open files            1024                 4096                 files     \n", Warning},
		{head + "Max open files            65536                65536                files     \n", OK},
		{head + "Max open files            unlimited            unlimited            files     \n", OK},
		{head, OK},
	} {
		expect(t, checkHandles(newInstallation(t, map[string]string{"proc/self/limits": tc.limits})), tc.status, "only 1024 files")
	}
}

// FuzzMachine checks that no content of the machine's files makes a check panic.
func FuzzMachine(f *testing.F) {
	f.Add("27 1 254:0 / / rw - ext4 /dev/vda rw\n", "0::/a/b\n", "eth0\t00000000\t010011AC\t0003\n", "5.13.19", "128MiB")
	f.Add("\\040 - \n", "1:memory:../..\n::\n", "a 00000000 0", "5.", "-1TiB")
	f.Fuzz(func(t *testing.T, mounts, groups, routes, release, limit string) {
		machine := fstest.MapFS{
			".dockerenv":                &fstest.MapFile{},
			"proc/self/mountinfo":       &fstest.MapFile{Data: []byte(mounts)},
			"proc/self/cgroup":          &fstest.MapFile{Data: []byte(groups)},
			"proc/net/route":            &fstest.MapFile{Data: []byte(routes)},
			"proc/sys/kernel/osrelease": &fstest.MapFile{Data: []byte(release)},
			"proc/self/limits":          &fstest.MapFile{Data: []byte(mounts)},
			"sys/fs/cgroup/memory.max":  &fstest.MapFile{Data: []byte(limit)},
		}
		p := newInstallation(t, nil)
		p.Machine = machine
		p.Environ = []string{"GOMEMLIMIT=" + limit, "TZ=" + limit}
		for _, run := range []func(*Installation) []Finding{checkFilesystem, checkFastCommit, checkMemory, checkHandles, checkTimeZone} {
			for _, found := range run(p) {
				if found.What == "" || found.Repair == "" {
					t.Errorf("a finding says nothing: %+v", found)
				}
			}
		}
		if n, ok := parseBytes(limit); ok && n < 0 {
			t.Errorf("%q: got %d bytes", limit, n)
		}
		usesFastCommit(mounts)
	})
}
