package query

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// decodeFilter returns a filter with a condition on property p.
func decodeFilter(t *testing.T, fields string) Filter {
	t.Helper()
	f, problems := DecodeFilter(json.RawMessage(`{"property":"p",`+fields+`}`), "filters[0]")
	if problems != nil {
		t.Fatalf("%s: %v", fields, problems)
	}
	if f.Property() != "p" {
		t.Fatalf("the property is %q", f.Property())
	}
	return f
}

// list returns a JSON list of the numbers from 1 to n as strings.
func list(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%d"`, i+1)
	}
	return "[" + b.String()[1:] + "]"
}

func TestFilterMatches(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 512)
	for _, tc := range []struct {
		rule, filter string
		property     string // the property's compact JSON; "" = missing
		want         bool
	}{
		{"eq equal", `"op":"eq","value":"pro"`, `"pro"`, true},
		{"eq regards case", `"op":"eq","value":"pro"`, `"Pro"`, false},
		{"eq missing", `"op":"eq","value":"pro"`, ``, false},
		{"eq null is missing", `"op":"eq","value":"null"`, `null`, false},
		{"eq nothing is the empty text", `"op":"eq"`, `""`, true},
		{"eq null is nothing", `"op":"eq","value":null`, `""`, true},
		{"eq the empty text is not missing", `"op":"eq"`, ``, false},
		{"eq number and text", `"op":"eq","value":1`, `"1"`, true},
		{"eq text and number", `"op":"eq","value":"1"`, `1.0`, true},
		{"eq number in plain decimal", `"op":"eq","value":1.50e3`, `1500`, true},
		{"eq a text is not a number", `"op":"eq","value":"1.0"`, `1.0`, false},
		{"eq boolean", `"op":"eq","value":true`, `"true"`, true},
		{"eq takes the first of a list", `"op":"eq","value":["a","b"]`, `"a"`, true},
		{"eq only the first of a list", `"op":"eq","value":["a","b"]`, `"b"`, false},
		{"eq of an empty list is the empty text", `"op":"eq","value":[]`, `""`, true},
		{"eq does not split", `"op":"eq","value":"a,b"`, `"a,b"`, true},
		{"eq object", `"op":"eq","value":"{\"a\":[1,2]}"`, `{"a":[1,2]}`, true},
		{"eq value cut to 512 characters", `"op":"eq","value":"` + long + `x"`, `"` + long + `"`, true},
		{"eq property is not cut", `"op":"eq","value":"` + long + `x"`, `"` + long + `x"`, false},

		{"neq different", `"op":"neq","value":"pro"`, `"free"`, true},
		{"neq equal", `"op":"neq","value":"pro"`, `"pro"`, false},
		{"neq missing", `"op":"neq","value":"pro"`, ``, true},
		{"neq null is missing", `"op":"neq","value":"pro"`, `null`, true},
		{"neq nothing", `"op":"neq"`, `""`, false},

		{"in one of a list", `"op":"in","value":["a",2,true]`, `"2"`, true},
		{"in none of a list", `"op":"in","value":["a",2,true]`, `"b"`, false},
		{"in missing", `"op":"in","value":["",2]`, ``, false},
		{"in splits a text", `"op":"in","value":"a,b"`, `"b"`, true},
		{"in does not trim", `"op":"in","value":"a, b"`, `"b"`, false},
		{"in does not trim, blanks count", `"op":"in","value":"a, b"`, `" b"`, true},
		{"in splits into empty texts", `"op":"in","value":"a,,b"`, `""`, true},
		{"in the empty text is one value", `"op":"in","value":""`, `""`, true},
		{"in does not split the texts of a list", `"op":"in","value":["a,b"]`, `"a"`, false},
		{"in a number is a list of one", `"op":"in","value":1.0`, `1`, true},
		{"in a boolean is a list of one", `"op":"in","value":false`, `false`, true},
		{"in nothing", `"op":"in"`, `""`, false},
		{"in an empty list", `"op":"in","value":[]`, `""`, false},
		{"in the 50th of a list", `"op":"in","value":` + list(60), `50`, true},
		{"in the 51st of a list does not count", `"op":"in","value":` + list(60), `51`, false},
		{"in the 50th of a text", `"op":"in","value":"` + strings.Repeat(",", 49) + `50,51"`, `50`, true},
		{"in the 51st of a text does not count", `"op":"in","value":"` + strings.Repeat(",", 49) + `50,51"`, `51`, false},
		{"in cuts each value", `"op":"in","value":"a,` + long + `x,b"`, `"` + long + `"`, true},

		{"not_in none", `"op":"not_in","value":"a,b"`, `"c"`, true},
		{"not_in one", `"op":"not_in","value":"a,b"`, `"b"`, false},
		{"not_in missing", `"op":"not_in","value":"a,b"`, ``, true},
		{"not_in nothing", `"op":"not_in"`, `""`, true},
		{"not_in an empty list", `"op":"not_in","value":[]`, `"x"`, true},

		{"contains", `"op":"contains","value":"dit"`, `"editor"`, true},
		{"contains not", `"op":"contains","value":"dot"`, `"editor"`, false},
		{"contains ignores case", `"op":"contains","value":"ÉDIT"`, `"reéditor"`, true},
		{"contains ignores the case of the property", `"op":"contains","value":"édit"`, `"RÉDITOR"`, true},
		{"contains takes % as it is", `"op":"contains","value":"1%"`, `"10%"`, false},
		{"contains takes _ as it is", `"op":"contains","value":"a_b"`, `"axb"`, false},
		{"contains part of a number", `"op":"contains","value":23`, `1234`, true},
		{"contains in an object", `"op":"contains","value":"\"a\""`, `{"a":1}`, true},
		{"contains nothing", `"op":"contains"`, `"x"`, true},
		{"contains missing", `"op":"contains"`, ``, false},

		{"gt greater", `"op":"gt","value":10`, `30`, true},
		{"gt equal", `"op":"gt","value":10`, `10.0`, false},
		{"gt compares numbers, not texts", `"op":"gt","value":9`, `10`, true},
		{"gt numeric text", `"op":"gt","value":10`, `"12.5"`, true},
		{"gt numeric text as value", `"op":"gt","value":"10"`, `12.5`, true},
		{"gt property with an exponent", `"op":"gt","value":10`, `1e3`, true},
		{"gt text with an exponent is no number", `"op":"gt","value":10`, `"1e3"`, false},
		{"gt text with blanks is no number", `"op":"gt","value":10`, `" 30"`, false},
		{"gt boolean is no number", `"op":"gt","value":-1`, `true`, false},
		{"gt missing", `"op":"gt","value":-1`, ``, false},
		{"gt value that is no number", `"op":"gt","value":"ten"`, `30`, false},
		{"gt value that is a boolean", `"op":"gt","value":false`, `30`, false},
		{"gt nothing", `"op":"gt"`, `30`, false},
		{"gt first of a list", `"op":"gt","value":[10,99]`, `30`, true},
		{"gt value that is not finite", `"op":"gt","value":-1e999`, `30`, false},
		{"gt value too long for a text", `"op":"gt","value":1e-600`, `30`, true},
		{"gt negative", `"op":"gt","value":-2.5`, `-2`, true},
		{"gte equal", `"op":"gte","value":10`, `"10.00"`, true},
		{"gte less", `"op":"gte","value":10`, `9.99`, false},
		{"gte value that is no number", `"op":"gte","value":"x"`, `"x"`, false},
		{"lt less", `"op":"lt","value":10`, `9.99`, true},
		{"lt equal", `"op":"lt","value":10`, `10`, false},
		{"lt value that is no number", `"op":"lt","value":""`, `-1`, false},
		{"lt missing", `"op":"lt","value":10`, `null`, false},
		{"lte equal", `"op":"lte","value":0`, `-0.0`, true},
		{"lte greater", `"op":"lte","value":0`, `0.1`, false},
		{"lte value that is not finite", `"op":"lte","value":1e999`, `1`, false},

		{"lte text that is not finite", `"op":"lte","value":"` + strings.Repeat("9", 400) + `"`, `1`, false},

		{"exists", `"op":"exists"`, `""`, true},
		{"exists not", `"op":"exists"`, ``, false},
		{"exists is not null", `"op":"exists"`, `null`, false},
		{"exists whatever the value", `"op":"exists","value":"x"`, `false`, true},
		{"not_exists", `"op":"not_exists"`, ``, true},
		{"not_exists null", `"op":"not_exists"`, `null`, true},
		{"not_exists not", `"op":"not_exists"`, `0`, false},
	} {
		f := decodeFilter(t, tc.filter)
		text, missing := textForm(tc.property)
		if got := f.Matches(text, missing); got != tc.want {
			t.Errorf("%s: %.60s on %.60s is %v", tc.rule, tc.filter, tc.property, got)
		}
	}
}

