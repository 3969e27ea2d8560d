package main

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// pythonType is a TypedDict.
type pythonType struct {
	Name, Doc, Base    string
	Required, Optional []pythonField
	Keywords           []pythonField // required fields whose names are keywords of Python
}

type pythonField struct{ Name, Type, Doc string }

// pythonMethod is a method of a namespace.
type pythonMethod struct {
	*operation
	Doc              string
	Positional       []string // parameters of the signature, with their types
	Keywords         []string // keyword-only parameters, with their types
	Arguments        []string // entries of the dictionary of path arguments
	Queries, Fields  []string // entries of the dictionaries for the query and the body
	Type, ItemType   string
	Iterator, Answer string // result types of the blocking or async client
}

// pythonModule is a module with the methods of a client.
type pythonModule struct {
	Prefix        string // of class names in the async client
	Public, Admin []*pythonMethod
	Used          []string // names of types to import
}

func python(s *spec) []target {
	const folder = "clients/python/src/svc_sdk/"
	return []target{
		{folder + "types.py", "python/types.py.tmpl", pythonTypes(s), nil},
		{folder + "_api/requests.py", "python/requests.py.tmpl", pythonMethods(s, false), nil},
		{folder + "_api/aio/requests.py", "python/requests.py.tmpl", pythonMethods(s, true), nil},
	}
}

var pythonPlain = map[kind]string{
	textKind: "str", enumKind: "str", integerKind: "int", numberKind: "float", flagKind: "bool", anyKind: "Any",
}

// pythonValue returns the Python type of a value that is not null.
func (s *spec) pythonValue(t typ, sent bool) string {
	list, dict := "list", "dict"
	if sent {
		list, dict = "Sequence", "Mapping"
	}
	switch {
	case t.Kind == enumKind && s.Names.Enumerations[t.Schema.Name].Integers:
		return "int"
	case sent && len(t.Values) > 0 && s.enumeration(t) != "Platform":
		return `Literal["` + strings.Join(t.Values, `", "`) + `"]`
	case t.Kind == listKind:
		return list + "[" + s.pythonValue(*t.Items, sent) + "]"
	case t.Kind == mapKind:
		return dict + "[str, " + s.pythonValue(*t.Items, sent) + "]"
	case t.Kind == objectKind:
		return dict + "[str, Any]"
	case t.Kind == schemaKind || t.Kind == unionKind:
		return t.Schema.Name
	}
	return pythonPlain[t.Kind]
}

// pythonField returns the Python type of a field. The type of the value is followed by the text in
// the parameter unset and, if the field can be null, by None.
func (s *spec) pythonField(f *field, unset string) string {
	if own := s.Names.fieldType("python", f); own != "" {
		return own
	}
	value := s.pythonValue(f.Type, f.Owner.Sent) + unset
	if f.Type.Nullable {
		value += " | None"
	}
	return value
}

// typed reports whether a schema becomes a TypedDict. A schema that is only used as a request body
// does not, because its fields become arguments of a method.
func (v *schema) typed() bool { return len(v.Fields) > 0 && (v.Received || v.Part || !v.Body) }

func pythonTypes(s *spec) any {
	var data struct {
		Names  []string
		Types  []*pythonType
		Unions []*schema
	}
	for _, v := range s.Schemas {
		switch {
		case len(v.Of) > 0 && v.Received:
			data.Unions = append(data.Unions, v)
		case !v.typed():
			continue
		default:
			t := &pythonType{Name: v.Name, Doc: v.Doc, Base: "TypedDict"}
			for _, f := range v.Fields {
				entry := pythonField{f.Name, s.pythonField(f, ""), f.Doc}
				switch {
				case f.Name == "total_is_estimate":
					t.Base = "Estimated"
				case f.Name == "locale_message":
					t.Base = "Localized"
				case f.Name == "from": // a keyword, which no class can have as a field
					t.Keywords = append(t.Keywords, entry)
				case f.Required:
					t.Required = append(t.Required, entry)
				default:
					t.Optional = append(t.Optional, entry)
				}
			}
			data.Types = append(data.Types, t)
		}
		data.Names = append(data.Names, v.Name)
	}
	data.Names = append(data.Names, "Estimated", "Localized")
	slices.Sort(data.Names)
	return data
}

var words = regexp.MustCompile(`\b[A-Z]\w+`)

// compareFold compares names without regard to case. Imports are sorted in this order.
func compareFold(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) }

func pythonMethods(s *spec, async bool) *pythonModule {
	m := &pythonModule{}
	if async {
		m.Prefix = "Async"
	}
	used := map[string]bool{}
	for _, o := range s.Operations {
		if o.written("python") {
			continue
		}
		method := s.pythonMethod(o)
		types := slices.Concat(method.Positional, method.Keywords, []string{method.Answer, method.Iterator})
		for _, name := range words.FindAllString(strings.Join(types, " "), -1) {
			used[name] = s.byName[name] != nil
		}
		if async {
			method.Answer = "Coroutine[Any, Any, " + method.Answer + "]"
			method.Iterator = "Async" + method.Iterator
		}
		if o.Namespace == "public" {
			m.Public = append(m.Public, method)
		} else {
			m.Admin = append(m.Admin, method)
		}
	}
	for _, name := range slices.SortedFunc(maps.Keys(used), compareFold) {
		if used[name] {
			m.Used = append(m.Used, name)
		}
	}
	return m
}

