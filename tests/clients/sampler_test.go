package clients

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// sampler generates values that a schema of openapi.yaml allows.
type sampler struct {
	random *rand.Rand
	// given restricts the values to those that callers can pass. A field that may be an integer or
	// a string is then an integer, because the typed libraries do not accept strings for such
	// fields.
	given bool
	depth int
}

// deep is the nesting depth below which optional fields are omitted and lists are short.
const deep = 5

func (s *sampler) chance(percent int) bool { return s.random.IntN(100) < percent }

func pick[T any](random *rand.Rand, from ...T) T { return from[random.IntN(len(from))] }

// value generates a value.
func (s *sampler) value(ref *openapi3.SchemaRef) any {
	s.depth++
	defer func() { s.depth-- }()
	schema := ref.Value
	switch {
	case schema.Nullable && s.chance(20):
		return nil
	case len(schema.Enum) > 0:
		return s.oneOfEnum(schema.Enum)
	case len(schema.OneOf) > 0:
		return s.oneOf(schema.OneOf)
	case len(schema.AnyOf) > 0:
		return s.value(pick(s.random, schema.AnyOf...))
	case len(schema.AllOf) == 1 && len(schema.Properties) == 0:
		return s.some(schema.AllOf[0])
	case schema.Type.Is(openapi3.TypeBoolean):
		return s.chance(50)
	case schema.Type.Is(openapi3.TypeInteger):
		return s.integer(schema)
	case schema.Type.Is(openapi3.TypeNumber):
		return s.number(schema)
	case schema.Type.Is(openapi3.TypeString):
		return s.text(schema)
	case schema.Type.Is(openapi3.TypeArray):
		return s.list(schema)
	case len(propertiesOf(schema)) == 0 && schema.AdditionalProperties.Schema == nil:
		return s.anything()
	default:
		return s.object(schema)
	}
}

// oneOfEnum returns a random element of values. It returns null only if there is no other element.
func (s *sampler) oneOfEnum(values []any) any {
	values = slices.DeleteFunc(slices.Clone(values), func(v any) bool { return v == nil })
	if len(values) == 0 {
		return nil
	}
	return pick(s.random, values...)
}

// some generates a value. It returns null only if the schema permits no other value.
func (s *sampler) some(ref *openapi3.SchemaRef) any {
	for range 100 {
		if v := s.value(ref); v != nil {
			return v
		}
	}
	return nil
}

func bound(free bool) float64 {
	if free {
		return 1
	}
	return 0
}

func (s *sampler) oneOf(refs openapi3.SchemaRefs) any {
	if s.given {
		for _, ref := range refs {
			if ref.Value.Type.Is(openapi3.TypeInteger) {
				return s.value(ref)
			}
		}
	}
	return s.value(pick(s.random, refs...))
}

// number generates a number that JSON writes exactly: a multiple of a quarter or, between bounds
// with none, one of the bounds.
func (s *sampler) number(schema *openapi3.Schema) float64 {
	if schema.Min != nil && schema.Max != nil && *schema.Max < 1 {
		return pick(s.random, *schema.Min, *schema.Max)
	}
	return float64(s.integer(schema)) + pick(s.random, 0, 0.5, 0.25)*bound(schema.Max == nil)
}

func (s *sampler) integer(schema *openapi3.Schema) int64 {
	low, high := int64(0), int64(5000)
	if schema.Min != nil {
		low = int64(*schema.Min)
		high = low + 5000
	}
	if schema.Max != nil {
		high = min(high, int64(*schema.Max))
	}
	return low + s.random.Int64N(high-low+1)
}

// words are parts of generated texts. They come from many scripts, or have characters that are
// special in JSON, URLs or shells.
var words = []string{
	"plain", "two words", "Ünïcode", "日本語", "🚀🧑‍🚀", "عربى", `"quoted"`, `back\slash`, "a/b", "50%", "x=y&z",
	"<b>", "line\nbreak", "tab\there", "\u2028", "naïve café", "#?;:", "{{k}}", "'single'", "é", "~-_.!*()",
}

func (s *sampler) text(schema *openapi3.Schema) string {
	switch {
	case schema.Pattern != "":
		return s.matching(schema.Pattern)
	case schema.Format == "uuid":
		return s.uuid()
	case schema.Format == "uri":
		return "https://dl.example.com/" + pick(s.random, "a", "app-linux-x86_64.tar.gz", "b%20c")
	}
	least, most := int(schema.MinLength), 200
	if schema.MaxLength != nil {
		most = min(most, int(*schema.MaxLength))
	}
	text := pick(s.random, words...)
	if s.chance(30) {
		text += " " + pick(s.random, words...)
	}
	if least == 0 && s.chance(10) {
		text = ""
	}
	runes := []rune(text)
	for len(runes) < least {
		runes = append(runes, 'x')
	}
	return string(runes[:min(len(runes), most)])
}

