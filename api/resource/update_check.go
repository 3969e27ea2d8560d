package resource

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"svc/api/web"
	"svc/internal/platform"
	"svc/internal/release"
	"svc/store"
)

type updateCheckInput struct {
	CurrentVersion    web.Optional[string] `json:"current_version"`
	CurrentComparable web.Optional[string] `json:"current_comparable_version"`
	IncludePreview    web.Optional[bool]   `json:"include_preview"`
	Channel           web.Optional[string] `json:"channel"`
	RolloutKey        web.Optional[string] `json:"rollout_key"`
	AcceptDowngrade   web.Optional[bool]   `json:"accept_downgrade"`
	IncludeNotes      web.Optional[bool]   `json:"include_notes"`
	Locale            web.Optional[string] `json:"locale"`
	Platform          web.Optional[string] `json:"platform"`         // only for statistics and cohorts
	PlatformVersion   web.Optional[string] `json:"platform_version"` // used for statistics only
}

// check checks the request and returns the query for the release catalog. A field that is null
// counts as not sent.
func (in updateCheckInput) check() (release.Query, error) {
	var p problems
	p.Text("current_version", in.CurrentVersion, web.TextRule{Max: 64, Trim: true})
	p.Flag("include_preview", in.IncludePreview)
	p.Text("channel", in.Channel, web.TextRule{Max: 16, Trim: true})
	p.Text("rollout_key", in.RolloutKey, web.TextRule{Max: 64})
	p.Flag("accept_downgrade", in.AcceptDowngrade)
	p.Flag("include_notes", in.IncludeNotes)
	p.Text("locale", in.Locale, web.TextRule{})
	q := release.Query{
		Version:    strings.TrimSpace(in.CurrentVersion.Or("")),
		Comparable: p.ComparableVersion("current_comparable_version", in.CurrentComparable, false),
		Channel:    strings.TrimSpace(in.Channel.Or("")), AcceptDowngrade: in.AcceptDowngrade.Or(false),
	}
	if q.Channel == "" && in.IncludePreview.Or(false) {
		q.Channel = release.Preview
	}
	if key := in.RolloutKey.Or(""); strings.TrimSpace(key) != "" {
		q.Key = key
	}
	if q.Version == "" && in.CurrentComparable.Value == nil && !in.CurrentVersion.Wrong && !in.CurrentComparable.Wrong {
		p.Add("current_version or current_comparable_version is required")
	}
	return q, p.Err()
}

// checkUpdate tells a client whether it must update. It handles the busiest endpoint, so it has to
// be fast. The decision takes a few comparisons in the snapshot, and the response is assembled from
// versions that are already encoded.
func (h *Handlers) checkUpdate(w http.ResponseWriter, r *web.Request) error {
	var in updateCheckInput
	if err := web.Decode(r, &in); err != nil {
		return err
	}
	query, err := in.check()
	if err != nil {
		return err
	}
	in.declare(r, query)
	return r.Snapshot(h.DB, func(snap *store.Snapshot) error {
		query := locate(r, snap, query)
		decision, err := snap.Catalog.Check(query, snap.Project.OptionalUpdate)
		if err != nil {
			return err
		}
		h.observeCheck(r, snap, r.Client().Version, decision.Current)
		reader := h.reader(r, snap, in.Locale.Or(""))
		buffer := answers.Get().(*[]byte)
		defer func() {
			if cap(*buffer) <= maxPooled {
				answers.Put(buffer)
			}
		}()
		*buffer, err = reader.updateCheck((*buffer)[:0], query, decision, in.IncludeNotes.Or(false))
		if err != nil {
			return err
		}
		web.WriteJSON(w, http.StatusOK, *buffer)
		return nil
	})
}

// declare records in r what the body states about the client: its platform, platform version and
// app version.
func (in updateCheckInput) declare(r *web.Request, q release.Query) {
	said := declaration(in.Platform, in.PlatformVersion)
	said.Version = cmp.Or(q.Version, in.CurrentComparable.Or(""))
	r.Declare(said)
}

// locate adds the caller's platform and country to a query if a rollout is limited to certain
// platforms or countries. Determining them takes longer than the decision itself.
func locate(r *web.Request, snap *store.Snapshot, q release.Query) release.Query {
	if snap.Catalog.Targeted() {
		q.Platform, q.Country = r.Client().System().Platform, r.Client().Place().CountryCode
	}
	return q
}

