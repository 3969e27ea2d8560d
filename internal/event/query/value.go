package query

import (
	"strconv"
	"strings"

	"svc/internal/jsonscan"
)

// maxDigits is the maximum length of a number's text form. A number that would be longer
// keeps its exponent.
const maxDigits = 512

// textForm returns the text form of a property's value, which is used to compare and count values.
// raw is the value as compact JSON. A string is decoded, a number is written in plain decimal, and
// any other value is unchanged. JSON null is treated as a missing property.
func textForm(raw string) (text string, missing bool) {
	if raw == "" {
		return "", true
	}
	switch c := raw[0]; {
	case c == '"':
		return jsonscan.Unquote(raw), false
	case c == '-' || '0' <= c && c <= '9':
		return plainNumber(raw), false
	case raw == "null":
		return "", true
	}
	return raw, false
}

// plainNumber writes a JSON number without an exponent and without zeros at the end of
// its fraction: 1.50 becomes 1.5, and 1e3 becomes 1000. It works on the digits, so that
// no precision is lost. A number with an exponent is returned unchanged if it would have
// more than maxDigits digits.
func plainNumber(raw string) string {
	mantissa, exponent, ok := splitExponent(raw)
	if !ok {
		return raw
	}
	if exponent == 0 {
		return withoutZeros(mantissa)
	}
	sign := ""
	if strings.HasPrefix(mantissa, "-") {
		sign, mantissa = "-", mantissa[1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	point := len(whole) + exponent // number of digits before the decimal point
	significant := strings.TrimLeft(digits, "0")
	point -= len(digits) - len(significant)
	digits = significant
	switch length := max(point, len(digits), len(digits)-point+1); {
	case digits == "":
		return "0"
	case length > maxDigits:
		return raw
	case point <= 0:
		return sign + "0." + strings.Repeat("0", -point) + digits
	case point >= len(digits):
		return sign + digits + strings.Repeat("0", point-len(digits))
	}
	return sign + digits[:point] + "." + digits[point:]
}

// withoutZeros removes trailing zeros from the fraction of a number without an exponent.
func withoutZeros(number string) string {
	if strings.IndexByte(number, '.') >= 0 {
		number = strings.TrimSuffix(strings.TrimRight(number, "0"), ".")
	}
	if number == "-0" {
		return "0"
	}
	return number
}

// splitExponent separates a number into its mantissa and its exponent. It limits the exponent,
// which does not change the text form of the number: zero remains zero, and any other number would
// be too long to expand.
func splitExponent(raw string) (mantissa string, exponent int, ok bool) {
	at := strings.IndexAny(raw, "eE")
	if at < 0 {
		return raw, 0, true
	}
	const beyond = 1 << 30 // exceeds the number of digits that a request can contain
	exponent, err := strconv.Atoi(raw[at+1:])
	if err != nil && exponent == 0 {
		return "", 0, false
	}
	return raw[:at], min(max(exponent, -beyond), beyond), true
}

// numeric parses a number that consists of digits with an optional sign and fraction.
// Other forms are invalid. A number beyond the range of float64 becomes an infinity.
func numeric(text string) (value float64, ok bool) {
	whole, fraction, broken := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	if !allDigits(whole) || broken && !allDigits(fraction) {
		return 0, false
	}
	value, _ = strconv.ParseFloat(text, 64) // the only possible error is that the number is out of range
	return value, true
}

// allDigits reports whether a text consists of one or more ASCII digits.
func allDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}
