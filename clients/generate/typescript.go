package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// usual defines the HTTP method and the flags that the tables of the TypeScript library omit,
// because they are the defaults for methods with certain verbs. The verb is the first word of the
// name of a method. Verbs is a regular expression that matches these verbs.
type usual struct{ Verbs, Method, Flags string }

var usuals = []usual{
	{"^list", "GET", "?*"},
	{"^(get|preview|search|health|export)", "GET", ""},
	{"^(create|login)", "POST", "!"},
	{"^(update|change)", "PATCH", "!"},
	{"^(upsert|set|put)", "PUT", "!"},
	{"^(delete|clear|reset|revoke|abort|unyank)", "DELETE", ""},
	{".", "POST", ""},
}

func typescript(s *spec) []target {
	tables := map[string]any{"Usual": usuals}
	for _, namespace := range []string{"client", "public", "admin"} {
		tables[namespace] = s.table(namespace)
	}
	return []target{{"clients/typescript/src/tables.ts", "typescript/tables.ts.tmpl", tables, nil}}
}

var nameParts = regexp.MustCompile(`^([a-z]+)(.*)$`)

// table returns the table of a namespace, which has a line for each path. The name of a method
// consists of a verb and a noun, as in createVersion. The line contains the path, followed by each
// noun and the verbs of the methods with that noun.
func (s *spec) table(namespace string) string {
	var lines []string
	var base, path, noun string
	for _, o := range s.Operations {
		if o.Namespace != namespace {
			continue
		}
		if o.Path != path {
			path, noun = o.Path, ""
			line := o.Path
			if rest, below := strings.CutPrefix(o.Path, base+"/"); below && base != "" {
				line = "./" + rest
			} else {
				base = o.Path
			}
			lines = append(lines, line)
		}
		last := &lines[len(lines)-1]
		parts := nameParts.FindStringSubmatch(camel(o.Name))
		verb, own := parts[1], parts[2]
		if verb == "list" {
			own = strings.TrimSuffix(own, "s")
		}
		if own != noun {
			noun = own
			*last += " " + noun
		}
		*last += " " + verb + o.marks(verb)
	}
	return strings.Join(lines, "\n")
}

// marks returns the characters that follow the verb of an operation in the table. They encode the
// HTTP method and the flags, unless these are the defaults for the verb.
func (o *operation) marks(verb string) string {
	flags := ""
	switch {
	case o.Table.OptionalBody:
		flags = "+"
	case o.Body != nil:
		flags = "!"
	case o.Bytes:
		flags = "#"
	case len(o.Query) > 0:
		flags = "?"
	}
	if o.Pages() {
		flags += "*"
	}
	fields := o.Query
	if o.Body != nil {
		fields = o.Body.Fields
	}
	for _, name := range []string{"locale", "version"} {
		if slices.ContainsFunc(fields, func(f *field) bool { return f.Name == name && o.defaulted(f) }) {
			flags += name[:1]
		}
	}
	u := usuals[slices.IndexFunc(usuals, func(u usual) bool { return regexp.MustCompile(u.Verbs).MatchString(verb) })]
	method := map[string]string{"PUT": "=", "POST": "^"}[o.Verb]
	if u.Method == o.Verb {
		method = ""
	}
	if flags == u.Flags {
		return method
	}
	return method + cmp.Or(flags, "-")
}