// answers pools response buffers. A buffer can be reused after the response has been written.
// Allocating a buffer for each response would be the largest part of the endpoint's garbage
// collection cost.
var answers = sync.Pool{New: func() any { return new([]byte) }}

// maxPooled is the size in bytes of the largest buffer that is returned to the pool.
const maxPooled = 256 << 10

// holdLarge waits until memory for the large texts of the versions in a decision is available.
func (r reader) holdLarge(d release.Decision) error {
	size := 0
	for _, at := range [...]int{d.Latest, d.Preview, d.Target, d.Downgrade} {
		if at >= 0 && r.snap.Entry(at).Large {
			size += r.snap.Entry(at).Size
		}
	}
	if size == 0 {
		return nil
	}
	return r.request.Hold(size)
}

// updateCheck appends the response for a decision to b. If notes is true, the response also
// contains the notes of the versions after the caller's version, up to the target.
func (r reader) updateCheck(b []byte, q release.Query, d release.Decision, notes bool) ([]byte, error) {
	if err := r.holdLarge(d); err != nil {
		return nil, err
	}
	latest, err := versionContents.encode(r, r.snap.Entry(d.Latest))
	if err != nil {
		return nil, err
	}
	var preview, target []byte // nil = null
	if d.Preview >= 0 {
		if preview, err = versionContents.encode(r, r.snap.Entry(d.Preview)); err != nil {
			return nil, err
		}
	}
	switch {
	case d.Target == d.Latest:
		target = latest
	case d.Target >= 0:
		if target, err = versionContents.encode(r, r.snap.Entry(d.Target)); err != nil {
			return nil, err
		}
	}
	b = append(b, `{"should_update":`...)
	b = strconv.AppendBool(b, d.ShouldUpdate)
	b = append(b, `,"required":`...)
	b = strconv.AppendBool(b, d.Required)
	b = append(b, `,"reason_codes":[`...)
	for i, reason := range d.Reasons { // lower-case letters and _ only; no escaping is needed
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), reason...), '"')
	}
	b = append(b, `],"current_version":`...)
	b = r.appendCurrent(b, q, d)
	b = append(append(b, `,"current_comparable_version":"`...), d.Comparable.String()...) // digits, dots, letters, -
	b = r.append(append(b, `","latest_version":`...), latest)
	b = r.appendOr(append(b, `,"latest_preview_version":`...), preview)
	b = r.appendOr(append(b, `,"target_version":`...), target)
	b = append(b, `,"milestone":{"current":`...)
	b = strconv.AppendBool(b, d.Current >= 0 && r.snap.Catalog.Item(d.Current).Milestone)
	b = append(b, `,"latest":`...)
	b = strconv.AppendBool(b, r.snap.Catalog.Item(d.Latest).Milestone)
	b = append(b, `,"target_is_milestone":`...)
	b = strconv.AppendBool(b, d.Guarded)
	if b, err = r.appendDistribution(append(b, '}'), d); err != nil {
		return nil, err
	}
	if notes && d.Target >= 0 {
		if b, err = r.appendNotes(b, q, d); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// appendNotes appends the notes of the versions between the caller's version and the target.
func (r reader) appendNotes(b []byte, q release.Query, d release.Decision) ([]byte, error) {
	c := changes{
		channel: cmp.Or(q.Channel, release.Stable), from: d.Comparable, fromText: d.Comparable.String(), to: d.Target, limit: notedVersions,
	}
	if d.Current >= 0 {
		c.fromText = r.snap.Catalog.Item(d.Current).Version
	}
	notes, err := r.notes(c)
	if err != nil {
		return nil, err
	}
	object, err := web.Encode(notes)
	return append(append(b, `,"notes":`...), object...), err
}

// appendDistribution appends the fields about a rollout and about a downgrade, if there are any.
func (r reader) appendDistribution(b []byte, d release.Decision) ([]byte, error) {
	if d.Rollout >= 0 {
		item := r.snap.Catalog.Item(d.Rollout)
		b = web.AppendText(append(b, `,"rollout":{"version":`...), item.Version)
		b = append(append(b, `,"percent":`...), item.Rollout.Percent.String()...)
		b = append(strconv.AppendBool(append(b, `,"included":`...), d.Included), '}')
	}
	if d.Downgrade >= 0 {
		older, err := versionContents.encode(r, r.snap.Entry(d.Downgrade))
		if err != nil {
			return nil, err
		}
		b = r.append(append(b, `,"downgrade":{"target_version":`...), older)
		b = append(web.AppendText(append(b, `,"reason":`...), r.snap.Catalog.Item(d.Current).Yank.Reason), '}')
	}
	return b, nil
}

// appendOr is like reader.append, but appends null if object is nil.
func (r reader) appendOr(b, object []byte) []byte {
	if object == nil {
		return append(b, "null"...)
	}
	return r.append(b, object)
}

// appendCurrent appends the caller's display version as JSON. It is the display version of the
// registered version, else the one in the request, else null.
func (r reader) appendCurrent(b []byte, q release.Query, d release.Decision) []byte {
	text := q.Version
	if d.Current >= 0 {
		text = r.snap.Catalog.Item(d.Current).Version
	}
	if text == "" {
		return append(b, "null"...)
	}
	return web.AppendText(b, text)
}

// Codes of the reasons that only a simulation reports. They describe properties of the target that
// the update check ignores.
const (
	targetNotForPlatform       = "target_not_for_platform"
	targetPublishedInTheFuture = "target_published_in_the_future"
)

type simulationView struct {
	Status  int                `json:"status"` // HTTP status of the update check
	Message *string            `json:"message"`
	Answer  json.RawMessage    `json:"answer"` // null if the update check responds with an error
	Reasons []updateReasonView `json:"reasons"`
}

// updateReasonView is the JSON form of a rule that has been applied. Fields that are not relevant
// to the rule are null.
type updateReasonView struct {
	Code        string              `json:"code"`
	VersionID   *string             `json:"version_id"`
	Version     *string             `json:"version"`
	Comparable  *string             `json:"comparable_version"`
	Min         *string             `json:"min_comparable_version"`
	Max         *string             `json:"max_comparable_version"`
	Platforms   []platform.Platform `json:"platforms"`
	PublishedAt *int64              `json:"published_at"`
}

// simulateUpdateCheck returns the response that the update check would give, and the reasons for
// it. Simulations are not included in any statistics.
func (h *Handlers) simulateUpdateCheck(r *web.Request, in updateCheckInput) (simulationView, error) {
	query, err := in.check()
	var p problems
	on := p.Platform(in.Platform)
	if err := web.JoinValidation(err, p.Err()); err != nil {
		return simulationView{}, err
	}
	in.declare(r, query)
	return web.ReadSnapshot(r, h.DB, func(snap *store.Snapshot) (v simulationView, err error) {
		query := locate(r, snap, query)
		decision, found, refused := snap.Catalog.Explain(query, snap.Project.OptionalUpdate)
		v = simulationView{
			Status: web.StatusOf(refused), Reasons: web.Views(found, func(f release.Finding) updateReasonView { return viewFinding(snap, f) }),
		}
		if refused != nil {
			v.Message = web.OrNull(refused.Error())
			return v, nil
		}
		if decision.Target >= 0 {
			v.Reasons = append(v.Reasons, h.ignoredFacts(snap, decision.Target, on)...)
		}
		v.Answer, err = h.reader(r, snap, in.Locale.Or("")).updateCheck(nil, query, decision, in.IncludeNotes.Or(false))
		return v, err
	})
}

func viewFinding(snap *store.Snapshot, f release.Finding) updateReasonView {
	v := updateReasonView{Code: f.Code, Min: web.OrNull(f.Range.Min.String()), Max: web.OrNull(f.Range.Max.String())}
	if f.Version >= 0 {
		record := snap.Entry(f.Version).Record
		v.VersionID, v.Version, v.Comparable = web.OrNull(record.ID.String()), &record.Version, web.OrNull(record.Comparable.String())
	}
	return v
}

// ignoredFacts returns the properties of the target version that may surprise administrators,
// because the update check ignores them.
func (h *Handlers) ignoredFacts(snap *store.Snapshot, target int, on *platform.Platform) (all []updateReasonView) {
	record := snap.Entry(target).Record
	if on != nil && !record.Runs(*on) {
		v := viewFinding(snap, release.Finding{Code: targetNotForPlatform, Version: target})
		if v.Platforms = record.Platforms; len(v.Platforms) == 0 {
			v.Platforms = []platform.Platform{*record.Platform}
		}
		all = append(all, v)
	}
	if record.PublishedAt > h.Now().Unix() {
		v := viewFinding(snap, release.Finding{Code: targetPublishedInTheFuture, Version: target})
		v.PublishedAt = &record.PublishedAt
		all = append(all, v)
	}
	return all
}
