package resource

import (
	"encoding/json"
	"strings"

	"svc/api/web"
	"svc/internal/fault"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/internal/rollout"
	"svc/store"
)

type versionInput struct {
	Version       web.Optional[string]            `json:"version"`
	Comparable    web.Optional[string]            `json:"comparable_version"`
	Title         web.Optional[string]            `json:"title"`
	Content       web.Optional[string]            `json:"content"`
	Translations  web.Optional[[]json.RawMessage] `json:"translations"`
	DownloadURL   web.Optional[string]            `json:"download_url"`
	DownloadLinks web.Optional[[]json.RawMessage] `json:"download_links"`
	IsLatest      web.Optional[bool]              `json:"is_latest"`
	IsPreview     web.Optional[bool]              `json:"is_preview"`
	Channel       web.Optional[string]            `json:"channel"`
	IsMilestone   web.Optional[bool]              `json:"is_milestone"`
	IsDeprecated  web.Optional[bool]              `json:"is_deprecated"`
	Platform      web.Optional[string]            `json:"platform"`
	Platforms     web.Optional[[]json.RawMessage] `json:"platforms"`
	CustomData    web.Optional[web.Object]        `json:"custom_data"`
	PublishedAt   web.Optional[web.Integer]       `json:"published_at"`

	NativeVersions web.Optional[web.Object]      `json:"native_versions"`
	Rollout        web.Optional[json.RawMessage] `json:"rollout"`
}

// versionChange is a checked versionInput.
type versionChange struct {
	in           versionInput
	comparable   release.Comparable // zero = not given
	links        []store.DownloadLink
	platform     *platform.Platform
	platforms    []platform.Platform
	translations []translation
	native       *release.NativeVersions
	rollout      *rollout.Change  // the rollout that a new version begins; nil = not sent, or null
	archived     *rollout.Rollout // the rollout of a version in an archive
}

func (in versionInput) check(how write) (versionChange, error) {
	if how == imports {
		in.dropCopiedLink()
	}
	p := checking(how)
	c := versionChange{in: in}
	p.Text("version", in.Version, web.TextRule{Max: 64, Required: how.whole(), Fixed: true, Trim: true, Filled: true})
	if how.whole() && in.Comparable.Value == nil && !in.Comparable.Wrong {
		p.Add("comparable_version is required")
	}
	c.comparable = p.ComparableVersion("comparable_version", in.Comparable, false)
	p.Text("title", in.Title, web.TextRule{Max: 128})
	p.Text("content", in.Content, web.TextRule{})
	c.translations = p.translations(in.Translations, versionTexts.during(how))
	p.Text("download_url", in.DownloadURL, web.TextRule{Max: 2048})
	c.links = p.links(in.DownloadLinks)
	p.Flag("is_latest", in.IsLatest)
	p.Flag("is_preview", in.IsPreview)
	p.channel(in.Channel, in.IsPreview)
	p.Flag("is_milestone", in.IsMilestone)
	p.Flag("is_deprecated", in.IsDeprecated)
	c.platform = p.Platform(in.Platform)
	c.platforms = p.Platforms("platforms", in.Platforms)
	p.Object("custom_data", in.CustomData)
	p.UnixTime("published_at", in.PublishedAt, true)
	c.native = p.nativeVersions(in.NativeVersions)
	if how == imports {
		c.archived = p.archivedRollout(in.Rollout)
	} else {
		c.rollout = p.newRollout("rollout", in.Rollout)
	}
	return c, p.Err()
}

// channel checks the channel of a version, and that it agrees with is_preview.
func (p *problems) channel(channel web.Optional[string], preview web.Optional[bool]) {
	p.Text("channel", channel, web.TextRule{Max: 16})
	if channel.Value != nil && preview.Value != nil && (*channel.Value == release.Stable) == *preview.Value {
		p.Add("channel and is_preview must agree: a version is a preview on all channels except %q", release.Stable)
	}
}