func (s *sampler) uuid() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", s.random.Uint32(), s.random.IntN(1<<16), s.random.IntN(1<<12), s.random.IntN(1<<12), s.random.Uint64N(1<<48))
}

// matching generates a text that matches a regular expression.
func (s *sampler) matching(pattern string) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		panic(err)
	}
	var out strings.Builder
	s.expand(&out, parsed.Simplify())
	return out.String()
}

func (s *sampler) expand(out *strings.Builder, r *syntax.Regexp) {
	switch r.Op {
	case syntax.OpLiteral:
		out.WriteString(string(r.Rune))
	case syntax.OpCharClass:
		of := 2 * s.random.IntN(len(r.Rune)/2)
		out.WriteRune(r.Rune[of] + s.random.Int32N(r.Rune[of+1]-r.Rune[of]+1))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		out.WriteByte('x')
	case syntax.OpAlternate:
		s.expand(out, pick(s.random, r.Sub...))
	case syntax.OpQuest, syntax.OpStar:
		if s.chance(50) {
			s.expand(out, r.Sub[0])
		}
	default: // concatenations and groups, and anchors, which have no parts
		for _, sub := range r.Sub {
			s.expand(out, sub)
		}
	}
}

func (s *sampler) list(schema *openapi3.Schema) []any {
	least, most := int(schema.MinItems), int(schema.MinItems)+2
	if schema.MaxItems != nil {
		most = min(most, int(*schema.MaxItems))
	}
	if s.depth > deep {
		most = least
	}
	out := []any{}
	for range least + s.random.IntN(most-least+1) {
		v := s.some(schema.Items)
		if schema.UniqueItems && slices.ContainsFunc(out, func(other any) bool { return canonical(other) == canonical(v) }) {
			continue
		}
		out = append(out, v)
	}
	return out
}

// propertiesOf returns the properties of an object and those of the schemas that it extends.
func propertiesOf(schema *openapi3.Schema) openapi3.Schemas {
	all := openapi3.Schemas{}
	for _, part := range schema.AllOf {
		maps.Copy(all, propertiesOf(part.Value))
	}
	maps.Copy(all, schema.Properties)
	return all
}

func requiredOf(schema *openapi3.Schema) []string {
	all := slices.Clone(schema.Required)
	for _, part := range schema.AllOf {
		all = append(all, requiredOf(part.Value)...)
	}
	return all
}

func (s *sampler) object(schema *openapi3.Schema) map[string]any {
	out := map[string]any{}
	if more := schema.AdditionalProperties.Schema; more != nil {
		for range s.random.IntN(3) {
			out[pick(s.random, "en", "de-AT", "zh_Hant", "a b")] = s.some(more)
		}
	}
	properties, required := propertiesOf(schema), requiredOf(schema)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		switch must := slices.Contains(required, name); {
		case must:
			out[name] = s.value(properties[name])
		case s.depth <= deep && s.chance(50):
			// Give the optional field a value other than null, because typed libraries omit null.
			out[name] = s.some(properties[name])
		}
	}
	return out
}

// anything generates a random object for fields in which callers may send arbitrary data.
func (s *sampler) anything() map[string]any {
	out := map[string]any{}
	for range s.random.IntN(4) {
		out[pick(s.random, words...)] = s.json(2)
	}
	return out
}

// json generates arbitrary JSON. Every language can represent its numbers.
func (s *sampler) json(depth int) any {
	switch n := s.random.IntN(10); {
	case n == 0 && depth > 0:
		return []any{s.json(depth - 1), s.json(depth - 1)}
	case n == 1 && depth > 0:
		return map[string]any{pick(s.random, words...): s.json(depth - 1), "n": s.json(depth - 1)}
	case n == 2:
		return nil
	case n == 3:
		return s.chance(50)
	case n == 4:
		return pick(s.random, 0.5, -1.25e-7, 1e300, 0.1, 3.141592653589793)
	case n <= 6:
		return pick(s.random, int64(0), -1, 42, 1<<53-1, -(1<<53 - 1))
	default:
		return pick(s.random, words...)
	}
}
