package asset

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"svc/internal/platform"
	"svc/internal/signature"
)

// Facts contains the properties of a file that were read from its content.
type Facts struct {
	Platform      platform.Platform `json:"platform,omitempty"`
	BundleVersion string            `json:"bundle_version,omitempty"`
	OSMin         string            `json:"os_min,omitempty"`
	BlockMapSize  int64             `json:"block_map_size,omitempty"` // bytes, compressed
	Package       *Package          `json:"package,omitempty"`
	Unreadable    bool              `json:"unreadable,omitempty"` // the content does not have the form that the file's name promises
	Signature     string            `json:"signature,omitempty"`  // set if the content of the file is a signature
}

// Limits for reading the contents of files, in bytes. Clients choose the contents, so any of
// them may be hostile.
const (
	maxEntry    = 4 << 20  // of an entry of an archive, and of a compressed block map
	maxBlockMap = 16 << 20 // of a block map
	maxText     = 128      // of a value in a nuspec or a property list
	maxSigned   = 64 << 10 // of a companion that may contain a signature
)

// errContent reports that a content does not have the form that the name of its file
// promises.
var errContent = errors.New("unexpected content")

// ReadFacts reads facts from the content of a file, which has size bytes. Files of most kinds
// have no facts. It needs at most 40 MiB of memory and executes and stores nothing. The error is
// one that r has returned, or signature.ErrPrivate if a companion contains a private key. Content
// that cannot be parsed is not an error; it sets Facts.Unreadable.
func ReadFacts(name string, r io.ReaderAt, size int64) (f Facts, err error) {
	tracked := &trackedReader{ReaderAt: r}
	_, companion := companionOf(name)
	switch kind := kindOf(name); {
	case companion != "":
		f.Signature, err = readSignature(tracked, size)
	case kind.nuget():
		f, err = readPackage(tracked, size)
	case kind == Zip:
		f, err = readApp(tracked, size)
	case kind == AppImage:
		f.BlockMapSize = blockMapSize(tracked, size)
	}
	if tracked.err != nil {
		return Facts{}, tracked.err
	}
	switch {
	case errors.Is(err, signature.ErrPrivate):
		return Facts{}, err
	case err != nil:
		return Facts{Unreadable: true}, nil
	}
	return f, nil
}

// readSignature returns the signature that a companion consists of, or "" if the content is
// not a signature.
func readSignature(r io.ReaderAt, size int64) (string, error) {
	if size > maxSigned {
		return "", nil
	}
	text, err := io.ReadAll(io.NewSectionReader(r, 0, size))
	if err != nil {
		return "", err
	}
	if signature.IsPrivate(string(text)) {
		return "", signature.ErrPrivate
	}
	s, err := signature.Parse(string(text))
	if err != nil {
		return "", nil //nolint:nilerr // for example a signature of OpenPGP, or a block map
	}
	return s.Value, nil
}

// trackedReader stores the first error of a reader other than io.EOF.
type trackedReader struct {
	io.ReaderAt
	err error
}

func (t *trackedReader) ReadAt(p []byte, off int64) (int, error) {
	n, err := t.ReaderAt.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) && t.err == nil {
		t.err = err
	}
	return n, err
}

// readPackage reads the description of a NuGet package. A package that names no
// operating system is for Windows.
func readPackage(r io.ReaderAt, size int64) (Facts, error) {
	nuspec, err := readEntry(r, size, func(name string) bool {
		return !strings.Contains(name, "/") && strings.HasSuffix(strings.ToLower(name), ".nuspec")
	})
	if err != nil {
		return Facts{}, err
	}
	fields, err := nuspecFields(nuspec)
	if err != nil {
		return Facts{}, err
	}
	p := &Package{ID: fields["id"], Version: fields["version"], Channel: fields["channel"]}
	if p.ID == "" || p.Version == "" {
		return Facts{}, fmt.Errorf("%w: a package without id or version", errContent)
	}
	f := Facts{Package: p, Platform: platform.Windows}
	switch strings.ToLower(fields["os"]) {
	case "osx":
		f.Platform = platform.MacOS
	case "linux":
		f.Platform = platform.Linux
	}
	return f, nil
}

// nuspecNames are the elements of a nuspec that are read.
var nuspecNames = []string{"id", "version", "channel", "os"}

// nuspecFields returns, for each of the nuspecNames, the text of the first element with that
// name in the element metadata. It ignores empty texts and those longer than maxText.
func nuspecFields(nuspec []byte) (map[string]string, error) {
	fields := map[string]string{}
	d := xml.NewDecoder(bytes.NewReader(nuspec))
	var parents []string
	var text strings.Builder
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return fields, nil
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			text.Reset()
			if parents = append(parents, t.Name.Local); len(parents) > maxDepth {
				return nil, errContent
			}
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			name, value := t.Name.Local, strings.TrimSpace(text.String())
			if len(parents) == 3 && parents[1] == "metadata" && slices.Contains(nuspecNames, name) && fields[name] == "" && len(value) <= maxText {
				fields[name] = value
			}
			parents = parents[:len(parents)-1]
			text.Reset()
		}
	}
}

// maxDepth is the maximum depth of an XML document.
const maxDepth = 100

// readApp reads the property list of the macOS app in a zip archive. An archive without
// such a list has no facts.
func readApp(r io.ReaderAt, size int64) (f Facts, err error) {
	const ending = ".app/Contents/Info.plist"
	raw, err := readEntry(r, size, func(name string) bool {
		app, ok := strings.CutSuffix(name, ending)
		return ok && app != "" && !strings.HasSuffix(app, "/") && !strings.Contains(app, ".app/") // not of an app within the app
	})
	if errors.Is(err, errNoEntry) {
		return f, nil
	}
	if err != nil {
		return f, err
	}
	texts, err := plistTexts(raw, "CFBundleVersion", "LSMinimumSystemVersion")
	if err != nil {
		return f, err
	}
	f.Platform = platform.MacOS
	if v := texts["CFBundleVersion"]; bundleRule.MatchString(v) {
		f.BundleVersion = v
	}
	if v := texts["LSMinimumSystemVersion"]; osMinRule.MatchString(v) {
		f.OSMin = v
	}
	return f, nil
}

// blockMapSize returns the size of the compressed block map at the end of an AppImage, in
// bytes. It returns 0 if there is none.
func blockMapSize(r io.ReaderAt, size int64) int64 {
	const length = 4 // of the size that follows the block map
	var last [length]byte
	if size < length {
		return 0
	}
	if _, err := r.ReadAt(last[:], size-length); err != nil && !errors.Is(err, io.EOF) {
		return 0
	}
	n := int64(binary.BigEndian.Uint32(last[:]))
	if n == 0 || n > maxEntry || n > size-length {
		return 0
	}
	inflated := flate.NewReader(io.NewSectionReader(r, size-length-n, n))
	text, err := io.ReadAll(io.LimitReader(inflated, maxBlockMap+1))
	if err != nil || len(text) > maxBlockMap {
		return 0
	}
	var blockMap struct{ Version, Files json.RawMessage }
	if json.Unmarshal(text, &blockMap) != nil || blockMap.Version == nil || len(blockMap.Files) == 0 || blockMap.Files[0] != '[' {
		return 0
	}
	return n
}
