package event_test

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// filterSpec is a filter in the form in which a client sends it. An empty Value is
// omitted.
type filterSpec struct {
	Property string          `json:"property"`
	Op       string          `json:"op"`
	Value    json.RawMessage `json:"value,omitempty"`
}

// decimal matches the properties that can be compared as numbers.
var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// holdAll reports whether a record passes all filters.
func holdAll(filters []filterSpec, r *record) bool {
	for _, f := range filters {
		text, present := r.texts[f.Property]
		if !f.holds(text, present) {
			return false
		}
	}
	return true
}

// holds reports whether a property passes the filter, by section 7.1 of the contract.
func (f filterSpec) holds(text string, present bool) bool {
	switch f.Op {
	case "neq":
		return !present || text != f.single()
	case "not_in":
		return !present || !f.lists(text)
	case "not_exists":
		return !present
	}
	if !present {
		return false
	}
	switch f.Op {
	case "eq":
		return text == f.single()
	case "in":
		return f.lists(text)
	case "contains":
		return strings.Contains(strings.ToLower(text), strings.ToLower(f.single()))
	case "gt", "gte", "lt", "lte":
		return f.compares(text)
	case "exists":
		return true
	}
	panic("no such operator: " + f.Op)
}

// compares performs the numeric comparison.
func (f filterSpec) compares(text string) bool {
	value := f.single()
	if !decimal.MatchString(text) || !decimal.MatchString(value) {
		return false
	}
	a, b := number(text), number(value)
	switch f.Op {
	case "gt":
		return a > b
	case "gte":
		return a >= b
	case "lt":
		return a < b
	}
	return a <= b
}

// single returns the value for operators that take a single one.
func (f filterSpec) single() string {
	values := f.elements()
	if len(values) == 0 {
		return ""
	}
	return cut(values[0])
}

// lists reports whether the list in the value of an in or not_in filter contains a text.
func (f filterSpec) lists(text string) bool {
	values := f.elements()
	if len(f.Value) > 0 && f.Value[0] == '"' {
		values = strings.Split(values[0], ",")
	}
	for _, v := range first(50, values) {
		if cut(v) == text {
			return true
		}
	}
	return false
}

// elements returns the text form of the value or, if the value is an array, of each of
// its elements.
func (f filterSpec) elements() []string {
	if len(f.Value) > 0 && f.Value[0] == '[' {
		var values []json.RawMessage
		if err := json.Unmarshal(f.Value, &values); err != nil {
			panic(err)
		}
		var texts []string
		for _, v := range values {
			text, _ := textForm(v)
			texts = append(texts, text)
		}
		return texts
	}
	if text, present := textForm(f.Value); present {
		return []string{text}
	}
	return nil
}

// cut returns the first 512 characters.
func cut(text string) string {
	if utf8.RuneCountInString(text) <= 512 {
		return text
	}
	return string([]rune(text)[:512])
}

// textForms returns the text forms of all properties that have one.
func textForms(object []byte) map[string]string {
	texts := map[string]string{}
	for key, raw := range decode(object) {
		if text, present := textForm(raw); present {
			texts[key] = text
		}
	}
	return texts
}

// textForm returns the text form of a property, by rule 1 of section 7.2 of the contract.
// The property must be compact JSON.
func textForm(raw json.RawMessage) (text string, present bool) {
	switch {
	case len(raw) == 0 || raw[0] == 'n':
		return "", false
	case raw[0] == '"':
		if err := json.Unmarshal(raw, &text); err != nil {
			panic(err)
		}
		return text, true
	case strings.IndexByte("{[tf", raw[0]) >= 0:
		return string(raw), true
	}
	exact, ok := new(big.Rat).SetString(string(raw))
	if !ok {
		panic("not a number: " + string(raw))
	}
	digits, _ := exact.FloatPrec()
	return exact.FloatString(digits), true
}

// number returns the float64 nearest to a decimal number.
func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return n
}
