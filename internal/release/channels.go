package release

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The built-in channels. Stable includes no other channel. Preview includes Stable.
const (
	Stable  = "stable"
	Preview = "preview"
)

// MaxChannels is the maximum number of channels that a project can add, and of channels that
// each of them can include.
const MaxChannels = 8

// Channel is a channel that a project has added to the built-in ones.
type Channel struct {
	Name     string   `json:"name"`
	Includes []string `json:"includes"` // names of other channels; never null in answers
}

// Channels lists the channels that a project has added, its own channels. The built-in
// channels, which are always present, are not in the list.
type Channels []Channel

// channelName is the form of the name of an own channel.
var channelName = regexp.MustCompile(`^[a-z][a-z0-9]{0,15}$`)

// reservedChannels lists the names that an own channel cannot have. In the addresses of
// feeds, latest means the stable channel, and mac or linux follows the name of a channel.
var reservedChannels = []string{"latest", "mac", "linux", Stable, Preview}

// Problems returns a sentence for each rule that the channels break. It returns nil if they are
// valid.
func (c Channels) Problems() []string {
	if len(c) > MaxChannels {
		return []string{fmt.Sprintf("channels must have at most %d entries", MaxChannels)}
	}
	var all []string
	for i, own := range c {
		field := fmt.Sprintf("channels[%d]", i)
		switch {
		case !channelName.MatchString(own.Name):
			all = append(all, field+".name must be a lower-case letter followed by at most 15 lower-case letters and digits")
		case slices.Contains(reservedChannels, own.Name):
			all = append(all, fmt.Sprintf("%s.name must not be one of %s", field, strings.Join(reservedChannels, ", ")))
		case slices.ContainsFunc(c[:i], func(before Channel) bool { return before.Name == own.Name }):
			all = append(all, fmt.Sprintf("%s.name: channel %q is listed twice", field, own.Name))
		}
		if len(own.Includes) > MaxChannels {
			all = append(all, fmt.Sprintf("%s.includes must have at most %d entries", field, MaxChannels))
			continue
		}
		for j, name := range own.Includes {
			if name == own.Name || !c.Has(name) {
				all = append(all, fmt.Sprintf("%s.includes[%d] must be the name of another channel", field, j))
			}
		}
	}
	if all == nil {
		if name := c.cycle(); name != "" {
			all = append(all, fmt.Sprintf("channels: %q includes itself through other channels", name))
		}
	}
	return all
}

// cycle returns the name of a channel that includes itself, directly or indirectly, or "" if
// there is none.
func (c Channels) cycle() string {
	for _, own := range c {
		for _, name := range own.Includes {
			if slices.Contains(c.Seen(name), own.Name) {
				return own.Name
			}
		}
	}
	return ""
}

// Has reports whether the project has a channel with the given name.
func (c Channels) Has(name string) bool {
	return name == Stable || name == Preview || c.find(name) >= 0
}

func (c Channels) find(name string) int {
	return slices.IndexFunc(c, func(own Channel) bool { return own.Name == name })
}

// Names returns the names of all channels, the built-in ones first.
func (c Channels) Names() []string {
	names := []string{Stable, Preview}
	for _, own := range c {
		names = append(names, own.Name)
	}
	return names
}

// Seen returns the channels whose versions a caller on the given channel sees: the channel itself,
// which comes first, and all channels that it includes directly or indirectly. It returns nil if
// the project has no such channel.
func (c Channels) Seen(name string) []string {
	if !c.Has(name) {
		return nil
	}
	seen := []string{name}
	for at := 0; at < len(seen); at++ {
		for _, included := range c.includes(seen[at]) {
			if !slices.Contains(seen, included) {
				seen = append(seen, included)
			}
		}
	}
	return seen
}

func (c Channels) includes(name string) []string {
	if name == Preview {
		return []string{Stable}
	}
	if at := c.find(name); at >= 0 {
		return c[at].Includes
	}
	return nil
}

// Default returns the channel of a version for which none was chosen. An official version is on
// the stable channel. A preview is on the project's channel that is named like the tag of its
// comparable version, or else on the preview channel.
func (c Channels) Default(preview bool, version Comparable) string {
	if !preview {
		return Stable
	}
	if _, tag, _ := version.parts(); tag != "" && c.find(tag) >= 0 {
		return tag
	}
	return Preview
}
