package demo

import (
	"archive/zip"
	"bytes"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"path"

	versions "svc/internal/release" // release is a type of this package
)

// assetLine contains the fields of a download that its publisher has set.
type assetLine struct {
	BundleVersion string `json:"bundle_version,omitempty"`
	Size          int64  `json:"size,omitempty"`
	SHA512        string `json:"sha512,omitempty"`
	Minisign      string `json:"minisign,omitempty"`
}

// assets returns the fields of the downloads of a release, by file name. It signs stored files if
// the project has a key. The server cannot read other files, so assets sets their size, checksum
// and bundle version. It returns nil if there is nothing to set.
func (w *world) assets(version string, links []link, files []file) map[string]assetLine {
	all := map[string]assetLine{}
	switch {
	case len(files) == 0:
		for _, l := range links {
			sum := sha512.Sum512([]byte(l.URL))
			a := assetLine{Size: 6<<10 + int64(binary.BigEndian.Uint16(sum[:])), SHA512: hex.EncodeToString(sum[:])}
			if l.Platform == "macos" {
				a.BundleVersion = bundleVersion(version)
			}
			all[path.Base(l.URL)] = a
		}
	case w.signed:
		s := newSigner(w.chance("signer"))
		for i := range files {
			f := &files[i]
			all[f.Filename] = assetLine{Minisign: s.sign(f.Filename, f.content, f.CreatedAt)}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// packed returns the content of an installer for a platform. On Windows and macOS it is a zip
// archive. The archive for macOS contains an app with its bundle version.
func (w *world) packed(on, version string, content []byte) []byte {
	switch on {
	case "windows":
		return zipped(entry{w.name + "/" + w.folder + ".dat", content})
	case "macos":
		const plist = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict><key>CFBundleVersion</key><string>%s</string></dict></plist>
`
		app := w.name + ".app/Contents/"
		information := fmt.Appendf(nil, plist, bundleVersion(version))
		return zipped(entry{app + "Info.plist", information}, entry{app + "Resources/" + w.folder + ".dat", content})
	default:
		return content
	}
}

// bundleVersion returns the CFBundleVersion of the app of a release, which Sparkle orders as the server
// orders the releases.
func bundleVersion(version string) string {
	c, ok := versions.Parse(version)
	if !ok {
		panic("demo: " + version + " is not comparable") // cannot happen, because the import would refuse it
	}
	return c.Sparkle()
}

type entry struct {
	name    string
	content []byte
}

// zipped returns a zip archive with the given entries, which are not compressed.
func zipped(entries ...entry) []byte {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := z.CreateHeader(&zip.FileHeader{Name: e.name, Method: zip.Store})
		if err == nil {
			_, err = f.Write(e.content)
		}
		if err != nil {
			panic("demo: " + err.Error()) // cannot happen, because the archive is in memory
		}
	}
	if err := z.Close(); err != nil {
		panic("demo: " + err.Error()) // likewise
	}
	return out.Bytes()
}
