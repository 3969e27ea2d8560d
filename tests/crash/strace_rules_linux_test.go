package crash

import (
	"reflect"
	"testing"
)

// TestParseCall checks how the lines of a trace are parsed.
func TestParseCall(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		rule, line string
		want       *call // nil = the line is skipped
	}{
		{
			"a call begins at its stamp and ends later",
			`1795303816.876876795 fsync(3<\x2f\x62>) = 0 <0.010236336>`,
			&call{"fsync", 1795303816876876795, 1795303816887113131, []string{`3<\x2f\x62>`}, "0"},
		},
		{
			"one that takes seconds",
			`1795303816.876876795 fsync(3<\x2f\x62>) = 0 <12.010236336>`,
			&call{"fsync", 1795303816876876795, 1795303828887113131, []string{`3<\x2f\x62>`}, "0"},
		},
		{
			"texts are one argument",
			`1.000000000 pwrite64(3<\x2f>, "\x2c\x28", 2, 4096) = 2 <0.000000001>`,
			&call{"pwrite64", 1000000000, 1000000001, []string{`3<\x2f>`, `"\x2c\x28"`, "2", "4096"}, "2"},
		},
		{
			"structures, too",
			`1.000000000 bind(7<socket:[5]>, {sa_family=AF_UNIX, sun_path="\x61"}, 19) = 0 <0.000000001>`,
			&call{"bind", 1000000000, 1000000001, []string{`7<socket:[5]>`, `{sa_family=AF_UNIX, sun_path="\x61"}`, "19"}, "0"},
		},
		{
			"the result may be a file",
			`1.000000000 openat(AT_FDCWD<\x2f>, "\x61", O_RDONLY) = 3<\x2f\x61> <0.000000001>`,
			&call{"openat", 1000000000, 1000000001, []string{`AT_FDCWD<\x2f>`, `"\x61"`, "O_RDONLY"}, `3<\x2f\x61>`},
		},
		{"a call that was cut off", `1.000000000 fsync(3<\x2f>) = ?`, nil},
		{"the end of a thread", `1.000000000 +++ killed by SIGKILL +++`, nil},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			t.Parallel()
			got, ok, err := parseCall(tc.line)
			check(t, err)
			if ok != (tc.want != nil) || ok && !reflect.DeepEqual(got, *tc.want) {
				t.Errorf("got %+v, %t, want %+v", got, ok, tc.want)
			}
		})
	}
	for _, line := range []string{`1.000000000 fsync(3<\x2f>) = 0`, `1.5 fsync(3<\x2f>) = 0 <0.000000001>`} {
		if got, _, err := parseCall(line); err == nil {
			t.Errorf("%s: got %+v, want an error", line, got)
		}
	}
	if got, err := unquote(`"\x61"...`); err == nil {
		t.Errorf("a text that is cut was read as %q", got)
	}
}
