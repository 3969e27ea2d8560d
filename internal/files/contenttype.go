package files

import (
	"path"
	"strings"
)

// ContentType returns the media type of a file, which it derives from the extension of the file's
// name.
func ContentType(filename string) string {
	if t, ok := contentTypes[strings.ToLower(strings.TrimPrefix(path.Ext(filename), "."))]; ok {
		return t
	}
	return "application/octet-stream"
}

// contentTypes maps file name extensions to media types.
var contentTypes = map[string]string{
	"msi":          "application/x-msi",
	"msix":         "application/msix",
	"msixbundle":   "application/msixbundle",
	"appx":         "application/appx",
	"appxbundle":   "application/appxbundle",
	"appinstaller": "application/appinstaller",
	"exe":          "application/vnd.microsoft.portable-executable",
	"dmg":          "application/x-apple-diskimage",
	"deb":          "application/vnd.debian.binary-package",
	"rpm":          "application/x-rpm",
	"appimage":     "application/vnd.appimage",
	"apk":          "application/vnd.android.package-archive",
	"zip":          "application/zip",
	"7z":           "application/x-7z-compressed",
	"rar":          "application/vnd.rar",
	"gz":           "application/gzip",
	"tgz":          "application/gzip",
	"xz":           "application/x-xz",
	"bz2":          "application/x-bzip2",
	"zst":          "application/zstd",
	"tar":          "application/x-tar",
	"json":         "application/json",
	"xml":          "application/xml",
	"pdf":          "application/pdf",
	"yml":          "text/yaml; charset=utf-8",
	"yaml":         "text/yaml; charset=utf-8",
	"md":           "text/markdown; charset=utf-8",
	"txt":          "text/plain; charset=utf-8",
	"asc":          "text/plain; charset=utf-8",
	"sha256":       "text/plain; charset=utf-8",
	"minisig":      "text/plain; charset=utf-8",
	"edsig":        "text/plain; charset=utf-8",
	"png":          "image/png",
	"jpg":          "image/jpeg",
	"jpeg":         "image/jpeg",
	"gif":          "image/gif",
	"webp":         "image/webp",
	"avif":         "image/avif",
	"svg":          "image/svg+xml",
	"ico":          "image/x-icon",
}