// nativeVersions returns the version texts that a request sets for updaters with their own order of
// versions. It returns nil if all of these texts are to be derived from the comparable version.
func (p *problems) nativeVersions(o web.Optional[web.Object]) *release.NativeVersions {
	if o.Wrong {
		p.Add("native_versions must be an object")
	}
	if o.Value == nil {
		return nil
	}
	var in struct {
		SemVer  web.Optional[string] `json:"semver"`
		Sparkle web.Optional[string] `json:"sparkle"`
	}
	web.Fill(&in, json.RawMessage(*o.Value))
	p.Text("native_versions.semver", in.SemVer, web.TextRule{Min: 1})
	p.Text("native_versions.sparkle", in.Sparkle, web.TextRule{Min: 1})
	n := release.NativeVersions{SemVer: in.SemVer.Or(""), Sparkle: in.Sparkle.Or("")}
	if n == (release.NativeVersions{}) {
		return nil
	}
	p.List = append(p.List, n.Problems()...)
	return &n
}

// dropCopiedLink removes download_links from the input if its only entry is a copy of download_url.
// The value of download_url need not be a URL, but an address in the list must be one, so keeping
// the list could make the input invalid.
func (in *versionInput) dropCopiedLink() {
	if in.DownloadURL.Value == nil || len(in.DownloadLinks.Or(nil)) != 1 {
		return
	}
	var link struct {
		URL      web.Optional[string] `json:"url"`
		Name     web.Optional[string] `json:"name"`
		Platform web.Optional[string] `json:"platform"`
	}
	if only := (*in.DownloadLinks.Value)[0]; only[0] == '{' {
		web.Fill(&link, only)
	}
	if link.URL.Or("") == *in.DownloadURL.Value && link.Name.Or("") == "" && link.Platform.Or("") == "" {
		in.DownloadLinks = web.Optional[[]json.RawMessage]{}
	}
}

// maxLinks is the maximum number of download links of a version.
const maxLinks = 32

func (p *problems) links(o web.Optional[[]json.RawMessage]) []store.DownloadLink {
	type entry struct {
		URL      web.Optional[string] `json:"url"`
		Name     web.Optional[string] `json:"name"`
		Platform web.Optional[string] `json:"platform"`
	}
	var links []store.DownloadLink
	for i, e := range web.Entries[entry](&p.Problems, "download_links", o, maxLinks) {
		e.URL.Value = trimmed(e.URL.Value)
		if e.URL.Value == nil && !e.URL.Wrong {
			p.Add("%s is required", web.EntryField("download_links", i, "url"))
		}
		p.URL(web.EntryField("download_links", i, "url"), e.URL, 2048)
		p.Text(web.EntryField("download_links", i, "name"), e.Name, web.TextRule{Max: 128, Trim: true})
		p.Text(web.EntryField("download_links", i, "platform"), e.Platform, web.TextRule{Max: 64, Trim: true})
		links = append(links, store.DownloadLink{
			URL:      e.URL.Or(""),
			Name:     strings.TrimSpace(e.Name.Or("")),
			Platform: strings.TrimSpace(e.Platform.Or("")),
		})
	}
	return links
}

func (c versionChange) create(tx *store.Tx, p *store.Project, by string) (*store.Version, error) {
	v := &store.Version{PublishedAt: tx.Now().Unix()}
	// On creation, null means not sent. The address is then derived from the list.
	c.in.DownloadURL.Sent = c.in.DownloadURL.Value != nil
	if err := c.applyIn(tx, p, v); err != nil {
		return nil, err
	}
	switch {
	case c.rollout != nil:
		v.Rollout = tx.NewRollout(c.rollout.Plan(), false, by)
	case !c.in.Rollout.Sent:
		var err error
		if v.Rollout, err = tx.DefaultRollout(p.ID, by); err != nil {
			return nil, err
		}
	}
	return v, tx.CreateVersion(p.ID, v, c.in.IsLatest.Value)
}

func (c versionChange) update(tx *store.Tx, p *store.Project, v *store.Version) error {
	if err := c.applyIn(tx, p, v); err != nil {
		return err
	}
	return tx.UpdateVersion(p.ID, v, c.in.IsLatest.Value, c.in.IsPreview.Sent || c.in.Channel.Sent)
}

