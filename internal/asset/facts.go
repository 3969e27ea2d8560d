package asset

import "svc/internal/platform"

// Facts is what the content of a file tells about it.
type Facts struct {
	Platform      platform.Platform `json:"platform,omitempty"`
	BundleVersion string            `json:"bundle_version,omitempty"`
	OSMin         string            `json:"os_min,omitempty"`
	BlockMapSize  int64             `json:"block_map_size,omitempty"`
	Package       *Package          `json:"package,omitempty"`
	Unreadable    bool              `json:"unreadable,omitempty"` // the content is not what its name says
}
