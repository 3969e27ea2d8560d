package crash

import (
	"bytes"
	"context"
	"os"
	"sync"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// recorder is an in-memory file system that records all operations.
type recorder struct {
	mu         sync.Mutex // guards the following fields
	operations []operation
	nodes      int
}

// now returns the number of operations so far.
func (r *recorder) now() moment {
	r.mu.Lock()
	defer r.mu.Unlock()
	return moment(len(r.operations))
}

// record records an operation. The caller must hold mu.
func (r *recorder) record(o operation) {
	o.at = moment(len(r.operations) + 1)
	o.covers = o.at
	r.operations = append(r.operations, o)
}

// mount mounts a recorder and returns it as a device. If that is impossible on this machine, the
// error gives the reason.
func mount(t *testing.T) (*device, error) {
	t.Helper()
	r := &recorder{}
	dir := t.TempDir()
	root := &node{recorder: r, mode: syscall.S_IFDIR | 0o700}
	server, err := fs.Mount(dir, root, &fs.Options{
		MountOptions:    fuse.MountOptions{DirectMount: true, MaxWrite: 1 << 20, FsName: "svc-crash", Name: "svc-crash"},
		UID:             uint32(os.Getuid()),
		GID:             uint32(os.Getgid()),
		NullPermissions: true,
	})
	if err != nil {
		return nil, err
	}
	unmount := sync.OnceFunc(func() { check(t, server.Unmount()) })
	t.Cleanup(unmount)
	return &device{
		dir: dir, clock: r.now,
		ended: func(bool) error { return nil },
		done: func() []operation {
			unmount()
			return r.operations
		},
	}, nil
}

// node is a file, a directory or a socket.
type node struct {
	fs.Inode
	recorder *recorder
	number   int
	mode     uint32 // guarded by recorder.mu
	data     []byte // guarded by recorder.mu
}

var _ interface {
	fs.NodeCreater
	fs.NodeMkdirer
	fs.NodeMknoder
	fs.NodeLinker
	fs.NodeUnlinker
	fs.NodeRmdirer
	fs.NodeRenamer
	fs.NodeGetattrer
	fs.NodeSetattrer
	fs.NodeOpener
	fs.NodeReader
	fs.NodeWriter
	fs.NodeFsyncer
	fs.NodeAllocater
	fs.NodeStatfser
} = (*node)(nil)

// add creates an entry in a directory.
func (n *node) add(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) *fs.Inode {
	r := n.recorder
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nodes++
	child := &node{recorder: r, number: r.nodes, mode: mode}
	r.record(operation{action: link, dir: n.number, name: name, node: child.number, mode: fileMode(mode)})
	child.attributes(&out.Attr)
	return n.NewPersistentInode(ctx, child, fs.StableAttr{Mode: mode & syscall.S_IFMT})
}

func fileMode(mode uint32) os.FileMode {
	m := os.FileMode(mode & 0o777)
	switch mode & syscall.S_IFMT {
	case syscall.S_IFDIR:
		m |= os.ModeDir
	case syscall.S_IFSOCK:
		m |= os.ModeSocket
	}
	return m
}

func (n *node) Create(ctx context.Context, name string, _ uint32, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	return n.add(ctx, name, mode&0o777|syscall.S_IFREG, out), nil, fuse.FOPEN_KEEP_CACHE, 0
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.add(ctx, name, mode&0o777|syscall.S_IFDIR, out), 0
}

func (n *node) Mknod(ctx context.Context, name string, mode, _ uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	return n.add(ctx, name, mode, out), 0
}

func (n *node) Link(_ context.Context, target fs.InodeEmbedder, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	n.recorder.mu.Lock()
	defer n.recorder.mu.Unlock()
	of := target.(*node)
	n.recorder.record(operation{action: link, dir: n.number, name: name, node: of.number, mode: fileMode(of.mode)})
	of.attributes(&out.Attr)
	return of.EmbeddedInode(), 0
}

func (n *node) Unlink(_ context.Context, name string) syscall.Errno {
	n.recorder.mu.Lock()
	defer n.recorder.mu.Unlock()
	n.recorder.record(operation{action: unlink, dir: n.number, name: name})
	return 0
}

func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	if child := n.GetChild(name); child == nil || len(child.Children()) > 0 {
		return syscall.ENOTEMPTY
	}
	return n.Unlink(ctx, name)
}