func (s *spec) pythonMethod(o *operation) *pythonMethod {
	m := &pythonMethod{operation: o, Type: s.pythonValue(o.Answer, false)}
	if o.Answer.Nullable {
		m.Type += " | None"
	}
	m.Answer = m.Type
	for _, f := range o.Args {
		kind := "str"
		if f.Type.Kind == integerKind {
			kind = "int"
		}
		m.Positional = append(m.Positional, f.Argument()+": "+kind)
		m.Arguments = append(m.Arguments, fmt.Sprintf("%q: %s", f.Name, f.Argument()))
	}
	add := func(f *field, signature string) {
		signature = breakLong(signature)
		if slices.Contains(s.Names.Positional[o.ID], f.Name) {
			m.Positional = append(m.Positional, signature)
			return
		}
		m.Keywords = append(m.Keywords, signature)
	}
	for _, f := range s.query("python", o) {
		argument := cmp.Or(o.Table.Rename[f.Name], f.Name)
		value := argument
		kind := s.Names.fieldType("python", f)
		if kind == "" && s.enumeration(f.Type) != "" {
			kind = "str" // a newer server may know more
		} else if kind == "" {
			kind = s.pythonValue(f.Type, true)
		}
		switch {
		case o.defaulted(f):
			add(f, f.Name+": str | Unset | None = UNSET")
			value = "unless(" + f.Name + ", " + map[string]string{"locale": "LOCALE", "version": "APP_VERSION"}[f.Name] + ")"
		case slices.Contains(o.Table.OnlyTrue, f.Name):
			add(f, f.Name+": bool = False")
			value = "True if " + f.Name + " else None"
		case f.Required:
			add(f, argument+": "+kind)
		default:
			add(f, argument+": "+kind+" | None = None")
		}
		m.Queries = append(m.Queries, fmt.Sprintf("%q: %s", f.Name, value))
	}
	if o.Body != nil {
		s.pythonBody(m, add)
	}
	if o.Bytes {
		m.Positional = append(m.Positional, "data: bytes")
	}
	if item := o.Item(); item != nil && o.Pages() {
		m.ItemType = s.pythonValue(*item, false)
		m.Iterator = "Iterator[" + m.ItemType + "]"
	}
	m.Doc = strings.TrimSuffix(o.Summary, ".") + "."
	if o.Detail != "" {
		m.Doc += "\n\n" + wrap(o.Detail, "        ", 110)
	}
	return m
}

// pythonBody adds the fields of a body, or the body itself, to a method. Required fields are first.
func (s *spec) pythonBody(m *pythonMethod, add func(*field, string)) {
	if whole := m.Table.Whole; whole != "" {
		m.Positional = append(m.Positional, whole+": "+m.Body.Name)
	} else {
		for _, required := range []bool{true, false} {
			for _, f := range m.Body.Fields {
				constant := m.Table.Defaults[f.Name]
				if (f.Required && constant == "") != required {
					continue
				}
				argument := f.Name
				if other := m.Table.Rename[f.Name]; other != "" {
					argument = other
				}
				if slices.ContainsFunc(m.Args, func(a *field) bool { return a.Argument() == argument }) {
					continue // it is part of the path
				}
				if required {
					add(f, argument+": "+s.pythonField(f, ""))
				} else {
					add(f, argument+": "+s.pythonField(f, " | Unset")+" = UNSET")
				}
				value := argument
				if constant != "" {
					value = "unless(" + argument + ", " + constant + ")"
				}
				m.Fields = append(m.Fields, fmt.Sprintf("%q: %s", f.Name, value))
			}
		}
	}
	m.Keywords = append(m.Keywords, "extra: Mapping[str, Any] | None = None")
}

var pageArgument = regexp.MustCompile(`^"?(limit|offset)"?:`)

// ofAllPages returns the entries without limit and offset, which select a page.
func ofAllPages(entries []string) []string {
	return slices.DeleteFunc(slices.Clone(entries), pageArgument.MatchString)
}

// docstring formats the documentation of a class. The first sentence is followed by an empty line.
func docstring(text string) string {
	summary, rest, more := strings.Cut(text, ". ")
	if !more {
		return text
	}
	return summary + ".\n\n" + wrap(rest, "    ", 110) + "\n    "
}

var literals = regexp.MustCompile(`^(\w+: )(Sequence\[)?Literal\[(.*?)\](\])?( \| .*)?$`)

// breakLong breaks an argument that is too long for a line in the same way as the Python formatter.
func breakLong(signature string) string {
	m := literals.FindStringSubmatch(signature)
	if m == nil || len(signature) < 100 {
		return signature
	}
	open, indent, end := m[1]+"Literal[", "            ", "\n        ]"
	if m[2] != "" {
		open, indent, end = m[1]+"Sequence[\n            Literal[", "                ", "\n            ]\n        ]"
	}
	for value := range strings.SplitSeq(m[3], ", ") {
		open += "\n" + indent + value + ","
	}
	return open + end + strings.ReplaceAll(m[5], " | ", "\n        | ")
}
