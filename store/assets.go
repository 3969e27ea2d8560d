package store

import (
	"cmp"

	"svc/internal/asset"
	"svc/internal/fault"
	"svc/internal/files"
	"svc/internal/platform"
)

// MaxOverrides is the maximum number of a version's assets with fields that were set by hand. It
// exceeds the maximum number of links, because these fields remain stored when links are replaced.
const MaxOverrides = 128

// Assets returns the assets of a version, with the stored files to which its links lead.
func (tx *Tx) Assets(p ProjectID, v *Version) ([]asset.Asset, error) {
	links := make([]asset.Link, 0, len(v.DownloadLinks))
	for _, l := range v.Links() {
		f, err := tx.linkedFile(p, l.URL)
		if err != nil {
			return nil, err
		}
		links = append(links, asset.Link{URL: l.URL, Name: l.Name, Platform: l.Platform, File: f})
	}
	platforms := v.Platforms
	if len(platforms) == 0 && v.Platform != nil {
		platforms = []platform.Platform{*v.Platform}
	}
	trust, err := tx.trust(p)
	if err != nil {
		return nil, err
	}
	return asset.Of(links, platforms, v.Assets, trust), nil
}

// Links returns the download links of the version. If it has only a DownloadURL, that is the
// only link.
func (v *Version) Links() []DownloadLink {
	if len(v.DownloadLinks) == 0 && v.DownloadURL != nil {
		return []DownloadLink{{URL: *v.DownloadURL}}
	}
	return v.DownloadLinks
}

// linkedFile returns the file of a project to which a link leads, or nil.
func (tx *Tx) linkedFile(p ProjectID, link string) (*asset.File, error) {
	key, ok := linkedKey(link)
	if !ok {
		return nil, nil
	}
	f, err := tx.file([]byte(files.IDOf(key)))
	if err != nil || f == nil || f.Project != p || f.ObjectKey != key {
		return nil, err
	}
	return &asset.File{
		ID: string(f.ID), Path: files.EscapePath(f.ObjectKey), Ready: f.Status == FileReady,
		Size: f.Size, SHA1: f.SHA1, SHA256: f.SHA256, SHA512: f.SHA512, Facts: *cmp.Or(f.Facts, &asset.Facts{}),
		Content: *f.content(),
	}, nil
}

// Assets is like Tx.Assets for a version of a snapshot. It answers from memory after the first
// call. The caller must not change the result.
func (s *Store) Assets(p ProjectID, v *Version) ([]asset.Asset, error) {
	known := s.links.Load() // load the cache before the transaction begins, so that files read are not older than the cache
	if list, ok := known.assets.Load(v); ok {
		return list.([]asset.Asset), nil
	}
	list, err := Read(s, func(tx *Tx) ([]asset.Asset, error) { return tx.Assets(p, v) })
	if err != nil {
		return nil, err
	}
	if known.count.Add(1) > maxLinks {
		s.links.CompareAndSwap(known, &links{}) // the versions in use will be cached again
	} else {
		known.assets.Store(v, list)
	}
	return list, nil
}

// SetAsset stores the fields that were set by hand for the asset with the given name. They replace
// all fields that were set before. The error is Invalid if the version has too many assets with
// such fields.
func (tx *Tx) SetAsset(p ProjectID, v *Version, name string, set asset.Override) error {
	switch _, known := v.Assets[name]; {
	case set.IsZero():
		delete(v.Assets, name)
	case !known && len(v.Assets) >= MaxOverrides:
		return fault.New(fault.Invalid, "fields of at most %d assets of a version can be set by hand", MaxOverrides)
	case v.Assets == nil:
		v.Assets = map[string]asset.Override{name: set}
	default:
		v.Assets[name] = set
	}
	return tx.putVersion(p, v)
}
