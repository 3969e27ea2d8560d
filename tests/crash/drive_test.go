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

// action is what an operation does to a drive.
type action uint8

const (
	write    action = iota // data at an offset of a file
	truncate               // a file, to the size in offset
	link                   // a name in a folder is a file or folder from now on
	unlink                 // a name in a folder is nothing any more
	rename                 // both, in one
	syncFile               // what was written to a file is safe
	syncDir                // the names in a folder are safe
)

// operation is one thing that a process did to a drive.
type operation struct {
	at           moment
	action       action
	node         int // the file or folder that it is about; of link and rename what gets the name
	dir, toDir   int
	name, toName string
	offset       int64
	data         []byte
	mode         os.FileMode // of link and rename: of what kind the node is, and who may use it
	covers       moment      // of a sync: when it began; what was done later is not safe by it
}

// rootNode is the folder in which everything is.
const rootNode = 0

// contents is what files and folders hold.
type contents struct {
	files   map[int][]byte
	folders map[int]map[string]int
	modes   map[int]os.FileMode
}

// drive is a disk that promises no more than it must: what was written to a file
// is safe after a sync of that file, a name after a sync of its folder, and
// nothing else ever, whatever came before or after it.
type drive struct {
	safe    contents
	waiting []operation // that are not safe, in their order
}

func newDrive() *drive { return &drive{safe: newContents()} }

func newContents() contents {
	return contents{files: map[int][]byte{}, folders: map[int]map[string]int{rootNode: {}}, modes: map[int]os.FileMode{}}
}

// do does one operation after the others.
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

// apply changes files in place where it can.
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

// grown is a file of at least a size. What was cut off comes back as zeros.
func grown(file []byte, size int64) []byte {
	more := size - int64(len(file))
	if more <= 0 {
		return file
	}
	return append(file, make([]byte, more)...)
}

// fate is what a power cut does to operations that are not safe.
type fate int

const (
	lost      fate = iota // all
	kept                  // all
	newest                // those after a point in time: written in another order
	oldest                // those before one
	scattered             // any
	fates
)

// survivors tells for each of n operations whether it survives.
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

// sector is what a disk writes as a whole.
const sector = 512

// cut is what is on the drive after a power cut: all that is safe, and of the
// rest what the fates of data and names leave. With torn, writes may be there
// in part.
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
		if !touched[o.node] { // the drive goes on with its own
			touched[o.node] = true
			after.files[o.node] = bytes.Clone(after.files[o.node])
		}
		for _, part := range tear(random, o, torn) {
			after.apply(part)
		}
	}
	return after
}

// tear is what becomes of a write: the whole of it, or some of its sectors.
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

// build makes the files of a folder and of those below it in a real folder.
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
			l.SetUnlinkOnClose(false) // as one that is left behind
			check(t, l.Close())
		default:
			check(t, os.WriteFile(path, c.files[child], mode.Perm()))
		}
	}
}
