package files

import (
	"net/url"
	"runtime"
	"slices"
	"strings"
	"unicode/utf8"
)

// ObjectKey returns the name of a file's object in its storage: f/{project}/{id}/{filename}. The
// percent-encoded form of this name is the path of the file's link. The projectKey is the current
// key of the project. The filename must be a result of CleanName.
func ObjectKey(projectKey, id, filename string) string {
	project, err := CleanName(projectKey)
	if err != nil {
		project = "_"
	}
	return "f/" + project + "/" + id + "/" + filename
}

// EscapePath returns the path of the link for an object key. The path begins with a slash. In each
// segment, all characters are percent-encoded except A-Z a-z 0-9 and - _ . ! ~ * ' ( ).
func EscapePath(key string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	b.Grow(len(key) + 1)
	b.WriteByte('/')
	for i := range len(key) {
		switch c := key[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("/-_.!~*'()", c) >= 0:
			b.WriteByte(c)
		default:
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		}
	}
	return b.String()
}

// ParseLink returns the object key for the path of a link. The path must be in the encoded form
// that the client has sent; ParseLink decodes each segment once. ok is false if the path does not
// correspond to an object key. That is the case if it has a different number of segments, or if a
// segment decodes to a separator, to a directory ("." or "..") or to a name that CleanName never
// returns.
func ParseLink(escapedPath string) (key string, ok bool) {
	rest, ok := strings.CutPrefix(escapedPath, "/f/")
	if !ok || strings.Count(rest, "/") != 2 {
		return "", false
	}
	segments := strings.Split(rest, "/")
	for i, segment := range segments {
		decoded, err := url.PathUnescape(segment)
		if err != nil || !plainSegment(decoded) {
			return "", false
		}
		segments[i] = decoded
	}
	if !ValidID(segments[1]) {
		return "", false
	}
	return "f/" + strings.Join(segments, "/"), true
}

// IDOf returns the file id that an object key contains, or "" if the text does not have the form of
// an object key.
func IDOf(key string) string {
	segments := strings.Split(key, "/")
	if len(segments) != 4 || segments[0] != "f" {
		return ""
	}
	return segments[2]
}

// plainSegment reports whether a decoded segment is a single file or directory name.
func plainSegment(s string) bool {
	return s != "" && s[0] != '.' && len(s) <= maxNameBytes && utf8.ValidString(s) &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '/' || r == '\\' })
}

// DiskPath returns the path of an object's file below the directory of objects. The path is the key
// itself, except that on Windows a segment that would name a device is prefixed with _. Two keys
// cannot have the same path, because their ids differ.
func DiskPath(key string) string {
	if runtime.GOOS != "windows" {
		return key
	}
	return windowsPath(key)
}

// windowsPath is the implementation of DiskPath on Windows.
func windowsPath(key string) string {
	segments := strings.Split(key, "/")
	for i, segment := range segments {
		// Windows compares the name up to its first dot, without trailing spaces.
		name, _, _ := strings.Cut(segment, ".")
		if slices.Contains(devices, strings.ToUpper(strings.TrimRight(name, " "))) {
			segments[i] = "_" + segment
		}
	}
	return strings.Join(segments, "/")
}

// devices lists the names that Windows reserves for devices in every directory.
var devices = []string{
	"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
	"COM1", "COM2", "COM3", "COM4", "COM5", "COM6", "COM7", "COM8", "COM9", "COM¹", "COM²", "COM³",
	"LPT1", "LPT2", "LPT3", "LPT4", "LPT5", "LPT6", "LPT7", "LPT8", "LPT9", "LPT¹", "LPT²", "LPT³",
}
