package query

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"svc/internal/jsonscan"
)

// Limits of filters. Each is a maximum number.
const (
	maxFilters        = 10  // filters in a list
	maxOperands       = 50  // values for the operators in and not_in; further values are ignored
	maxOperandLength  = 512 // characters of a value; further characters are ignored
	maxPropertyLength = 128 // characters of a property's name
)

// operator names the comparison that a filter makes.
type operator string

const (
	opEqual     operator = "eq"
	opNotEqual  operator = "neq"
	opIn        operator = "in"
	opNotIn     operator = "not_in"
	opContains  operator = "contains"
	opGreater   operator = "gt"
	opAtLeast   operator = "gte"
	opLess      operator = "lt"
	opAtMost    operator = "lte"
	opExists    operator = "exists"
	opNotExists operator = "not_exists"
)

var operators = []operator{
	opEqual, opNotEqual, opIn, opNotIn, opContains, opGreater, opAtLeast, opLess, opAtMost, opExists, opNotExists,
}

var operatorNames = func() string {
	names := make([]string, len(operators))
	for i, op := range operators {
		names[i] = string(op)
	}
	return strings.Join(names, ", ")
}()

// Filter is a condition on a property of an event. It is immutable.
type Filter struct {
	property string
	op       operator
	// operands holds the text forms of the filter's values: any number of them for the operators in
	// and not_in, and exactly one for every other operator. The operand of contains is in lower
	// case.
	operands []string
	// number is the operand of the operators gt, gte, lt and lte. If the filter's value is not a
	// finite number, it is NaN, so that every comparison is false.
	number float64
}

// Property returns the first-level key of the property to which the filter applies. Keys are
// compared exactly.
func (f *Filter) Property() string { return f.property }

// Matches reports whether a property satisfies the condition. text is the text form of
// the property. missing means that the property does not exist or is JSON null.
func (f *Filter) Matches(text string, missing bool) bool {
	switch f.op {
	case opNotExists:
		return missing
	case opNotEqual, opNotIn:
		return missing || !slices.Contains(f.operands, text)
	}
	if missing {
		return false
	}
	switch f.op {
	case opExists:
		return true
	case opEqual, opIn:
		return slices.Contains(f.operands, text)
	case opContains:
		return strings.Contains(strings.ToLower(text), f.operands[0])
	}
	return f.compare(text)
}

// compare parses a text as a number and compares it with f.number. It returns false if the text is
// not a number.
func (f *Filter) compare(text string) bool {
	n, ok := numeric(text)
	if !ok {
		return false
	}
	switch f.op {
	case opGreater:
		return n > f.number
	case opAtLeast:
		return n >= f.number
	case opLess:
		return n < f.number
	default:
		return n <= f.number
	}
}

// DecodeFilters parses a list of filters, all of which must match. Empty text and null mean an
// empty list. If a filter is invalid, DecodeFilters returns no filters, but a message for each
// invalid field. field is the path of the list in the request. Messages begin with this path.
func DecodeFilters(raw json.RawMessage, field string) ([]Filter, []string) {
	if len(raw) == 0 {
		return nil, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, []string{field + " must be a list"}
	}
	if len(list) > maxFilters {
		return nil, []string{fmt.Sprintf("%s must have at most %d entries", field, maxFilters)}
	}
	var filters []Filter
	var problems []string
	for i, item := range list {
		f, wrong := DecodeFilter(item, fmt.Sprintf("%s[%d]", field, i))
		filters, problems = append(filters, f), append(problems, wrong...)
	}
	if problems != nil {
		return nil, problems
	}
	return filters, nil
}

