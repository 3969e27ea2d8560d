package clients

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// left lists the methods that someCall does not call. Some take bytes as arguments, and some have
// dedicated steps. For the others, the contract and the server disagree about the arguments.
var left = []string{"public export_my_data", "public delete_my_data", "admin put_upload_chunk", "admin put_asset_signature", "admin regenerate_codehost_webhook_secret"}

func callStep(namespace, method string, args map[string]any) map[string]any {
	return map[string]any{"do": "call", "namespace": namespace, "method": method, "args": args}
}

func (s *story) someCall() {
	e := pick(s.random, s.endpoints...)
	if s.chance(35) { // apps call these methods more often than others
		e = pick(s.random, s.endpoints[:18]...)
	}
	if slices.Contains(left, e[0]+" "+e[1]) {
		return
	}
	args, c, local := s.arguments(e)
	if s.chance(6) {
		s.refusing = true
	} else {
		s.answers = s.callOutage(c.verb == "GET")
		if len(s.answers) == 0 && e[1] != "login" && s.chance(5) {
			s.answers = []answer{{Status: pick(s.random, 200, 204)}} // an answer without a body
		}
	}
	s.emit(callStep(e[0], e[1], args), func() map[string]any {
		switch {
		case local:
			s.answers = nil
			return failure(map[string]any{"kind": "base"})
		case c.admin && s.token == "":
			s.answers = nil
			return failure(map[string]any{"kind": "auth"})
		}
		a := s.request(c)
		if e[1] == "login" && outcome(c, a)["error"] == nil {
			if answered, ok := decodedObject(a.Body); ok {
				s.token, _ = answered["access_token"].(string)
			}
		}
		if e[0]+" "+e[1] == "public create_feedback" {
			s.keepFeedback(c, a)
		}
		return outcome(c, a)
	})
	s.refusing = false
}

func decodedObject(body string) (map[string]any, bool) {
	value, _ := decoded(body)
	fields, ok := value.(map[string]any)
	return fields, ok
}

// callOutage returns unusual answers to the attempts of a call, such as errors and incomplete
// bodies. Often it returns nil, which means that the call succeeds.
func (s *story) callOutage(read bool) (out []answer) {
	if s.chance(60) {
		return nil
	}
	if read && s.chance(50) {
		for range 1 + s.random.IntN(5) {
			a := s.refused(pick(s.random, 502, 503, 504))
			if s.chance(50) {
				if a.Header == nil {
					a.Header = map[string]string{}
				}
				a.Header["Retry-After"] = pick(s.random, "0", "1", "2", "30", "31", "soon", "-1", "1.5", "Thu, 01 Jan 1970 00:16:40 GMT", "Thu, 01 Jan 2099 00:00:00 GMT")
			}
			out = append(out, a)
		}
	}
	switch n := s.random.IntN(8); {
	case n < 4:
		out = append(out, s.refused(pick(s.random, 400, 401, 403, 404, 405, 408, 409, 410, 413, 418, 422, 425, 429, 500, 501)))
	case n == 4:
		out = append(out, answer{Status: 200, Body: `{"cut":"short"`, Cut: true})
	case n == 5:
		out = append(out, answer{Status: 200, Body: "<html>a captive portal</html>", Header: map[string]string{"Content-Type": "text/html"}})
	case n == 6 && !read:
		out = append(out, s.refused(pick(s.random, 502, 503, 504)))
	case n == 7 && !read:
		out = append(out, answer{Closed: true})
	}
	return out
}

// odd lists path arguments that libraries must escape.
var odd = []string{"1.2.3", "1.0+build (beta)", "a/b", "two words", "naïve", "🚀", "50%", "a?b#c", `a\b`, "..x", "~-_.", "zh-Hant", "it's!*", "%2F", "0190a1b2-0000-7000-8000-000000000001"}

// renamed lists arguments with names that differ from the fields of the request.
var renamed = map[string]map[string]string{
	"admin update_project":        {"project_key": "new_project_key"},
	"admin update_project_locale": {"locale": "new_locale"},
}

// withheld maps a method to request fields that the contract does not list as its arguments.
var withheld = map[string][]string{
	"admin upsert_version":                         {"version"},
	"public check_update":                          {"platform", "platform_version", "current_version", "current_comparable_version", "channel", "rollout_key", "locale"},
	"public ingest_events":                         {"platform", "platform_version", "client_time"},
	"admin set_codehost_webhook_secret":            {"grace_minutes"},
	"admin list_terms_documents":                   {"locale"},
	"admin get_terms_document":                     {"locale"},
	"admin update_terms_document":                  {"locale"},
	"admin reset_terms_document":                   {"locale"},
	"admin get_codehost_integration_repo_template": {"refresh"},
	"admin get_about":                              {"refresh"},
}

