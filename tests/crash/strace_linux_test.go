package crash

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// tracedCalls lists the system calls that change files, names or file offsets.
const tracedCalls = "openat,open,creat,write,pwrite64,lseek,ftruncate,fallocate,rename,renameat,renameat2," +
	"unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,fsync,fdatasync,bind"

// straced returns a command that traces a program with strace. The trace has a separate file for
// each thread, and all texts in it are in hexadecimal. The traced program remains a child of the
// process that starts the command, so that it can be killed.
func straced(trace string) []string {
	return []string{
		"strace", "-D", "-ff", "-y", "-xx", "-s", strconv.Itoa(1 << 28), "-e", "signal=none", "-e", "trace=" + tracedCalls,
		"--seccomp-bpf", "--absolute-timestamps=unix,ns", "--syscall-times=ns", "-o", trace,
	}
}

// trace returns a device for a directory, which traces the servers with strace. If that is
// impossible on this machine, the error gives the reason.
func trace(t *testing.T) (*device, error) {
	t.Helper()
	traces, n := t.TempDir(), 0
	name := func() string { return filepath.Join(traces, strconv.Itoa(n)) }
	probe := straced(filepath.Join(traces, "probe"))
	if out, err := exec.Command(probe[0], append(probe[1:], os.Args[0], "-test.run=^$")...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	dir := t.TempDir()
	tr := &tracer{root: dir, now: newContents()}
	return &device{
		dir:    dir,
		clock:  func() moment { return moment(time.Now().UnixNano()) },
		before: func() []string { return straced(name()) },
		ended: func(killed bool) error {
			if err := tr.read(name()); err != nil {
				return err
			}
			n++
			missed, err := tr.catchUp(moment(time.Now().UnixNano()))
			if err == nil && missed > 0 && !killed {
				err = fmt.Errorf("%d files are not as the trace says", missed)
			}
			return err
		},
		done: func() []operation { return tr.operations },
	}, nil
}

// call is a line of a trace.
type call struct {
	name       string
	begin, end moment // Unix time in nanoseconds
	args       []string
	result     string
}

// parseCall parses a line of a trace. ok is false if the line is not a completed call.
func parseCall(line string) (c call, ok bool, err error) {
	stamp, rest, _ := strings.Cut(line, " ")
	name, rest, found := strings.Cut(rest, "(")
	at := strings.LastIndex(rest, ") = ")
	if !found || at < 0 || strings.HasSuffix(rest, "= ?") {
		return c, false, nil
	}
	result, took, timed := cutTime(rest[at+len(") = "):])
	if !timed {
		return c, false, fmt.Errorf("trace has a line without times: %.200s", line)
	}
	seconds, err := nanoseconds(strings.TrimSuffix(took, ">"))
	begin, stampErr := nanoseconds(stamp)
	if err := errors.Join(err, stampErr); err != nil {
		return c, false, fmt.Errorf("trace has a line with bad times: %.200s: %w", line, err)
	}
	return call{name, begin, begin + seconds, splitArgs(rest[:at]), result}, true, nil
}

// cutTime separates the result of a call from its duration, which is in angle brackets.
func cutTime(text string) (result, took string, ok bool) {
	at := strings.LastIndex(text, " <")
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+2:], true
}

// nanoseconds converts a text in seconds with nine decimals to nanoseconds.
func nanoseconds(text string) (moment, error) {
	seconds, fraction, ok := strings.Cut(text, ".")
	if !ok || len(fraction) != 9 {
		return 0, fmt.Errorf("no time in nanoseconds: %q", text)
	}
	n, err := strconv.ParseInt(seconds+fraction, 10, 64)
	return moment(n), err
}

// splitArgs splits the arguments of a call.
func splitArgs(text string) (args []string) {
	depth, quoted, from := 0, false, 0
	for i := range len(text) {
		switch text[i] {
		case '"':
			quoted = !quoted // hexadecimal texts contain no other quotation marks
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if !quoted && depth == 0 {
				args = append(args, strings.TrimSpace(text[from:i]))
				from = i + 1
			}
		}
	}
	return append(args, strings.TrimSpace(text[from:]))
}

// unquote decodes a hexadecimal text. Quotation marks around it are optional.
func unquote(text string) ([]byte, error) {
	if strings.HasSuffix(text, "...") {
		return nil, errors.New("trace has a text that is cut")
	}
	return hex.DecodeString(strings.ReplaceAll(strings.Trim(text, `"`), `\x`, ""))
}

// descriptor parses a file descriptor annotated with its path.
func descriptor(arg string) (number, path string, err error) {
	number, shown, ok := strings.Cut(arg, "<")
	if !ok {
		return number, "", nil
	}
	shown, _, _ = strings.Cut(shown, ">")
	if !strings.HasPrefix(shown, `\x`) {
		return number, "", nil // a socket, which has no path
	}
	b, err := unquote(shown)
	return number, string(b), err
}

// tracer converts traces of system calls to operations on a drive.
type tracer struct {
	root       string // path of the drive
	operations []operation
	now        contents // current content of the drive
	nodes      int
	positions  map[string]int64 // file offsets by descriptor
}

// read reads the traces of all threads of a finished process.
func (tr *tracer) read(trace string) error {
	files, err := filepath.Glob(trace + ".*")
	if err != nil {
		return err
	}
	var calls []call
	for _, name := range files {
		list, err := tr.readThread(name)
		if err != nil {
			return err
		}
		calls = append(calls, list...)
	}
	slices.SortStableFunc(calls, func(a, b call) int { return cmp.Compare(a.end, b.end) })
	tr.positions = map[string]int64{}
	for _, c := range calls {
		if err := tr.replay(c); err != nil {
			return fmt.Errorf("replay %s(%.300s): %w", c.name, strings.Join(c.args, ", "), err)
		}
	}
	return nil
}

// readThread reads the trace of one thread. It skips long lines that do not concern the drive.
func (tr *tracer) readThread(name string) (calls []call, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	below := []byte(quoted(tr.root))
	for lines := bufio.NewReaderSize(file, 1<<20); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return calls, nil // the process was killed during this call
		}
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(line, below) && !bytes.Contains(line, []byte(" bind(")) {
			continue
		}
		c, ok, err := parseCall(string(bytes.TrimSuffix(line, []byte("\n"))))
		if err != nil {
			return nil, err
		}
		if ok && !strings.HasPrefix(c.result, "-1") {
			calls = append(calls, c)
		}
	}
}

// quoted returns a text in the hexadecimal form that traces contain.
func quoted(text string) string {
	var b strings.Builder
	for i := range len(text) {
		fmt.Fprintf(&b, `\x%02x`, text[i])
	}
	return b.String()
}
