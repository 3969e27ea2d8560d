package svcsdk

import (
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// frame is a place in the program. It has the file's name but not its folder, which may contain a
// user's name.
type frame struct {
	function, file string
	number         int // line number, or 0 if it is not known
}

// String returns the frame without the line number, which changes between versions.
func (f frame) String() string {
	if f.file == "" {
		return f.function
	}
	return f.function + " (" + f.file + ")"
}

// line returns the frame as a line of a stack trace.
func (f frame) line() string {
	if f.number == 0 {
		return f.String()
	}
	return f.function + " (" + f.file + ":" + strconv.Itoa(f.number) + ")"
}

// callers returns the stack, starting skip frames above its caller.
func callers(skip int) []frame {
	const most = 64
	pcs := make([]uintptr, most)
	pcs = pcs[:runtime.Callers(skip+2, pcs)]
	return framesOf(pcs)
}

func framesOf(pcs []uintptr) []frame {
	if len(pcs) == 0 {
		return nil
	}
	var out []frame
	for frames := runtime.CallersFrames(pcs); ; {
		f, more := frames.Next()
		if f.Function != "" && f.Function != "runtime.goexit" && f.Function != "runtime.main" {
			out = append(out, frame{shortFunction(f.Function), filepath.Base(f.File), f.Line})
		}
		if !more {
			return out
		}
	}
}

// shortFunction returns the name of a function without the folder of its package.
func shortFunction(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// packageOf returns the package of the function at pc, or "" if it is not known.
func packageOf(pc uintptr) string {
	if pc == 0 {
		return ""
	}
	f, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	slash := strings.LastIndexByte(f.Function, '/') + 1
	name, _, _ := strings.Cut(f.Function[slash:], ".")
	return f.Function[:slash] + name
}

// panicking returns the frames from the panicking function outwards. It removes the frames of
// deferred functions and of the runtime.
func panicking(frames []frame) []frame {
	for i, f := range frames {
		if f.function == "runtime.gopanic" || f.function == "panic" {
			frames = frames[i+1:]
			break
		}
	}
	for len(frames) > 0 && strings.HasPrefix(frames[0].function, "runtime.") {
		frames = frames[1:]
	}
	return frames
}

// parseCrash parses the text that the runtime writes when a program ends with a panic or a fatal
// error.
func parseCrash(text string) (f fault, ok bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		kind, message, found := strings.Cut(line, ": ")
		switch {
		case !ok && found && (kind == "panic" || kind == "fatal error"):
			f.kind, f.message, ok = kind, message, true
		case !ok:
		case strings.HasPrefix(line, "goroutine ") && len(f.frames) > 0:
			f.frames = panicking(f.frames)
			return f, true
		case strings.HasPrefix(line, "\t"):
			f.locate(line)
		case line != "" && !strings.HasPrefix(line, "goroutine ") && strings.Contains(line, "("):
			function := strings.TrimPrefix(line, "created by ")
			if i := strings.LastIndexByte(function, '('); i > 0 {
				function = function[:i]
			}
			f.frames = append(f.frames, frame{function: shortFunction(function)})
		}
	}
	f.frames = panicking(f.frames)
	return f, ok
}

// locate parses a line of a stack trace, and sets the file and the line number of the last frame.
func (f *fault) locate(line string) {
	if len(f.frames) == 0 {
		return
	}
	last := &f.frames[len(f.frames)-1]
	path, number, _ := strings.Cut(strings.TrimSpace(line), ".go:")
	number, _, _ = strings.Cut(number, " ")
	n, err := strconv.Atoi(number)
	if err != nil || last.file != "" {
		return
	}
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	last.file, last.number = path+".go", n
}