func TestDecodeFilterRefuses(t *testing.T) {
	t.Parallel()
	const ops = "eq, neq, in, not_in, contains, gt, gte, lt, lte, exists, not_exists"
	for _, tc := range []struct{ rule, raw, want string }{
		{"an object", `5`, "f must be an object"},
		{"not null", `null`, "f must be an object"},
		{"all that is wrong", `{"value":{}}`, "f.property is required; f.op is required; f.value must be a string, a number, a boolean or a list of those"},
		{"property is a string", `{"property":1,"op":"eq"}`, "f.property must be a string"},
		{"property is not empty", `{"property":"","op":"eq"}`, "f.property must have 1 to 128 characters"},
		{"property of 128 characters", `{"property":"` + strings.Repeat("é", 128) + `","op":"eq"}`, ""},
		{"property of 129 characters", `{"property":"` + strings.Repeat("é", 129) + `","op":"eq"}`, "f.property must have 1 to 128 characters"},
		{"op is known", `{"property":"p","op":"like"}`, "f.op must be one of " + ops},
		{"op regards case", `{"property":"p","op":"EQ"}`, "f.op must be one of " + ops},
		{"op is a string", `{"property":"p","op":null}`, "f.op is required"},
		{"names regard case", `{"property":"p","Op":"eq"}`, "f.op is required"},
		{"the last of a name counts", `{"property":"p","op":"x","op":"eq"}`, ""},
		{"unknown fields are ignored", `{"property":"p","op":"eq","x":{}}`, ""},
		{"white space", " { \"property\" : \"p\" ,\n\"op\":\t\"in\" , \"value\" : [ 1 , \"a\" ] } ", ""},
		{"value is no object", `{"property":"p","op":"exists","value":{}}`, "f.value must be a string, a number, a boolean or a list of those"},
		{"value has no null", `{"property":"p","op":"in","value":[1,null]}`, "f.value must be a string, a number, a boolean or a list of those"},
		{"value has no list", `{"property":"p","op":"in","value":[[]]}`, "f.value must be a string, a number, a boolean or a list of those"},
	} {
		_, problems := DecodeFilter(json.RawMessage(tc.raw), "f")
		if got := strings.Join(problems, "; "); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.rule, got, tc.want)
		}
	}
}