// DecodeFilter parses one filter. It returns a message for each invalid field of the filter. If
// there are messages, the returned filter must not be used. field is the path of the filter in the
// request. Messages begin with this path.
func DecodeFilter(raw json.RawMessage, field string) (Filter, []string) {
	// decoded into a map, because the fields of a struct would accept names in any case
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return Filter{}, []string{field + " must be an object"}
	}
	var f Filter
	var problems []string
	add := func(name, problem string) {
		if problem != "" {
			problems = append(problems, field+"."+name+" "+problem)
		}
	}
	property, problem := requiredText(object["property"])
	if problem == "" && (property == "" || utf8.RuneCountInString(property) > maxPropertyLength) {
		problem = fmt.Sprintf("must have 1 to %d characters", maxPropertyLength)
	}
	add("property", problem)
	op, problem := requiredText(object["op"])
	if problem == "" && !slices.Contains(operators, operator(op)) {
		problem = "must be one of " + operatorNames
	}
	add("op", problem)
	f.property, f.op = property, operator(op)
	if !f.compile(object["value"]) {
		add("value", "must be a string, a number, a boolean or a list of those")
	}
	if problems != nil {
		return Filter{}, problems
	}
	return f, nil
}

// requiredText parses a required string. problem describes why the string is invalid, or is "" if
// it is valid.
func requiredText(raw json.RawMessage) (text, problem string) {
	switch {
	case isNull(raw):
		return "", "is required"
	case raw[0] != '"' || json.Unmarshal(raw, &text) != nil:
		return "", "must be a string"
	}
	return text, ""
}

// isNull reports whether a field of a JSON object is missing or null.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// compile sets the operands of the filter from its value in JSON. It returns false if the value has
// the wrong type.
func (f *Filter) compile(raw json.RawMessage) bool {
	values, ok := scalars(raw)
	if !ok {
		return false
	}
	if f.op == opIn || f.op == opNotIn {
		f.operands = operandList(raw, values)
		return true
	}
	value := json.RawMessage(`""`)
	if len(values) > 0 {
		value = values[0]
	}
	text := textOperand(value)
	if f.op == opContains {
		text = strings.ToLower(text)
	}
	f.operands, f.number = []string{text}, math.NaN()
	// a JSON number can be finite and still be too long for plain decimal
	if n, err := strconv.ParseFloat(string(value), 64); err == nil {
		f.number = n
	} else if n, ok := numeric(text); ok && !math.IsInf(n, 0) {
		f.number = n
	}
	return true
}

// scalars returns the values of a filter: the elements of a list, or the single value, or none if
// raw is null. It returns false if one of the values is not a string, a number or a boolean.
func scalars(raw json.RawMessage) (values []json.RawMessage, ok bool) {
	switch {
	case isNull(raw):
		return nil, true
	case raw[0] != '[':
		values = []json.RawMessage{raw}
	case json.Unmarshal(raw, &values) != nil:
		return nil, false
	}
	for _, v := range values {
		if isNull(v) || v[0] == '{' || v[0] == '[' {
			return nil, false
		}
	}
	return values, true
}

// operandList returns the operands of a filter with the operator in or not_in. If raw is a string,
// it is a comma-separated list in which blanks are significant. Otherwise the operands are the text
// forms of values.
func operandList(raw json.RawMessage, values []json.RawMessage) []string {
	var operands []string
	if len(raw) > 0 && raw[0] == '"' {
		operands = strings.SplitN(jsonscan.Unquote(string(raw)), ",", maxOperands+1)
	} else {
		for _, v := range values {
			text, _ := textForm(string(v))
			operands = append(operands, text)
		}
	}
	operands = operands[:min(len(operands), maxOperands)]
	for i, text := range operands {
		operands[i] = cutOperand(text)
	}
	return operands
}

// textOperand returns the text form of a filter's value, with which the text forms of properties
// are compared.
func textOperand(raw json.RawMessage) string {
	text, _ := textForm(string(raw))
	return cutOperand(text)
}

// cutOperand truncates a text to maxOperandLength characters.
func cutOperand(text string) string {
	if len(text) <= maxOperandLength {
		return text
	}
	n := 0
	for at := range text {
		if n == maxOperandLength {
			return strings.Clone(text[:at])
		}
		n++
	}
	return text
}
