package crash

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// action is a kind of operation on a drive.
type action uint8

const (
	write    action = iota // writes data at an offset of a file
	truncate               // sets the size of a file to offset
	link                   // binds a name in a directory to a file or directory
	unlink                 // removes a name from a directory
	rename                 // a link and an unlink in one atomic step
	syncFile               // makes the data of a file durable
	syncDir                // makes the names in a directory durable
)

// operation is one operation of a process on a drive.
type operation struct {
	at           moment
	action       action
	node         int // the affected file or directory; for link and rename, the one that gets the name
	dir, toDir   int
	name, toName string
	offset       int64
	data         []byte
	mode         os.FileMode // for link and rename: type and permissions of the file or directory
	covers       moment      // for a sync: the time at which it began; it does not cover later operations
}

// rootNode is the top directory.
const rootNode = 0

// contents holds the content of files and directories.
type contents struct {
	files   map[int][]byte
	folders map[int]map[string]int
	modes   map[int]os.FileMode
}

// drive is a disk that gives only the guarantees that programs may rely on. The data of a file is
// durable after a sync of the file. A name is durable after a sync of its directory. Nothing else
// is guaranteed, not even an order.
type drive struct {
	safe    contents
	waiting []operation // operations that are not durable, in order
}

func newDrive() *drive { return &drive{safe: newContents()} }

func newContents() contents {
	return contents{files: map[int][]byte{}, folders: map[int]map[string]int{rootNode: {}}, modes: map[int]os.FileMode{}}
}

// do performs an operation.
func (d *drive) do(o operation) {
	if o.action != syncFile && o.action != syncDir {
		d.waiting = append(d.waiting, o)
		return
	}
	d.waiting = slices.DeleteFunc(d.waiting, func(one operation) bool {
		covered := false
		switch one.action {
		case write, truncate:
			covered = o.action == syncFile && one.node == o.node
		case link, unlink:
			covered = o.action == syncDir && one.dir == o.node
		default:
			covered = o.action == syncDir && (one.dir == o.node || one.toDir == o.node)
		}
		if covered = covered && one.at <= o.covers; covered {
			d.safe.apply(one)
		}
		return covered
	})
}

// apply applies an operation to the contents. It modifies them in place if possible.
func (c *contents) apply(o operation) {
	switch o.action {
	case write:
		c.files[o.node] = grown(c.files[o.node], o.offset+int64(len(o.data)))
		copy(c.files[o.node][o.offset:], o.data)
	case truncate:
		c.files[o.node] = grown(c.files[o.node], o.offset)[:o.offset]
	case link:
		c.folder(o.dir)[o.name] = o.node
		c.modes[o.node] = o.mode
	case unlink:
		delete(c.folder(o.dir), o.name)
	case rename:
		delete(c.folder(o.dir), o.name)
		c.folder(o.toDir)[o.toName] = o.node
		c.modes[o.node] = o.mode
	}
}

func (c *contents) folder(node int) map[string]int {
	if c.folders[node] == nil {
		c.folders[node] = map[string]int{}
	}
	return c.folders[node]
}

// grown extends a file with zeros to at least the given size.
func grown(file []byte, size int64) []byte {
	more := size - int64(len(file))
	if more <= 0 {
		return file
	}
	return append(file, make([]byte, more)...)
}

// fate determines which non-durable operations survive a power failure.
type fate int

const (
	lost      fate = iota // none survive
	kept                  // all survive
	newest                // those after a random time survive, as if the drive had reordered them
	oldest                // those before a random time survive
	scattered             // a random subset survives
	fates
)

// survivors reports which of n operations survive.
func (f fate) survivors(random *rand.Rand, n int) []bool {
	all := make([]bool, n)
	cut, share := random.IntN(n+1), random.Float64()
	for i := range all {
		switch f {
		case lost:
		case kept:
			all[i] = true
		case newest:
			all[i] = i >= cut
		case oldest:
			all[i] = i < cut
		default:
			all[i] = random.Float64() < share
		}
	}
	return all
}

// sector is the unit that a disk writes atomically.
const sector = 512

// cut returns the content of the drive after a power failure. Everything durable survives. Of the
// other operations, those survive that the fates of data and names select. If torn is true, a write
// may survive in part.
func (d *drive) cut(random *rand.Rand, data, names fate, torn bool) *contents {
	after := &contents{files: maps.Clone(d.safe.files), folders: map[int]map[string]int{}, modes: maps.Clone(d.safe.modes)}
	for node, entries := range d.safe.folders {
		after.folders[node] = maps.Clone(entries)
	}
	dataKept, namesKept := data.survivors(random, len(d.waiting)), names.survivors(random, len(d.waiting))
	touched := map[int]bool{}
	for i, o := range d.waiting {
		if o.action != write && o.action != truncate {
			if namesKept[i] {
				after.apply(o)
			}
			continue
		}
		if !dataKept[i] {
			continue
		}
		if !touched[o.node] { // copy it first, so that the drive's own content does not change
			touched[o.node] = true
			after.files[o.node] = bytes.Clone(after.files[o.node])
		}
		for _, part := range tear(random, o, torn) {
			after.apply(part)
		}
	}
	return after
}

// tear returns the parts of a write that survive: the whole write, or some of its sectors if torn
// is true.
func tear(random *rand.Rand, o operation, torn bool) (parts []operation) {
	if !torn || o.action != write || random.IntN(3) == 0 {
		return []operation{o}
	}
	share := random.Float64()
	for at := int64(0); at < int64(len(o.data)); {
		end := min(int64(len(o.data)), (o.offset+at)/sector*sector+sector-o.offset)
		if random.Float64() < share {
			parts = append(parts, operation{action: write, node: o.node, offset: o.offset + at, data: o.data[at:end]})
		}
		at = end
	}
	return parts
}

// build recreates a directory and its subdirectories in a real directory.
func (c *contents) build(t *testing.T, node int, to string) {
	t.Helper()
	check(t, os.MkdirAll(to, 0o700))
	for name, child := range c.folders[node] {
		path, mode := filepath.Join(to, name), c.modes[child]
		switch {
		case mode.IsDir():
			c.build(t, child, path)
			check(t, os.Chmod(path, mode.Perm()))
		case mode&os.ModeSocket != 0:
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path})
			check(t, err)
			l.SetUnlinkOnClose(false) // leave the socket behind, like a killed process does
			check(t, l.Close())
		default:
			check(t, os.WriteFile(path, c.files[child], mode.Perm()))
		}
	}
}
