package query

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"svc/internal/testutil"
)

func TestTextForm(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ rule, raw, want string }{
		{"a string as it is", `"Pro"`, "Pro"},
		{"an empty string is a value", `""`, ""},
		{"blanks of a string count", `" a "`, " a "},
		{"escapes are resolved", `"a\"\\\/\n\u00e9\ud83d\ude00"`, "a\"\\/\né😀"},
		{"half a pair is replaced", `"\ud83d"`, "\uFFFD"},
		{"a string that looks like a number", `"1.0"`, "1.0"},
		{"a string that looks like null", `"null"`, "null"},
		{"true", `true`, "true"},
		{"false", `false`, "false"},
		{"integer", `42`, "42"},
		{"negative integer", `-7`, "-7"},
		{"every digit is kept", `12345678901234567890123`, "12345678901234567890123"},
		{"zeros of an integer are kept", `1000`, "1000"},
		{"no zeros at the end of a fraction", `1.50`, "1.5"},
		{"no fraction of zeros", `1.0`, "1"},
		{"no fraction of zeros behind zeros", `100.00`, "100"},
		{"zero", `0`, "0"},
		{"zero with a fraction", `0.000`, "0"},
		{"no negative zero", `-0`, "0"},
		{"no negative zero with a fraction", `-0.0`, "0"},
		{"no negative zero with an exponent", `-0e5`, "0"},
		{"a small number", `-0.001`, "-0.001"},
		{"exponent", `1e3`, "1000"},
		{"exponent in capitals, with a sign", `1.5E+3`, "1500"},
		{"exponent of nothing", `2.50e0`, "2.5"},
		{"exponent that moves the point", `12.345e1`, "123.45"},
		{"exponent that uses up the fraction", `12.345e3`, "12345"},
		{"exponent that makes a fraction", `1e-3`, "0.001"},
		{"exponent that moves the point back", `1234e-2`, "12.34"},
		{"exponent that leaves no fraction", `1200e-2`, "12"},
		{"exponent and leading zeros", `0.0012e2`, "0.12"},
		{"exponent of 512 digits", `1e511`, "1" + strings.Repeat("0", 511)},
		{"exponent of more stays", `1e512`, "1e512"},
		{"fraction of 512 digits", `1e-511`, "0." + strings.Repeat("0", 510) + "1"},
		{"fraction of more stays", `1.0e-512`, "1.0e-512"},
		{"huge exponent", `1e99999999999999999999`, "1e99999999999999999999"},
		{"huge negative exponent", `1e-99999999999999999999`, "1e-99999999999999999999"},
		{"zero with a huge exponent", `0.0e99999999999999999999`, "0"},
		{"long without an exponent", strings.Repeat("9", 600) + ".0", strings.Repeat("9", 600)},
		{"an object as it is", `{"b":1.0,"a":"\u0061"}`, `{"b":1.0,"a":"\u0061"}`},
		{"a list as it is", `[1,"x"]`, `[1,"x"]`},
	} {
		if got, missing := textForm(tc.raw); got != tc.want || missing {
			t.Errorf("%s: %s is %q, %v; want %q", tc.rule, tc.raw, got, missing, tc.want)
		}
	}
	for _, raw := range []string{"null", ""} {
		if got, missing := textForm(raw); got != "" || !missing {
			t.Errorf("%q is %q, not missing", raw, got)
		}
	}
}

func TestNumeric(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"0": 0, "-0": 0, "12": 12, "-12.50": -12.5, "007": 7, "0.1": 0.1, "9007199254740993": 9007199254740992,
		strings.Repeat("9", 400): math.Inf(1),
	} {
		if got, ok := numeric(text); got != want || !ok {
			t.Errorf("%q is %v, %v; want %v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "-", ".", "1.", ".5", "-.5", "+1", "--1", "1.2.3", "1e3", "0x1", "1_000", " 1", "1 ", "1\n", "inf", "NaN", "١", "12a",
	} {
		if got, ok := numeric(text); ok {
			t.Errorf("%q is the number %v", text, got)
		}
	}
}

//nolint:paralleltest // counts the allocations of the whole process
func TestTextFormDoesNotAllocate(t *testing.T) {
	testutil.WithoutDetector(t)
	for _, raw := range []string{`"editor/12"`, `42`, `12.50`, `true`, `{"a":1}`} {
		if n := testing.AllocsPerRun(100, func() { textForm(raw) }); n != 0 {
			t.Errorf("%s: %v allocations", raw, n)
		}
	}
}

var plainDecimal = regexp.MustCompile(`^(0|-?[1-9][0-9]*|-?(0|[1-9][0-9]*)\.[0-9]*[1-9])$`)

// FuzzTextForm compares the text forms of numbers with exact arithmetic, and those of
// strings with encoding/json.
func FuzzTextForm(f *testing.F) {
	for _, seed := range []string{`"a\u0000"`, `null`, `-1.50e2`, `1e-3`, `0e1`, `100e-2`, `1e600`, `9.9e-600`, `[1]`, `-0.0`, `12345.678e-9`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		text, missing := textForm(raw) // must not panic, whatever raw is
		if !json.Valid([]byte(raw)) || strings.TrimSpace(raw) != raw {
			return
		}
		if missing != (raw == "null") {
			t.Fatalf("%s: missing is %v", raw, missing)
		}
		switch c := raw[0]; {
		case c == '"':
			var want string
			if err := json.Unmarshal([]byte(raw), &want); err != nil || text != strings.ToValidUTF8(text, "") {
				return // an event with invalid UTF-8 is rejected earlier
			}
			if text != want {
				t.Errorf("%s is %q, want %q", raw, text, want)
			}
		case c == '-' || '0' <= c && c <= '9':
			checkNumber(t, raw, text)
		case text != raw && raw != "null":
			t.Errorf("%s is %q", raw, text)
		}
	})
}

// checkNumber verifies that the text form of a number is plain and has the same value.
// Only a number that would have too many digits may keep its exponent.
func checkNumber(t *testing.T, raw, text string) {
	t.Helper()
	if at := strings.IndexAny(raw, "eE"); at >= 0 && len(strings.TrimLeft(raw[at+1:], "+-0")) > 4 {
		if !strings.ContainsAny(raw[:at], "123456789") != (text == "0") || text != "0" && text != raw {
			t.Errorf("%s is %q", raw, text)
		}
		return // too large for exact arithmetic
	}
	want, ok := new(big.Rat).SetString(raw)
	if !ok {
		t.Fatalf("%s is no number", raw)
	}
	got, _ := new(big.Rat).SetString(text)
	if got == nil || got.Cmp(want) != 0 {
		t.Fatalf("%s is %q, which is another number", raw, text)
	}
	if plainDecimal.MatchString(text) {
		return
	}
	exact, _ := want.FloatPrec()
	whole := len(new(big.Int).Quo(new(big.Int).Abs(want.Num()), want.Denom()).String())
	if text != raw || whole+exact <= 512 {
		t.Errorf("%s is %q, which is not plain", raw, text)
	}
}