// arguments returns random arguments of a method and the call that they result in. If local is
// true, the library must reject the arguments without sending a request.
func (s *story) arguments(e [4]string) (args map[string]any, c call, local bool) {
	method := e[0] + " " + e[1]
	c = call{admin: e[0] == "admin", verb: e[2], template: e[3], query: url.Values{}}
	args = map[string]any{}
	c.path = parameter.ReplaceAllStringFunc(e[3], func(name string) string {
		if name == "{k}" {
			return segment(s.key)
		}
		name = strings.Trim(name, "{}")
		if name == "v" {
			name = "version"
		}
		value := pick(s.random, odd...)
		if s.chance(4) && (!c.admin || s.token != "") {
			value = pick(s.random, "", ".", "..")
			local = true
		}
		args[name] = value
		return segment(value)
	})
	o := s.known[place(e[2], e[3])]
	for _, p := range o.Parameters {
		if p.Value.In == openapi3.ParameterInQuery && !slices.Contains(withheld[method], p.Value.Name) {
			s.queryArgument(e, args, p.Value, c.query)
		}
	}
	if slices.Contains(withheld[method], "refresh") && s.chance(50) {
		args["refresh"] = s.chance(50)
		if args["refresh"] == true {
			c.query.Set("refresh", "true")
		}
	}
	if o.RequestBody != nil {
		c.body = s.bodyArguments(method, args, o.RequestBody.Value.Content["application/json"].Schema.Value)
		if method == "public create_feedback" && args["forward_to_codehost"] == true {
			contact, _ := c.body.(map[string]any)["contact"].(string) // extra fields replace those of the call
			local = local || strings.TrimSpace(contact) == ""
		}
		if method == "public check_update" {
			local = !s.checkArguments(args, c.body.(map[string]any))
		}
	}
	return args, c, local
}

func (s *story) queryArgument(e [4]string, args map[string]any, p *openapi3.Parameter, query url.Values) {
	if !p.Required && s.chance(60) {
		switch fills := e[0] == "public"; {
		case fills && p.Name == "locale" && s.locale != "":
			query.Set("locale", s.locale)
		case fills && p.Name == "version" && s.appVersion != "":
			query.Set("version", s.appVersion)
		}
		return
	}
	if !p.Required && (p.Name == "locale" || p.Name == "version") && e[0] == "public" && s.chance(20) {
		args[p.Name] = nil
		return
	}
	value := s.some(p.Schema)
	if strings.HasSuffix(p.Schema.Ref, "/Flag") {
		value = s.chance(50) // arguments are booleans, although the server accepts texts
	}
	if text, ok := value.(string); ok && text == "" {
		value = "x" // an empty text may be omitted as well
	}
	args[p.Name] = value
	query.Set(p.Name, fmt.Sprint(value))
}

// bodyArguments generates the fields of a body. It includes all required fields. At random, it
// omits each optional field, sets it to null if that has a meaning, or gives it a value.
func (s *story) bodyArguments(method string, args map[string]any, schema *openapi3.Schema) map[string]any {
	body := map[string]any{}
	if method == "admin run_event_query" {
		query := s.value(&openapi3.SchemaRef{Value: schema}).(map[string]any)
		args["query"] = query
		return maps.Clone(query)
	}
	properties, required := propertiesOf(schema), requiredOf(schema)
	for _, field := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(withheld[method], field) {
			continue
		}
		name := field
		if other := renamed[method][field]; other != "" {
			name = other
		}
		must := slices.Contains(required, field)
		switch n := s.random.IntN(100); {
		case method == "admin create_project" && field == "project_key" && n < 50:
			body[field] = s.key
		case !must && n < 50:
		case !must && n < 65 && properties[field].Value.Nullable:
			args[name], body[field] = nil, nil
		default:
			value := s.some(properties[field])
			args[name], body[field] = value, value
		}
	}
	if method == "admin upsert_version" && len(body) == 0 {
		args["title"], body["title"] = "t", "t"
	}
	if method != "client login" && s.chance(15) {
		extra := map[string]any{"added_later": s.json(1)}
		if fields := slices.Sorted(maps.Keys(body)); len(fields) > 0 && s.chance(20) {
			extra[fields[0]] = "replaced"
		}
		args["extra"] = extra
		maps.Copy(body, extra)
	}
	return body
}

// checkArguments sets the arguments of an update check. It returns false if they contain no
// version.
func (s *story) checkArguments(args, body map[string]any) bool {
	set := func(name, value string) { args[name], body[name] = value, value }
	switch s.random.IntN(3) {
	case 0:
		set("current_version", pick(s.random, "v1.0", "1.0+ü"))
	case 1:
		set("current_comparable_version", "1.2.3-rc.1")
	default:
		if s.appVersion != "" {
			body["current_version"] = s.appVersion
		} else {
			return false
		}
	}
	switch n := s.random.IntN(10); {
	case n < 3:
		set("rollout_key", "é 🚀")
	case n < 5: // null sends no key, not even one that the library has made
		args["rollout_key"], body["rollout_key"] = nil, "missing"
	}
	if s.chance(40) {
		set("locale", "es-MX")
	} else if s.locale != "" {
		body["locale"] = s.locale
	}
	return true
}
