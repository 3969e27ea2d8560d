package apitest

import (
	"testing"
)

// TestLacks checks that lacks detects differences.
func TestLacks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, got, want string
		has             bool
	}{
		{"nothing wanted", `{"a":1}`, ``, true},
		{"a part of an object", `{"a":1,"b":[1,{"c":null}]}`, `{"b":[1,{}]}`, true},
		{"another value", `{"a":1}`, `{"a":2}`, false},
		{"null is not missing", `{}`, `{"a":null}`, false},
		{"null is not empty", `{"a":null}`, `{"a":""}`, false},
		{"a longer list", `{"a":[1,2]}`, `{"a":[1]}`, false},
		{"another type", `{"a":"1"}`, `{"a":1}`, false},
		{"a list for an object", `[]`, `{}`, false},
		{"null for a list", `null`, `[]`, false},
		{"large numbers to the digit", `{"a":9007199254740993}`, `{"a":9007199254740992}`, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if why := CompareJSON(t, tc.got, tc.want); (why == "") != tc.has {
				t.Errorf("%s against %s: got %q, want it to fit: %v", tc.got, tc.want, why, tc.has)
			}
		})
	}
}
