package web

import "encoding/json"

// EachField calls fn with name and raw value of each field of a JSON object, in
// order. The object must be valid JSON, which whoever calls has checked. Nothing
// is copied: encoding/json would make a map and a copy of each value, on the
// busiest path of the program.
func EachField(object json.RawMessage, fn func(name []byte, raw json.RawMessage)) {
	at := skipSpace(object, skipSpace(object, 0)+1) // behind the brace
	for object[at] != '}' {
		end := skipValue(object, at)
		name := fieldName(object[at:end])
		at = skipSpace(object, skipSpace(object, end)+1) // behind the colon
		end = skipValue(object, at)
		fn(name, object[at:end])
		if at = skipSpace(object, end); object[at] == ',' {
			at = skipSpace(object, at+1)
		}
	}
}

// fieldName is the text of a quoted name.
func fieldName(quoted json.RawMessage) []byte {
	if plainText(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	var name string
	if err := json.Unmarshal(quoted, &name); err != nil {
		return nil
	}
	return []byte(name)
}

func skipSpace(b []byte, at int) int {
	for b[at] == ' ' || b[at] == '\t' || b[at] == '\n' || b[at] == '\r' {
		at++
	}
	return at
}

// skipValue returns where the value that begins at at ends.
func skipValue(b []byte, at int) int {
	level := 0
	for ; ; at++ {
		switch b[at] {
		case '"':
			at = skipText(b, at)
		case '{', '[':
			level++
			continue
		case '}', ']':
			level--
		case ',', ':', ' ', '\t', '\n', '\r':
			continue // between values, or the value would have ended before
		default:
			at = skipLiteral(b, at)
		}
		if level == 0 {
			return at + 1
		}
	}
}

// skipText returns the closing quote of the text that begins at at.
func skipText(b []byte, at int) int {
	for at++; b[at] != '"'; at++ {
		if b[at] == '\\' {
			at++ // whatever is escaped is part of the text
		}
	}
	return at
}

// skipLiteral returns the last byte of a number, true, false or null.
func skipLiteral(b []byte, at int) int {
	for at+1 < len(b) {
		switch b[at+1] {
		case ',', '}', ']', ' ', '\t', '\n', '\r':
			return at
		}
		at++
	}
	return at
}
