package format_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"svc/internal/replica/format"
)

// TestNamesAreInOrder compares the order of names with the order of numbers, because listings sort by name.
func TestNamesAreInOrder(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{
		{format.EpochName(1), format.EpochName(10), format.EpochName(1<<32 - 1)},
		{format.CutName(2), format.CutName(10), format.CutName(1<<32 - 1)},
		{format.SegmentName(1, 9), format.SegmentName(1, 10), format.SegmentName(2, 1), format.SegmentName(2, 1e15)},
		{format.ManifestName(9), format.ManifestName(10), format.ManifestName(1<<64 - 1)},
		{format.PartName(9, 2), format.PartName(9, 10), format.PartName(10, 1)},
	} {
		if !slices.IsSorted(names) {
			t.Errorf("not in order: %q", names)
		}
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	m := format.Manifest{
		Format: format.Version, Position: 812, Time: 1_795_000_000_000, Epoch: 3, Next: 43, Before: strings.Repeat("ab", 32),
		Parts: []format.Part{{Size: 64 << 20, SHA256: strings.Repeat("cd", 32)}},
	}
	encoded := format.Encode(m)
	if got, err := format.Decode[format.Manifest](encoded); err != nil || !reflect.DeepEqual(got, m) {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, b := range []string{
		"", "null", "[]", `{"format": 2}`, `{"format": 1} {}`, `{"format": 1, "position": -1}`, `{"format": 1, "parts": 7}`,
		string(encoded[:len(encoded)-3]), string(format.Encode(format.Contact{Format: format.Version, Epoch: 1, Position: 812})),
	} {
		if _, err := format.Decode[format.Manifest]([]byte(b)); !errors.Is(err, format.ErrInvalid) {
			t.Errorf("%q: %v", b, err)
		}
	}
}
