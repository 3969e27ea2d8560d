package crash

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// do records an operation and applies it.
func (tr *tracer) do(o operation) {
	if o.action != syncFile && o.action != syncDir {
		tr.now.apply(o)
	}
	tr.operations = append(tr.operations, o)
}

// entry is a name on the drive, and the file or directory that has the name.
type entry struct {
	dir   int
	name  string
	node  int
	there bool
}

// find looks up a path. ok is false if the path is not on the drive.
func (tr *tracer) find(path string) (e entry, ok bool) {
	rest, ok := strings.CutPrefix(filepath.Clean(path), tr.root)
	if !ok || rest != "" && rest[0] != '/' {
		return e, false
	}
	e = entry{dir: -1, node: rootNode, there: true}
	for name := range strings.SplitSeq(strings.TrimPrefix(rest, "/"), "/") {
		if name == "" {
			break
		}
		if !e.there {
			return e, false
		}
		e.dir, e.name = e.node, name
		e.node, e.there = tr.now.folder(e.dir)[name]
	}
	return e, true
}

// path returns the path in the arguments of a call. The arguments are either a directory and a
// name, or only a path.
func path(args ...string) (string, error) {
	name, err := unquote(args[len(args)-1])
	if err != nil || len(args) == 1 || filepath.IsAbs(string(name)) {
		return string(name), err
	}
	_, dir, err := descriptor(args[0])
	return filepath.Join(dir, string(name)), err
}

// replay applies the effects of a call to the drive.
func (tr *tracer) replay(c call) error {
	switch c.name {
	case "open", "creat", "mkdir", "unlink", "rmdir":
		return tr.replayName(c, c.args[:1], c.args[1:])
	case "openat", "mkdirat", "unlinkat":
		return tr.replayName(c, c.args[:2], c.args[2:])
	case "rename", "link":
		return tr.replayTwo(c, c.args[:1], c.args[1:2])
	case "renameat", "renameat2", "linkat":
		return tr.replayTwo(c, c.args[:2], c.args[2:4])
	case "bind":
		_, address, ok := strings.Cut(strings.Join(c.args, ","), "sun_path=")
		if !ok {
			return nil
		}
		address, _, _ = strings.Cut(address, "}")
		return tr.replayName(c, []string{address}, nil)
	}
	return tr.replayFile(c)
}

func (tr *tracer) replayName(c call, where, rest []string) error {
	at, err := path(where...)
	if err != nil {
		return err
	}
	e, ok := tr.find(at)
	if !ok {
		return nil
	}
	var mode os.FileMode
	switch strings.TrimSuffix(c.name, "at") {
	case "unlink", "rmdir":
		tr.do(operation{at: c.end, action: unlink, dir: e.dir, name: e.name})
		return nil
	case "mkdir":
		mode = os.ModeDir | 0o700
	case "bind":
		mode = os.ModeSocket | 0o600
	default:
		tr.positions[number(c.result)] = 0
		if e.there && (c.name == "creat" || strings.Contains(rest[0], "O_TRUNC")) {
			tr.do(operation{at: c.end, action: truncate, node: e.node})
		}
		if e.there || c.name != "creat" && !strings.Contains(rest[0], "O_CREAT") {
			return nil
		}
		mode = 0o600
	}
	tr.nodes++
	tr.do(operation{at: c.end, action: link, dir: e.dir, name: e.name, node: tr.nodes, mode: mode})
	return nil
}

func (tr *tracer) replayTwo(c call, from, to []string) error {
	was, err := path(from...)
	if err != nil {
		return err
	}
	is, err := path(to...)
	if err != nil {
		return err
	}
	a, ok := tr.find(was)
	b, okB := tr.find(is)
	if !ok || !okB {
		return nil
	}
	o := operation{at: c.end, action: rename, dir: a.dir, name: a.name, toDir: b.dir, toName: b.name, node: a.node, mode: tr.now.modes[a.node]}
	if strings.HasPrefix(c.name, "link") {
		o = operation{at: c.end, action: link, dir: b.dir, name: b.name, node: a.node, mode: tr.now.modes[a.node]}
	}
	tr.do(o)
	return nil
}

// number returns the first number in a text.
func number(text string) string {
	end := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		return text
	}
	return text[:end]
}

func (tr *tracer) replayFile(c call) error {
	fd, path, err := descriptor(c.args[0])
	if err != nil {
		return err
	}
	e, ok := tr.find(path)
	if !ok || !e.there {
		return nil
	}
	o := operation{at: c.end, node: e.node}
	switch c.name {
	case "fsync", "fdatasync":
		o.action, o.covers = syncFile, c.begin
		if e.node == rootNode || tr.now.modes[e.node].IsDir() {
			o.action = syncDir
		}
	case "ftruncate":
		o.action = truncate
		o.offset, err = strconv.ParseInt(c.args[1], 10, 64)
	case "fallocate":
		return errors.New("not expected of this program")
	case "lseek":
		tr.positions[fd], err = strconv.ParseInt(number(c.result), 10, 64)
		return err
	case "write", "pwrite64":
		if o.data, err = unquote(c.args[1]); err != nil {
			return err
		}
		if n := number(c.result); n != strconv.Itoa(len(o.data)) {
			return fmt.Errorf("only %s bytes were written", n)
		}
		if c.name == "pwrite64" {
			o.offset, err = strconv.ParseInt(c.args[3], 10, 64)
		} else {
			o.offset = tr.positions[fd]
			tr.positions[fd] += int64(len(o.data))
		}
	}
	if err == nil {
		tr.do(o)
	}
	return err
}

// catchUp records the effects of calls that were interrupted and are not in the trace. It finds
// them by comparing the real directory with the known contents. It returns the number of files and
// names that differ.
func (tr *tracer) catchUp(at moment) (n int, err error) {
	seen := map[string]bool{}
	err = filepath.WalkDir(tr.root, func(path string, d fs.DirEntry, err error) error {
		e, ok := tr.find(path)
		if err != nil || !ok {
			return err
		}
		seen[path] = true
		if !e.there {
			n++
			tr.nodes++
			e.node = tr.nodes
			tr.do(operation{at: at, action: link, dir: e.dir, name: e.name, node: e.node, mode: d.Type() | 0o700})
		}
		if !d.Type().IsRegular() {
			return nil
		}
		content, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(content, tr.now.files[e.node]) {
			n++
			tr.differ(e.node, content, at)
		}
		return err
	})
	for path, e := range tr.now.paths(rootNode, tr.root) {
		if !seen[path] {
			n++
			tr.do(operation{at: at, action: unlink, dir: e.dir, name: e.name})
		}
	}
	return n, err
}

// differ records a write if the content of a file differs from the known content.
func (tr *tracer) differ(node int, content []byte, at moment) {
	if len(content) != len(tr.now.files[node]) {
		tr.do(operation{at: at, action: truncate, node: node, offset: int64(len(content))})
	}
	known := tr.now.files[node]
	from, to := 0, len(content)
	for from < to && content[from] == known[from] {
		from++
	}
	for to > from && content[to-1] == known[to-1] {
		to--
	}
	if from < to {
		tr.do(operation{at: at, action: write, node: node, offset: int64(from), data: content[from:to]})
	}
}

// paths returns all names below a directory.
func (c *contents) paths(node int, above string) map[string]entry {
	all := map[string]entry{}
	for name, child := range c.folders[node] {
		path := filepath.Join(above, name)
		all[path] = entry{dir: node, name: name, node: child}
		maps.Copy(all, c.paths(child, path))
	}
	return all
}
