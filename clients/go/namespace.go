package svcsdk

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// namespace returns the name under which the local state for a project on a server is stored. All
// client libraries compute the same name.
func namespace(base, project string) string {
	key := lowerASCII(strings.TrimSpace(project))
	if key == "" {
		key = "default"
	}
	return fingerprint(origin(base)) + "-" + key
}

// origin returns the scheme, host and port of a base address. They identify a server.
func origin(base string) string {
	base = strings.TrimSpace(base)
	scheme, rest, ok := strings.Cut(base, "://")
	if !ok {
		return lowerASCII(base)
	}
	scheme = lowerASCII(scheme)
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	host := lowerASCII(rest[strings.LastIndexByte(rest, '@')+1:])
	host = strings.TrimSuffix(host, ":")
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return scheme + "://" + host
}

// fingerprint returns the 32-bit FNV-1a hash of a text.
func fingerprint(text string) string {
	h := fnv.New32a()
	h.Write([]byte(text))
	return fmt.Sprintf("%08x", h.Sum32())
}

func lowerASCII(text string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text)
}

// sameProject reports whether two keys belong to the same project. It ignores case and surrounding
// spaces, as the function namespace does.
func sameProject(a, b string) bool {
	return lowerASCII(strings.TrimSpace(a)) == lowerASCII(strings.TrimSpace(b))
}

// stateFileStem returns the name of a namespace's file, without its extension.
func stateFileStem(namespace string) string {
	const most = 96
	name := strings.Map(func(r rune) rune {
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._-", r) {
			return r
		}
		return '_'
	}, namespace)
	return name[:min(len(name), most)]
}

// stateDir returns the folder in which client libraries store state, or "" if there is none.
func stateDir() string {
	const name = "svc-sdk"
	home, err := os.UserHomeDir()
	switch runtime.GOOS {
	case "windows":
		if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, name)
		}
		if err == nil {
			return filepath.Join(home, "AppData", "Local", name)
		}
	case "darwin", "ios":
		if err == nil {
			return filepath.Join(home, "Library", "Application Support", name)
		}
	default:
		if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
			return filepath.Join(dir, name)
		}
		if err == nil {
			return filepath.Join(home, ".local", "state", name)
		}
	}
	return ""
}