// applyIn calls c.apply with the stored channels of the project.
func (c versionChange) applyIn(tx *store.Tx, p *store.Project, v *store.Version) error {
	settings, err := tx.Distribution(p.ID)
	if err != nil {
		return err
	}
	return c.apply(p, settings.Channels, v)
}

// apply sets those fields of the version that are present in the request. It does not set the
// latest flag, because the store determines which version is the latest.
func (c versionChange) apply(p *store.Project, channels release.Channels, v *store.Version) error {
	in := c.in
	if err := c.applyNumber(v); err != nil {
		return err
	}
	web.SetOrClear(&v.Title, in.Title)
	web.SetOrClear(&v.Content, in.Content)
	c.applyLinks(v)
	if err := c.applyChannel(channels, v); err != nil {
		return err
	}
	web.SetIfSent(&v.NativeVersions, in.NativeVersions, c.native)
	web.Set(&v.Milestone, in.IsMilestone)
	web.Set(&v.Deprecated, in.IsDeprecated)
	c.applyPlatforms(v)
	web.SetIfSent(&v.CustomData, in.CustomData, json.RawMessage(in.CustomData.Or(nil)))
	if in.PublishedAt.Value != nil {
		v.PublishedAt = int64(*in.PublishedAt.Value)
	}
	return versionTexts.apply(p, &v.Translations, in.Translations, c.translations)
}

// applyNumber sets the display version and the comparable version. If the request has no comparable
// version, applyNumber derives it from the display version, provided that the display version has
// changed or that null was sent.
func (c versionChange) applyNumber(v *store.Version) error {
	before := v.Version
	if c.in.Version.Value != nil {
		v.Version = strings.TrimSpace(*c.in.Version.Value)
	}
	switch {
	case !c.comparable.IsZero():
		v.Comparable = c.comparable
	case v.Version != before || v.Comparable.IsZero() || c.in.Comparable.Null():
		derived, ok := release.Derive(v.Version)
		if !ok {
			return fault.Validation("comparable_version cannot be derived from version " + web.Quote(v.Version) +
				"; send one such as 1.2.3 or 1.2.3-rc.1")
		}
		v.Comparable = derived
	}
	return nil
}

// applyChannel sets the channel and whether the version is a preview. The version moves to the
// default channel if the channel is null, or if no channel was sent and the version becomes a
// preview or ceases to be one.
func (c versionChange) applyChannel(channels release.Channels, v *store.Version) error {
	before, name := v.Preview, c.in.Channel.Value
	web.Set(&v.Preview, c.in.IsPreview)
	switch {
	case name != nil && !channels.Has(*name):
		return fault.Validation("channel must be one of the project's channels: " + strings.Join(channels.Names(), ", "))
	case name != nil:
		v.SetChannel(*name)
	case c.in.Channel.Null(), v.Preview != before:
		v.SetChannel(channels.Default(v.Preview, v.Comparable))
	}
	return nil
}

// applyLinks sets the single address, download_url, and the list of links, download_links. If only
// one of them was sent, applyLinks derives the other from it. If both were sent, it stores both
// unchanged.
func (c versionChange) applyLinks(v *store.Version) {
	url := web.OrNil(c.in.DownloadURL.Value)
	switch {
	case c.in.DownloadLinks.Sent:
		v.DownloadLinks = c.links
		if c.in.DownloadURL.Sent {
			v.DownloadURL = url
		} else {
			v.DownloadURL = nil
			if len(c.links) > 0 {
				v.DownloadURL = &c.links[0].URL
			}
		}
	case c.in.DownloadURL.Sent:
		v.DownloadURL, v.DownloadLinks = url, nil
		if url != nil {
			v.DownloadLinks = []store.DownloadLink{{URL: *url}}
		}
	}
}

// applyPlatforms sets the list of platforms. If the list is empty and a single platform was sent,
// as older clients do, the result is a list with that platform.
func (c versionChange) applyPlatforms(v *store.Version) {
	web.SetIfSent(&v.Platform, c.in.Platform, c.platform)
	if !c.in.Platform.Sent && !c.in.Platforms.Sent {
		return
	}
	v.Platforms = c.platforms
	if len(c.platforms) == 0 && c.platform != nil {
		v.Platforms = []platform.Platform{*c.platform}
	}
}
