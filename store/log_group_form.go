package store

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"svc/internal/loggroup"
	"svc/internal/release"
)

// Groups are rewritten all the time, so their form is made for speed. All numbers are uvarints.
// docs/format/svc-db.md describes it.

// groupForm identifies the encoding of a group. It is the first byte of the stored value.
const groupForm = 1

// The ways in which the order of a version is encoded.
const (
	unordered  = iota
	ownOrder   // the text of the version is its order
	otherOrder // the order follows as another text
)

type groupEncoder []byte

func (e *groupEncoder) number(numbers ...int64) {
	for _, n := range numbers {
		*e = binary.AppendUvarint(*e, uint64(n))
	}
}

func (e *groupEncoder) text(text string) {
	e.number(int64(len(text)))
	*e = append(*e, text...)
}

func (e *groupEncoder) version(v AppVersion) {
	e.text(v.Text)
	switch order := v.Order.String(); {
	case v.Order.IsZero():
		e.number(unordered)
	case order == v.Text:
		e.number(ownOrder)
	default:
		e.number(otherOrder)
		e.text(order)
	}
}

func (g *LogGroup) encode() []byte {
	e := append(make(groupEncoder, 0, 256+40*len(g.Versions)), groupForm)
	e.number(int64(g.Level))
	e.text(g.Title)
	if g.Source == nil {
		e.number(0)
	} else {
		e.number(1)
		e.text(*g.Source)
	}
	e.number(int64(slices.Index(loggroup.States, g.State)))
	e.version(AppVersion{g.Resolution, g.ResolvedIn})
	e.number(g.ResolvedAt)
	e.text(g.LastVersion.String())
	e.number(g.RegressedAt, g.MutedUntil)
	e.text(g.Note)
	e.number(g.Count, g.Occurrences, g.FirstSeen, g.LastSeen, g.Spiked)
	e.version(g.First)
	e.version(g.Last)
	e.number(int64(len(g.Versions)))
	for _, v := range g.Versions {
		e.version(v.AppVersion)
		e.number(v.Count, v.FirstSeen, v.LastSeen)
	}
	e.number(g.Platforms[:]...)
	e.number(g.Hours.Last)
	for _, n := range g.Hours.Ring {
		e.number(int64(n))
	}
	return e
}

type groupDecoder struct {
	raw    []byte
	failed bool
}

func (d *groupDecoder) number() int64 {
	n, size := binary.Uvarint(d.raw)
	if size <= 0 || n > math.MaxInt64 {
		d.raw, d.failed = nil, true
		return 0
	}
	d.raw = d.raw[size:]
	return int64(n)
}

func (d *groupDecoder) text() string {
	n := d.number()
	if n > int64(len(d.raw)) {
		d.raw, d.failed = nil, true
		return ""
	}
	text := string(d.raw[:n])
	d.raw = d.raw[n:]
	return text
}

func (d *groupDecoder) order(text string) (c release.Comparable) {
	if text == "" {
		return c
	}
	c, ok := release.Parse(text)
	d.failed = d.failed || !ok
	return c
}

func (d *groupDecoder) version() AppVersion {
	v := AppVersion{Text: d.text()}
	switch d.number() {
	case unordered:
	case ownOrder:
		v.Order = d.order(v.Text)
	case otherOrder:
		v.Order = d.order(d.text())
	default:
		d.failed = true
	}
	return v
}

// decodeLogGroup decodes the stored value of a group.
func decodeLogGroup(id loggroup.ID, raw []byte) (*LogGroup, error) {
	broken := fmt.Errorf("%w: log group %s cannot be decoded", ErrDamaged, id)
	if len(raw) == 0 || raw[0] != groupForm {
		return nil, broken
	}
	d := groupDecoder{raw: raw[1:]}
	g := &LogGroup{ID: id, Level: int(d.number()), Title: d.text()}
	if d.number() != 0 {
		g.Source = new(d.text())
	}
	state := d.number()
	if state >= int64(len(loggroup.States)) {
		return nil, broken
	}
	g.State = loggroup.States[state]
	resolved := d.version()
	g.Resolution, g.ResolvedIn = resolved.Text, resolved.Order
	g.ResolvedAt = d.number()
	g.LastVersion = d.order(d.text())
	g.RegressedAt, g.MutedUntil = d.number(), d.number()
	g.Note = d.text()
	g.Count, g.Occurrences, g.FirstSeen, g.LastSeen, g.Spiked = d.number(), d.number(), d.number(), d.number(), d.number()
	g.First, g.Last = d.version(), d.version()
	n := d.number()
	if n > MaxGroupVersions {
		return nil, broken
	}
	for range n {
		g.Versions = append(g.Versions, GroupVersion{d.version(), d.number(), d.number(), d.number()})
	}
	for i := range g.Platforms {
		g.Platforms[i] = d.number()
	}
	g.Hours.Last = d.number()
	for i := range g.Hours.Ring {
		g.Hours.Ring[i] = uint32(d.number())
	}
	if d.failed || len(d.raw) > 0 {
		return nil, broken
	}
	return g, nil
}