func (n *node) Rename(_ context.Context, name string, to fs.InodeEmbedder, toName string, flags uint32) syscall.Errno {
	if flags != 0 {
		return syscall.EINVAL
	}
	n.recorder.mu.Lock()
	defer n.recorder.mu.Unlock()
	dir, child := to.(*node), n.GetChild(name).Operations().(*node)
	if there := dir.GetChild(toName); there != nil && len(there.Children()) > 0 {
		return syscall.ENOTEMPTY
	}
	n.recorder.record(operation{
		action: rename, dir: n.number, name: name, toDir: dir.number, toName: toName,
		node: child.number, mode: fileMode(child.mode),
	})
	return 0
}

// attributes sets the attributes of a node. The caller must hold recorder.mu.
func (n *node) attributes(out *fuse.Attr) {
	out.Mode, out.Size, out.Blocks = n.mode, uint64(len(n.data)), uint64(len(n.data)+511)/512
	out.Nlink, out.Blksize = 1, 4096
	out.Uid, out.Gid = uint32(os.Getuid()), uint32(os.Getgid())
}

func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	n.recorder.mu.Lock()
	defer n.recorder.mu.Unlock()
	n.attributes(&out.Attr)
	return 0
}

func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	n.recorder.mu.Lock()
	defer n.recorder.mu.Unlock()
	if size, ok := in.GetSize(); ok {
		n.resize(int64(size))
	}
	if mode, ok := in.GetMode(); ok { // no test depends on the permissions
		n.mode = n.mode&syscall.S_IFMT | mode&0o777
	}
	n.attributes(&out.Attr)
	return 0
}

// resize changes the size of a file. The caller must hold recorder.mu.
func (n *node) resize(size int64) {
	if int64(len(n.data)) == size {
		return
	}
	n.recorder.record(operation{action: truncate, node: n.number, offset: size})
	n.data = append([]byte(nil), grown(n.data, size)[:size]...)
}

func (n *node) Allocate(_ context.Context, _ fs.FileHandle, off, size uint64, _ uint32) syscall.Errno {
	n.recorder.mu.Lock()
	defer n.recorder.mu.Unlock()
	if end := int64(off + size); end > int64(len(n.data)) {
		n.resize(end)
	}
	return 0
}

func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&syscall.O_TRUNC != 0 {
		n.recorder.mu.Lock()
		defer n.recorder.mu.Unlock()
		n.resize(0)
	}
	return nil, fuse.FOPEN_KEEP_CACHE, 0
}

func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	n.recorder.mu.Lock()
	defer n.recorder.mu.Unlock()
	if off >= int64(len(n.data)) {
		return fuse.ReadResultData(nil), 0
	}
	return fuse.ReadResultData(dest[:copy(dest, n.data[off:])]), 0
}

func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	n.recorder.mu.Lock()
	defer n.recorder.mu.Unlock()
	n.recorder.record(operation{action: write, node: n.number, offset: off, data: bytes.Clone(data)})
	n.data = grown(n.data, off+int64(len(data)))
	copy(n.data[off:], data)
	return uint32(len(data)), 0
}

func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno {
	n.recorder.mu.Lock()
	defer n.recorder.mu.Unlock()
	o := operation{action: syncFile, node: n.number}
	if n.IsDir() {
		o.action = syncDir
	}
	n.recorder.record(o)
	return 0
}

// Statfs reports that there is enough free space.
func (n *node) Statfs(_ context.Context, out *fuse.StatfsOut) syscall.Errno {
	out.Bsize, out.Frsize, out.NameLen = 4096, 4096, 255
	out.Blocks, out.Bfree, out.Bavail = 1<<28, 1<<27, 1<<27
	return 0
}
