package loggroup

import (
	"strconv"
	"unicode/utf8"

	"svc/internal/jsonscan"
)

// maxVersion is the maximum number of characters of the version of a log.
const maxVersion = 64

// Fields contains the values in the JSON objects of a log that concern its group.
type Fields struct {
	Key      string // custom_data.group_key; empty if there is none
	Version  string // app_version; empty if there is none
	Repeated int64  // custom_data.repeated, the number of equal logs that the client has not sent
}

// ReadFields reads the fields from the device information and the custom data of a log. Each is a
// JSON object, or empty.
func ReadFields(device, custom []byte) (f Fields) {
	eachText(device, func(name, text string, isText bool) {
		if name == "app_version" && isText {
			f.Version = version(text)
		}
	})
	eachText(custom, func(name, text string, isText bool) {
		switch {
		case name == "group_key" && isText:
			f.Key = ""
			if utf8.RuneCountInString(text) <= maxKey {
				f.Key = text
			}
		case name == "app_version" && isText && f.Version == "":
			f.Version = version(text)
		case name == "repeated" && !isText:
			n, err := strconv.ParseInt(text, 10, 32)
			f.Repeated = 0
			if err == nil {
				f.Repeated = max(n, 0)
			}
		}
	})
	return f
}

// version returns the text if it is short enough to be the version of a log, and "" otherwise.
func version(text string) string {
	if utf8.RuneCountInString(text) > maxVersion {
		return ""
	}
	return text
}

// eachText calls visit for each member of a JSON object. text is the decoded text of a string, or
// the JSON source of another value.
func eachText(object []byte, visit func(name, text string, isText bool)) {
	s := jsonscan.Scanner{Source: string(object)}
	if s.Peek() != '{' {
		return
	}
	for more := s.Enter('}'); more; more = s.Next('}') {
		name := s.Key()
		if s.Failed {
			return
		}
		value := s.Value()
		if s.Failed {
			return
		}
		if s.IsString(value) {
			visit(s.Text(name), s.Text(value), true)
		} else {
			visit(s.Text(name), s.Raw(value), false)
		}
	}
}
