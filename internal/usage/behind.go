package usage

// Reason is the reason why clients do not run a given version yet.
type Reason string

// The reasons, in order of precedence.
const (
	NotOffered      Reason = "not_offered" // the version was withdrawn, is deprecated, or its rollout was aborted, so no client is offered it
	BehindUnknown   Reason = "unknown"     // the client cannot be compared, or no version is offered to it
	BehindPlatform  Reason = "platform"    // the version is not for the client's platform
	BehindPreview   Reason = "preview"     // the version is a preview
	BehindMilestone Reason = "milestone"   // the client must first install a lower milestone
	BehindRequired  Reason = "required"    // the client must update, but has not done so
	BehindOptional  Reason = "optional"    // the client does not have to update
)

// Reasons lists all reasons.
func Reasons() []Reason {
	return []Reason{BehindRequired, BehindOptional, BehindMilestone, BehindPlatform, BehindPreview, BehindUnknown, NotOffered}
}

// Behind returns the reason why clients do not run the version at the given position of
// the catalog. The parameter version is the text that the clients sent as their version.
// runs reports whether the version at the position is for their platform. ok is false if
// they run it or a greater version.
func (p Policy) Behind(at int, version string, runs bool) (reason Reason, ok bool) {
	l, item := p.Decide(version), p.Catalog.Item(at)
	switch {
	case l.At == at || !l.Comparable.IsZero() && l.Comparable.Compare(item.Comparable) >= 0:
		return "", false
	case item.Yank != nil, item.Rollout.IsAborted(), item.Deprecated && l.Target != at:
		return NotOffered, true
	case l.Comparable.IsZero():
		return BehindUnknown, true
	case !runs:
		return BehindPlatform, true
	case item.Preview:
		return BehindPreview, true
	case l.Target < 0:
		return BehindUnknown, true
	case p.Catalog.Item(l.Target).Comparable.Compare(item.Comparable) < 0:
		return BehindMilestone, true
	case l.Outcome == Required:
		return BehindRequired, true
	}
	return BehindOptional, true
}

// Predecessor returns the position of the last official version that was published before
// the version at the given position, or -1 if there is none. An official version is one
// that is not a preview.
func (p Policy) Predecessor(at int) int {
	before := -1
	for i := range p.Catalog.Len() {
		v := p.Catalog.Item(i)
		if i == at || v.Preview || v.PublishedAt >= p.Catalog.Item(at).PublishedAt {
			continue
		}
		if before < 0 || v.PublishedAt > p.Catalog.Item(before).PublishedAt {
			before = i
		}
	}
	return before
}