func TestDecodeFilters(t *testing.T) {
	t.Parallel()
	const one = `{"property":"p","op":"exists"}`
	for _, tc := range []struct {
		rule, raw string
		n         int
		problems  []string
	}{
		{"nothing", ``, 0, nil},
		{"null", `null`, 0, nil},
		{"an empty list", `[]`, 0, nil},
		{"ten", `[` + strings.Repeat(one+",", 9) + one + `]`, 10, nil},
		{"eleven", `[` + strings.Repeat(one+",", 10) + one + `]`, 0, []string{"steps[0].filters must have at most 10 entries"}},
		{"no list", `{}`, 0, []string{"steps[0].filters must be a list"}},
		{"each that is wrong", `[1,` + one + `,{"property":"p"}]`, 0, []string{"steps[0].filters[0] must be an object", "steps[0].filters[2].op is required"}},
	} {
		filters, problems := DecodeFilters(json.RawMessage(tc.raw), "steps[0].filters")
		if len(filters) != tc.n || !slices.Equal(problems, tc.problems) {
			t.Errorf("%s: got %d filters, %q", tc.rule, len(filters), problems)
		}
	}
}

// FuzzDecodeFilter checks that decoding and matching never panic, and that every accepted
// filter can be evaluated.
func FuzzDecodeFilter(f *testing.F) {
	f.Add(`{"property":"p","op":"in","value":"a,b"}`, `"a"`)
	f.Add(`{"property":"p","op":"lte","value":[1e600,2]}`, `1e-600`)
	f.Add(`{"property":"p","op":"contains","value":"İ"}`, `"i̇"`)
	f.Fuzz(func(t *testing.T, raw, property string) {
		filter, problems := DecodeFilter(json.RawMessage(raw), "f")
		if problems != nil {
			return
		}
		text, missing := textForm(property)
		exists := filter.Matches(text, missing)
		if filter.op == opExists && exists == missing {
			t.Errorf("exists is %v for %q", exists, property)
		}
	})
}
